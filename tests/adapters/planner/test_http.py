"""Planning calls (P3, P5), retries (P7) and call records (O13), over real loopback HTTP."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from tenacity import RetryCallState

from notebook_bcc_ext.adapters.planner.http import HttpPlanner
from notebook_bcc_ext.adapters.planner.retry import (
    TransientFault,
    retry_after_seconds,
    retrying,
)
from notebook_bcc_ext.errors import PlannerError, PlannerFailingError, PlannerUnavailableError
from notebook_bcc_ext.ports import CallRecord
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.settings.names import KIB, Settings
from tests.support.planner_answers import (
    Hang,
    Raw,
    Reply,
    Stream,
    redirect,
    say,
    too_many_requests,
    wrong_length,
)
from tests.support.planner_requests import FEEDBACK, planner_request, quick_settings
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 20


async def test_P3_P5_planning_and_feedback():
    async with ScriptedPlanner() as server:
        server.workflow({"stage": ["s1"]})
        server.step("s1", behaviors=[[say("a")], [say("b")]])
        client = HttpPlanner(quick_settings(server.url), print)
        idle = await client.plan(planner_request("IDLE", step=None))
        assert idle.context_update.workflow_update is not None
        assert not (await client.plan(planner_request())).achieved
        first = await client.plan(planner_request("ACTION_COMPLETED", feedback=FEEDBACK))
        assert first.continues
        last = await client.plan(
            planner_request("ACTION_COMPLETED", iteration=2, feedback=FEEDBACK)
        )
        assert last.achieved
        assert not last.continues
        assert (await client.plan(planner_request("STAGE_COMPLETED"))).achieved
        await client.close()
    sent = server.requests[2].body
    assert server.requests[2].headers["Content-Type"] == "application/json"
    assert sent["behavior_feedback"] == FEEDBACK
    assert sent["options"] == {"stream": False}
    assert sent["observation"]["context"]["FSM"] == {"state": "ACTION_COMPLETED"}
    assert "behavior_feedback" not in server.requests[1].body


async def test_one_connection_is_kept_alive():
    ports = set()

    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[say("a")]])
        client = HttpPlanner(quick_settings(server.url), print)
        for _ in range(3):
            await client.plan(planner_request())
            async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
                assert [item async for item in stream] == [{"action": say("a")}]
        ports = {seen.client_port for seen in server.requests}
        await client.close()
    assert len(ports) == 1


@pytest.mark.parametrize("failure", [Reply(500), Reply(503), too_many_requests("0"), Raw(b"")])
async def test_P7_passing_failures_are_tried_three_times(failure: Reply | Raw):
    async with ScriptedPlanner() as server:
        server.on("planning", failure, times=2)
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        assert not (await client.plan(planner_request("STAGE_RUNNING"))).achieved
        assert [(record.tries, record.status) for record in records] == [(3, 200)]

        server.on("planning", failure, times=3)
        with pytest.raises(PlannerUnavailableError, match="after 3 tries"):
            await client.plan(planner_request("STAGE_RUNNING"))
        assert len(server.requests) == 6
        await client.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
async def test_P7_a_refusal_is_never_tried_again(status: int):
    async with ScriptedPlanner() as server:
        server.on("planning", Reply(status, "not like this"), times=None)
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError, match=f"HTTP {status} .*not like this") as raised:
            await client.plan(planner_request())
        assert not isinstance(raised.value, PlannerUnavailableError)
        assert len(server.requests) == 1
        assert ("BCC_PLANNER_TOKEN" in str(raised.value)) == (status in (401, 403))
        await client.close()


async def test_P7_nobody_listens():
    async with ScriptedPlanner() as server:
        closed = server.url
    client = HttpPlanner(quick_settings(closed), print)
    with pytest.raises(PlannerUnavailableError, match=r"3 tries: no connection .* its address"):
        await client.plan(planner_request())
    await client.close()


async def test_c10_who_answers_with_an_error_does_answer():
    async with ScriptedPlanner() as server:
        server.on("planning", Reply(500, "broken"), times=None)
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerFailingError, match="answered with an error") as raised:
            await client.plan(planner_request())
        await client.close()
    assert "no usable answer" not in str(raised.value)


@pytest.mark.parametrize("trouble", [Reply(500), Raw(b""), Reply(404, "not here")])
async def test_c10_an_address_is_told_as_it_was_typed_not_as_a_variable(trouble: Reply | Raw):
    async with ScriptedPlanner() as server:
        server.on("planning", trouble, times=None)
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError) as raised:
            await client.plan(planner_request())
        await client.close()
    assert server.url in str(raised.value)
    assert "DSLC_BASE_URL" not in str(raised.value)


async def test_P7_a_planner_that_hangs():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        server.on("planning", Hang(), times=None)
        records: list[CallRecord] = []
        settings = quick_settings(server.url, read_timeout=0.05)
        client = HttpPlanner(settings, records.append)
        with pytest.raises(PlannerUnavailableError, match=r"no answer within 0\.05 s"):
            await client.plan(planner_request())
        assert (records[0].tries, records[0].status) == (3, None)
        await client.close()


def test_P7_retry_after_is_seconds_or_a_date():
    assert retry_after_seconds(None) is None
    assert retry_after_seconds("soon") is None
    assert retry_after_seconds(" 7 ") == 7
    assert retry_after_seconds("9" * 400) == 999_999_999
    assert retry_after_seconds("Fri, 01 Jan 1999 00:00:00 GMT") == 0
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(minutes=1), usegmt=True)
    assert 50 < (retry_after_seconds(in_a_minute) or 0) <= 60


@pytest.mark.parametrize(
    ("attempt", "retry_after", "least", "most"),
    [
        (1, None, 1, 2),
        (2, None, 2, 3),
        (3, None, 4, 5),
        (9, None, 30, 30),
        (1, 7.0, 7, 7),
        (1, 0.0, 1, 2),
        (1, 3600.0, 30, 30),
    ],
)
def test_P7_waits_grow_with_jitter_and_heed_the_planner(
    attempt: int, retry_after: float | None, least: float, most: float
):
    tries = retrying(Settings(retry_wait=1, retry_wait_max=30))
    waits = []
    for _ in range(20):
        state = RetryCallState(tries, None, (), {})
        state.attempt_number = attempt
        fault = TransientFault("busy", retry_after)
        state.set_exception((TransientFault, fault, None))
        waits.append(tries.wait(state))
    assert least <= min(waits) <= max(waits) <= most
    assert (len(set(waits)) > 1) == (least < most)


async def test_P7_retry_after_is_bounded():
    """The planner asks for an hour; the setting allows 10 ms: the call comes back at once."""
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
        server.on("planning", too_many_requests("3600"))
        server.on("planning", too_many_requests(later))
        client = HttpPlanner(quick_settings(server.url), print)
        await client.plan(planner_request("STAGE_RUNNING"))
        await client.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Reply(body=b""), "not JSON .it begins with: nothing"),
        (Reply(body="<html>hello"), "it is not JSON .it begins with: <html>hello"),
        (Reply(body="[]"), "it is not a JSON object"),
        (Reply(body=b'{"a": "\xff"}'), "it is not UTF-8"),
        (Reply(body='{"targetAchieved": NaN}'), "it is not JSON"),
        (Reply(body="[" * 100_000), "nested more than 100 levels deep"),
        (Reply(body={}), "none of the fields of a planning answer"),
        (Reply(body={"detail": "hm"}), "none of the fields of a planning answer"),
        (Reply(body={"targetAchieved": "perhaps"}), "'target_achieved' is not valid"),
        (Reply(body={"context_update": {"variables": []}}), "'context_update.variables'"),
        (Reply(body={"targetAchieved": True}, headers={"Content-Encoding": "br"}), "compressed"),
        (wrong_length(b'{"targetAchieved": true}', 10), "it is not JSON"),
    ],
)
async def test_P3_an_unusable_answer_says_what_is_wrong(answer: Reply | Raw, reason: str):
    async with ScriptedPlanner() as server:
        server.on("planning", answer)
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        with pytest.raises(PlannerError, match=reason) as raised:
            await client.plan(planner_request())
        assert f"{server.url}/planning" in str(raised.value)
        assert [record.error for record in records] == [str(raised.value)]
        assert len(server.requests) == 1
        await client.close()


async def test_an_answer_shorter_than_it_claims_is_tried_again():
    async with ScriptedPlanner() as server:
        server.on("planning", wrong_length(b'{"targetAchieved": true}', 100), times=2)
        client = HttpPlanner(quick_settings(server.url), print)
        assert not (await client.plan(planner_request("STAGE_RUNNING"))).achieved
        await client.close()


async def test_a_huge_answer_is_not_read_to_its_end():
    async with ScriptedPlanner() as server:
        server.on("planning", Stream(*[b" " * 4096] * 500))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url, max_answer_bytes=8192), records.append)
        with pytest.raises(PlannerError, match="more than 8192 bytes"):
            await client.plan(planner_request())
        assert records[0].answer_bytes < 500 * 4096
        await client.close()


async def test_redirects_stay_with_the_same_service():
    async with ScriptedPlanner() as server, ScriptedPlanner() as elsewhere:
        server.on("planning", redirect(f"{server.url}/planning/"))
        server.on("planning/", {"targetAchieved": True})
        client = HttpPlanner(quick_settings(server.url), print)
        assert (await client.plan(planner_request())).achieved
        assert server.requests[0].body == server.requests[1].body

        for answer in (
            redirect(f"{elsewhere.url}/planning"),
            redirect(f"{server.url}/planning/", status=302),
        ):
            server.on("planning", answer)
            with pytest.raises(PlannerError, match=r"redirects .*not followed.*that address"):
                await client.plan(planner_request())
        server.on("planning", redirect("/planning"), times=None)
        with pytest.raises(PlannerError, match="redirects more than 3 times"):
            await client.plan(planner_request())
        assert elsewhere.requests == []
        await client.close()


async def test_values_that_json_does_not_know_are_sent_as_null_or_replaced():
    async with ScriptedPlanner() as server:
        client = HttpPlanner(quick_settings(server.url), print)
        odd = {"nan": float("nan"), "deep": [{"inf": float("inf")}], "half": "\ud83d", "ok": 1.5}
        await client.plan(planner_request("STAGE_RUNNING", variables=odd))
        await client.close()
    assert server.requests[0].body["observation"]["context"]["variables"] == {
        "nan": None,
        "deep": [{"inf": None}],
        "half": "?",
        "ok": 1.5,
    }


async def test_O13_every_call_is_recorded_as_it_was():
    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[say("数据")]])
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        await client.plan(planner_request())
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            assert [item async for item in stream]
        await client.plan(planner_request("ACTION_COMPLETED", feedback=FEEDBACK))
        server.on("planning", Reply(400, "no"))
        with pytest.raises(PlannerError):
            await client.plan(planner_request())
        await client.close()
    assert [(call.number, call.kind, call.status, call.tries) for call in records] == [
        (1, "planning", 200, 1),
        (2, "generating", 200, 1),
        (3, "feedback", 200, 1),
        (4, "planning", 400, 1),
    ]
    assert [call.url.rpartition("/")[2] for call in records][:2] == ["planning", "generating"]
    for call, seen in zip(records, server.requests, strict=True):
        assert call.request == seen.raw.decode()
        assert call.request_bytes == len(seen.raw)
        assert call.answer_bytes == len(call.answer.encode())
        assert call.duration_ms > 0
        assert datetime.fromisoformat(call.started_at).tzinfo is not None
        assert call.location == CurrentLocation(
            stage_id="stage", step_id="s1", behavior_id="behavior_001", behavior_iteration=1
        )
    assert json.loads(records[1].answer) == {"action": say("数据")}
    assert records[3].answer == "no"
    assert records[3].error is not None


async def test_O13_records_are_bounded_but_their_sizes_are_true():
    async with ScriptedPlanner() as server:
        big = "数" * 5000
        server.on("planning", {"targetAchieved": False, "note": big})
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url, call_record_bytes=KIB), records.append)
        await client.plan(planner_request(variables={"big": big}))
        await client.close()
    call = records[0]
    assert call.request_bytes == len(server.requests[0].raw) > 15_000
    assert call.answer_bytes > 15_000
    for shown, size in ((call.request, call.request_bytes), (call.answer, call.answer_bytes)):
        assert shown.endswith(f"… cut here: the whole is {size} bytes long")
        assert len(shown.encode()) < KIB + 100


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"type": "SettingsError", "message": "no such file"}},
        {"detail": "no such file"},
        {"error": "no such file"},
        "no such file",
    ],
)
async def test_the_reason_of_a_refusal_is_told_as_a_sentence(body: object):
    async with ScriptedPlanner() as server:
        server.on("planning", Reply(400, body))
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError, match=r"HTTP 400 \(Bad Request\): no such file\.$"):
            await client.plan(planner_request())
        await client.close()


async def test_a_planner_in_this_process_speaks_the_same_wire():
    class InProcess(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            body = json.loads(await request.aread())
            if request.url.path == "/planning":
                return httpx.Response(200, json={"targetAchieved": False})
            assert body["options"] == {"stream": True}
            return httpx.Response(200, stream=httpx.ByteStream(json.dumps(say("a")).encode()))

    records: list[CallRecord] = []
    client = HttpPlanner(quick_settings("http://embedded"), records.append, InProcess())
    assert not (await client.plan(planner_request())).achieved
    async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
        assert [item async for item in stream] == [say("a")]
    await client.close()
    assert [record.url for record in records] == [
        "http://embedded/planning",
        "http://embedded/generating",
    ]
