"""How the actions of one behavior arrive (P4), over real loopback HTTP."""

from __future__ import annotations

import asyncio
import json

import pytest

from notebook_bcc_ext.adapters.planner.http import HttpPlanner
from notebook_bcc_ext.errors import (
    PlannerError,
    PlannerStreamError,
    PlannerUnavailableError,
    ProtocolError,
)
from notebook_bcc_ext.ports import CallRecord, Json
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest
from notebook_bcc_ext.protocol.planner.ndjson import BadLine
from tests.support.planner_answers import CUT, RUN, Hang, Reply, Stream, add, say, wrong_length
from tests.support.planner_requests import planner_request, quick_settings
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 20


async def received(
    client: HttpPlanner, request: PlannerRequest | None = None
) -> list[Json | BadLine]:
    async with client.generate(request or planner_request("BEHAVIOR_RUNNING")) as stream:
        return [item async for item in stream]


async def test_P4_an_action_is_delivered_before_the_next_line_is_sent():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        go_on = asyncio.Event()
        server.on("generating", Stream({"action": say("one")}, go_on, {"action": say("two")}))
        client = HttpPlanner(quick_settings(server.url), print)
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            items = aiter(stream)
            # The server sends its second line only after this: a client that reads ahead hangs.
            assert await anext(items) == {"action": say("one")}
            go_on.set()
            assert await anext(items) == {"action": say("two")}
            with pytest.raises(StopAsyncIteration):
                await anext(items)
        await client.close()


async def test_P4_chunks_may_split_lines_and_characters():
    line = json.dumps({"action": say("数据分析 ✓")}, ensure_ascii=False).encode()
    pieces = [line[i : i + 1] for i in range(len(line))]
    async with ScriptedPlanner() as server:
        server.on("generating", Stream(*pieces, b"\n\n\r\n", *pieces))
        client = HttpPlanner(quick_settings(server.url), print)
        assert await received(client) == [{"action": say("数据分析 ✓")}] * 2
        await client.close()


async def test_P4_bad_lines_are_reported_and_the_stream_goes_on():
    async with ScriptedPlanner() as server:
        server.on(
            "generating",
            Stream(
                "garbage",
                {"action": say("a")},
                b"\xff\xfe\n",
                "[1, 2]",
                '{"action": {"action": "add", "content": ',
                {"note": "no action here"},
                say("bare"),
            ),
        )
        client = HttpPlanner(quick_settings(server.url), print)
        items = await received(client)
        await client.close()
    bad = [item for item in items if isinstance(item, BadLine)]
    assert [item for item in items if not isinstance(item, BadLine)] == [
        {"action": say("a")},
        say("bare"),
    ]
    assert [(line.number, line.reason) for line in bad] == [
        (1, "it is not JSON"),
        (3, "it is not UTF-8"),
        (4, "it is not a JSON object"),
        (5, "it is not JSON"),
        (6, "it holds no action"),
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("stream", [True, False])
async def test_P4_one_object_with_all_actions(indent: int | None, *, stream: bool):
    answer = {"behavior": {"id": "mine"}, "actions": [add("x = 1"), RUN, {"action": "our_own"}]}
    async with ScriptedPlanner() as server:
        server.on("generating", Reply(body=json.dumps(answer, indent=indent)))
        client = HttpPlanner(quick_settings(server.url, stream=stream), print)
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as actions:
            assert actions.behavior is not None
            assert actions.behavior.id == "mine"
            assert [item async for item in actions] == answer["actions"]
        assert server.requests[0].body["options"] == {"stream": stream}
        await client.close()


@pytest.mark.parametrize("indent", [None, 2])
async def test_P4_one_object_is_validated_whole_before_the_first_action(indent: int | None):
    answer = {"actions": [add("x = 1"), {"action": "exec"}]}
    async with ScriptedPlanner() as server:
        server.on("generating", Reply(body=json.dumps(answer, indent=indent)))
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError, match=r"action 2 of 2: .*'codecell_id' is missing"):
            await received(client)
        await client.close()


async def test_F9_the_planners_own_behavior_is_known_before_the_first_action():
    async with ScriptedPlanner() as server:
        server.on("generating", Stream({"behavior": {"id": "b7", "iteration": 7}}, say("hello")))
        client = HttpPlanner(quick_settings(server.url), print)
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            assert stream.behavior is not None
            assert (stream.behavior.id, stream.behavior.iteration) == ("b7", 7)
            assert [item async for item in stream] == [say("hello")]
        await client.close()


@pytest.mark.parametrize("answer", [Stream(), Reply(body={"actions": []})])
async def test_F10_a_behavior_may_have_no_actions(answer: Stream | Reply):
    async with ScriptedPlanner() as server:
        server.on("generating", answer)
        client = HttpPlanner(quick_settings(server.url), print)
        assert await received(client) == []
        await client.close()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<html>\n<body>It works!</body></html>", "it is not JSON"),
        ("[1, 2]", "it is not a JSON object"),
        ('[\n{"action": "end_phase"}\n]', "it is not a JSON object"),
        ('{"error": "out of credit"}', "it holds no action"),
        ('{\n"actions": [\n', "it is not JSON"),
        ('{"actions": "none"}', "'actions' must be a list"),
    ],
)
async def test_P4_an_answer_without_anything_usable_is_an_error(body: str, reason: str):
    async with ScriptedPlanner() as server:
        server.on("generating", Reply(body=body))
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError, match=reason) as raised:
            await received(client)
        assert f"{server.url}/generating" in str(raised.value)
        assert len(server.requests) == 1
        await client.close()


async def test_P1_generate_is_the_fallback_and_is_remembered():
    async with ScriptedPlanner() as server:
        server.has_generating = False
        server.step("s1", behaviors=[[say("a")], [say("b")]])
        client = HttpPlanner(quick_settings(server.url), print)
        assert await received(client) == [{"action": say("a")}]
        second = planner_request("BEHAVIOR_RUNNING", iteration=2)
        assert await received(client, second) == [{"action": say("b")}]
        assert [seen.path for seen in server.requests] == ["/generating", "/generate", "/generate"]
        await client.close()


async def test_P1_neither_endpoint_is_there():
    async with ScriptedPlanner() as server:
        server.has_generating = False
        server.on("generate", Reply(404))
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerError, match=r"knows neither this address nor .*/generate "):
            await received(client)
        await client.close()


async def test_P7_a_stream_that_fails_before_its_first_line_is_tried_again():
    async with ScriptedPlanner() as server:
        server.on("generating", Reply(500, {"error": "warming up"}))
        server.on("generating", Stream(b'{"action": ', CUT))
        server.on("generating", Stream(say("third time")))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        assert await received(client) == [say("third time")]
        assert [(record.tries, record.error) for record in records] == [(3, None)]
        await client.close()


async def test_P7_a_stream_cut_in_the_middle_is_never_tried_again():
    async with ScriptedPlanner() as server:
        server.on("generating", Stream(say("a"), say("b"), b'{"action": "ad', CUT))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        items = []
        with pytest.raises(PlannerStreamError, match=r"after 2 lines .*connection broke"):
            async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
                async for item in stream:
                    items.append(item)  # noqa: PERF401 - what came before the failure counts
        assert items == [say("a"), say("b")]
        assert len(server.requests) == 1
        assert records[0].error is not None
        assert '"content": "b"' in records[0].answer
        await client.close()


async def test_P7_generating_that_keeps_failing_is_an_error():
    async with ScriptedPlanner() as server:
        server.on("generating", Reply(503, "down"), times=None)
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerUnavailableError, match=r"after 3 tries: HTTP 503 .*down"):
            await received(client)
        assert len(server.requests) == 3
        await client.close()


async def test_cancelling_the_reader_closes_the_connection():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        server.on("generating", Stream(say("a"), asyncio.Event()))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        first_is_here = asyncio.Event()

        async def consume() -> None:
            async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
                async for _ in stream:
                    first_is_here.set()

        task = asyncio.create_task(consume())
        await first_is_here.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.client_left.wait()
        assert [record.error for record in records] == ["cancelled"]
        await client.close()


async def test_cancelling_while_the_planner_hangs_closes_the_connection():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        hang = Hang()
        server.on("generating", hang)
        client = HttpPlanner(quick_settings(server.url), print)
        task = asyncio.create_task(received(client))
        await server.was_asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await hang.gone.wait()
        await client.close()


async def test_leaving_early_closes_the_connection_and_is_no_error():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        server.on("generating", Stream(say("a"), asyncio.Event()))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url), records.append)
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            await anext(aiter(stream))
        await server.client_left.wait()
        assert [record.error for record in records] == [None]
        await client.close()


async def test_limits_on_lines_actions_and_size():
    long_line = say("x" * 3000)
    async with ScriptedPlanner() as server:
        server.on("generating", Stream(long_line, say("short")))
        client = HttpPlanner(quick_settings(server.url, max_line_bytes=2048), print)
        first, second = await received(client)
        assert isinstance(first, BadLine)
        assert "longer than 2048 bytes" in first.reason
        assert second == say("short")
        await client.close()

        server.on("generating", Stream(*[say(str(number)) for number in range(5)]))
        client = HttpPlanner(quick_settings(server.url, max_actions_per_behavior=3), print)
        items = []
        with pytest.raises(PlannerStreamError, match="more than 3 actions"):
            async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
                async for item in stream:
                    items.append(item)  # noqa: PERF401
        assert items == [say("0"), say("1"), say("2")]
        await client.close()

        server.on("generating", Stream(say("a"), *[long_line] * 100))
        client = HttpPlanner(quick_settings(server.url, max_answer_bytes=10_000), print)
        with pytest.raises(PlannerStreamError, match="more than 10000 bytes"):
            await received(client)
        await client.close()


async def test_a_hanging_and_a_dripping_planner_run_into_the_limits():
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        server.on("generating", Hang(), times=None)
        short = {"read_timeout": 0.05, "planner_tries": 2}
        client = HttpPlanner(quick_settings(server.url, **short), print)
        with pytest.raises(PlannerUnavailableError, match=r"after 2 tries: no answer"):
            await received(client)
        await client.close()

    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        server.on("generating", Stream(say("a"), asyncio.Event()))
        client = HttpPlanner(quick_settings(server.url, idle_timeout=0.05), print)
        with pytest.raises(PlannerStreamError, match="did not go on within"):
            await received(client)
        await client.close()

        drip = [piece for _ in range(2000) for piece in (b" ", 0.01)]
        server.on("generating", Stream(say("a"), *drip))
        client = HttpPlanner(quick_settings(server.url, total_timeout=0.1), print)
        with pytest.raises(PlannerStreamError, match="did not go on within"):
            await received(client)
        await client.close()


async def test_time_the_engine_takes_is_not_the_planners():
    async with ScriptedPlanner() as server:
        server.on("generating", Stream(say("a"), say("b")))
        limits = {"total_timeout": 0.2, "idle_timeout": 0.2}
        client = HttpPlanner(quick_settings(server.url, **limits), print)
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            items = aiter(stream)
            await anext(items)
            await asyncio.sleep(0.3)  # a cell that runs longer than the planner may take
            assert await anext(items) == say("b")
            assert [item async for item in items] == []
        await client.close()


async def test_a_stream_that_lies_about_its_length():
    body = json.dumps({"action": say("a")}).encode() + b"\n"
    async with ScriptedPlanner() as server:
        server.on("generating", wrong_length(body, len(body) + 50))
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(PlannerStreamError, match="after 1 lines"):
            await received(client)
        server.on("generating", wrong_length(body + body, len(body) + 10))
        items = await received(client)
        assert items[0] == {"action": say("a")}
        assert isinstance(items[1], BadLine)
        await client.close()


async def test_P2_an_observation_without_progress_is_refused_before_it_is_sent():
    request = PlannerRequest.parse({"observation": {"location": {}, "context": {}}})
    async with ScriptedPlanner() as server:
        client = HttpPlanner(quick_settings(server.url), print)
        with pytest.raises(ProtocolError, match="progress_info"):
            await received(client, request)
        with pytest.raises(ProtocolError, match="progress_info"):
            await client.plan(request)
        assert server.requests == []
        await client.close()
