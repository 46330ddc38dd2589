"""Credentials reach the planner and nothing else (P9)."""

from __future__ import annotations

import base64
import logging
import pickle
from typing import Any

import pytest

from notebook_bcc_ext.adapters.planner.http import HttpPlanner
from notebook_bcc_ext.errors import PlannerError, PlannerStreamError
from notebook_bcc_ext.ports import CallRecord
from notebook_bcc_ext.protocol.planner.ndjson import BadLine
from tests.support.planner_answers import CUT, Answer, Reply, SeenRequest, Stream, redirect, say
from tests.support.planner_requests import planner_request, quick_settings
from tests.support.planner_server import ScriptedPlanner

TOKEN = "tok-3cr3t/+é".encode("ascii", "ignore").decode()
HEADER_SECRET = "k3y-of-the-house"
PASSWORD = "p@ss w0rd"
SECRETS = (TOKEN, HEADER_SECRET, PASSWORD, base64.b64encode(b"ada:p@ss w0rd").decode())


def echo(seen: SeenRequest, status: int = 200) -> Answer:
    """A careless service that repeats what it was sent."""
    return Reply(status, {"you_sent": dict(seen.headers), "targetAchieved": True})


def credentials() -> dict[str, Any]:
    return {"planner_token": TOKEN, "planner_headers": {"X-Api-Key": HEADER_SECRET}}


def assert_no_secret(*texts: object) -> None:
    for text in texts:
        for secret in SECRETS:
            assert secret not in str(text)
            assert secret not in repr(text)


async def test_P9_token_and_headers_are_sent():
    async with ScriptedPlanner() as server:
        client = HttpPlanner(quick_settings(server.url, **credentials()), print)
        await client.plan(planner_request())
        await client.close()
    assert server.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert server.requests[0].headers["X-Api-Key"] == HEADER_SECRET


async def test_P9_user_and_password_in_the_address_become_a_header():
    async with ScriptedPlanner() as server:
        address = server.url.replace("//", "//ada:p%40ss%20w0rd@")
        records: list[CallRecord] = []
        settings = quick_settings(address)
        client = HttpPlanner(settings, records.append)
        await client.plan(planner_request())
        await client.close()
    sent = server.requests[0].headers["Authorization"]
    assert base64.b64decode(sent.removeprefix("Basic ")) == b"ada:p@ss w0rd"
    assert settings.dslc_base_url == server.url
    assert records[0].url == f"{server.url}/planning"
    assert_no_secret(settings, records, settings.public_view(), settings.model_dump_json())


async def test_P9_what_a_service_echoes_is_blanked_in_records():
    async with ScriptedPlanner() as server:
        server.on("planning", echo)
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url, **credentials()), records.append)
        await client.plan(planner_request())
        await client.close()
    assert '"Authorization": "Bearer ***"' in records[0].answer
    assert '"X-Api-Key": "***"' in records[0].answer.replace("X-API-Key", "X-Api-Key")
    assert_no_secret(records[0], records[0].request, records[0].answer)


@pytest.mark.parametrize("status", [401, 500])
async def test_P9_errors_hold_no_secret(status: int, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    async with ScriptedPlanner() as server:
        server.on("planning", lambda seen: echo(seen, status), times=None)
        server.on("generating", lambda seen: echo(seen, status), times=None)
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url, **credentials()), records.append)
        with pytest.raises(PlannerError) as planning:
            await client.plan(planner_request())
        with pytest.raises(PlannerError) as generating:
            async with client.generate(planner_request("BEHAVIOR_RUNNING")):
                pass
        await client.close()
    assert_no_secret(planning.value, generating.value, *records, *caplog.messages)
    assert len(records) == 2
    assert_no_secret(vars(client), client)


async def test_P9_bad_lines_and_broken_streams_hold_no_secret():
    async with ScriptedPlanner() as server:
        server.on("generating", Stream(f"debug: {TOKEN}", say("a"), CUT))
        records: list[CallRecord] = []
        client = HttpPlanner(quick_settings(server.url, **credentials()), records.append)
        items = []
        with pytest.raises(PlannerStreamError) as raised:
            async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
                async for item in stream:
                    items.append(item)  # noqa: PERF401 - what came before the failure counts
        await client.close()
    assert isinstance(items[0], BadLine)
    assert items[0].excerpt == "debug: ***"
    assert_no_secret(raised.value, *records)


async def test_P9_a_secret_on_the_edge_of_a_cut_record_is_blanked():
    async with ScriptedPlanner() as server:
        start = '{"targetAchieved": true, "x": "'
        server.on("planning", Reply(body=start + "x" * (1020 - len(start)) + TOKEN + '"}'))
        records: list[CallRecord] = []
        limits = {"call_record_bytes": 1024, **credentials()}
        client = HttpPlanner(quick_settings(server.url, **limits), records.append)
        await client.plan(planner_request())
        await client.close()
    assert TOKEN[:4] not in records[0].answer


async def test_P9_credentials_do_not_follow_a_redirect_elsewhere():
    async with ScriptedPlanner() as server, ScriptedPlanner() as elsewhere:
        server.on("planning", redirect(f"{elsewhere.url}/planning?key={TOKEN}"))
        client = HttpPlanner(quick_settings(server.url, **credentials()), print)
        with pytest.raises(PlannerError, match="not followed") as raised:
            await client.plan(planner_request())
        await client.close()
    assert elsewhere.requests == []
    assert_no_secret(raised.value)


def test_P9_settings_show_no_secret():
    settings = quick_settings("http://ada:p%40ss%20w0rd@planner:1", **credentials())
    assert_no_secret(
        settings, settings.model_dump(), settings.model_dump_json(), settings.public_view()
    )
    shown = settings.public_view()
    assert (shown["planner_token"], shown["planner_headers"]) == ("set", "set")
    assert shown["dslc_base_url"] == "http://planner:1"
    copy = pickle.loads(pickle.dumps(settings))  # noqa: S301 - our own bytes
    assert_no_secret(copy)
