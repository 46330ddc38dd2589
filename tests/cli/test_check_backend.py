"""`check-backend` names each violation of a planner service (J8), over real loopback HTTP."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

import pytest

from notebook_bcc_ext.cli import check_backend as command
from notebook_bcc_ext.cli.check_backend import USUAL_VARIABLES, check_backend, report
from notebook_bcc_ext.cli.planner_conformance import Finding
from tests.support.planner_answers import RUN, Hang, Raw, Reply, SeenRequest, Stream, add, say
from tests.support.planner_requests import quick_settings
from tests.support.planner_server import ScriptedPlanner

WORKFLOW = {"load": ["read"]}


def strict(server: ScriptedPlanner) -> None:
    """A service that keeps to the protocol: it also refuses what is no request."""

    def refuse(seen: SeenRequest) -> Reply:
        return Reply(422, {"error": "not a request"})

    for endpoint in ("planning", "v1/actions"):
        server.on(endpoint, refuse, times=None, is_request=False)
    server.workflow(WORKFLOW)
    server.step("read", behaviors=[[add("x = 1"), RUN]])
    server.step("step_1", behaviors=[[add("x = 1"), RUN]])


def violations(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.row, finding.check) for finding in findings if not finding.ok]


@pytest.mark.parametrize("dialect", ["v2", "v1"])
async def test_J8_a_service_that_keeps_to_the_protocol(dialect: str):
    async with ScriptedPlanner() as server:
        strict(server)
        findings = await check_backend(quick_settings(server.url, dialect=dialect))
    assert violations(findings) == []
    rows = {finding.row for finding in findings}
    expected = {"P2", "P7", "P8", "A17"} if dialect == "v1" else {
        "P2", "P3", "P4", "P5", "P7", "F6", "F7", "U3", "U4", "A17",
    }  # fmt: skip
    assert expected <= rows


async def test_it_asks_with_the_planners_own_workflow_and_variables():
    async with ScriptedPlanner() as server:
        strict(server)
        await check_backend(quick_settings(server.url), {"data_path": "x.csv"})
    stage = next(
        seen for seen in server.requests if seen.is_request and seen.state == "STAGE_RUNNING"
    )
    location = stage.body["observation"]["location"]
    assert location["current"]["stage_id"] == "load"
    assert location["progress"]["steps"]["remaining"] == ["read"]
    assert stage.body["observation"]["context"]["variables"] == {"data_path": "x.csv"}


TWO_STAGES = {
    "stages": [{"id": "a", "steps": [{"id": "s"}, {"id": "s"}]}, {"id": "a", "steps": []}]
}


@pytest.mark.parametrize(
    ("endpoint", "match", "answer", "violation", "seen"),
    [
        ("planning", {"state": "STEP_RUNNING"}, Reply(500, "oops"), ("F6", "step"), "HTTP 500"),
        ("planning", {"state": "STEP_RUNNING"}, {"note": 1}, ("F6", "verdict"), "note"),
        (
            "planning",
            {"state": "STAGE_RUNNING"},
            Reply(body="[]"),
            ("P3", "content type"),
            "text/html",
        ),
        ("planning", {"state": "STAGE_RUNNING"}, Reply(body="{"), ("P3", "body"), "it is not JSON"),
        ("planning", {"state": "STAGE_RUNNING"}, Raw(b""), ("F7", "stage"), "connection broke"),
        (
            "planning",
            {"state": "STEP_RUNNING"},
            {
                "targetAchieved": False,
                "context_update": {"todo_list_update": {"operation": "drop"}},
            },
            ("P6", "fields"),
            "todo_list_update",
        ),
        (
            "planning",
            {"state": "STEP_RUNNING"},
            {"targetAchieved": False, "context_filter": {"focus_to_include": "all"}},
            ("O11", "fields"),
            "focus_to_include",
        ),
        (
            "planning",
            {"state": "IDLE"},
            {"context_update": {"workflow_update": {"stages": [{"name": "no id"}]}}},
            ("U4", "fields"),
            "missing",
        ),
        (
            "planning",
            {"state": "IDLE"},
            {"context_update": {"workflow_update": TWO_STAGES}},
            ("U4", "workflow_update"),
            "stage id 'a' occurs more than once",
        ),
        (
            "planning",
            {"is_feedback": True},
            {"context_update": {}},
            ("P5", "verdict"),
            "context_update",
        ),
        ("generating", {}, Stream("garbage", say("x")), ("P4", "NDJSON"), "line 1 of the stream"),
        ("generating", {}, Stream({"action": "exec"}), ("A17", "actions"), "codecell_id"),
        ("generating", {}, Stream({"action": "dance"}), ("A17", "actions"), "dance"),
        (
            "generating",
            {},
            Stream(say("x"), content_type="text/html"),
            ("P4", "content"),
            "text/html",
        ),
        ("generating", {}, Reply(body={"actions": []}), ("P4", "one action a line"), "all actions"),
    ],
)
async def test_J8_each_violation_is_named(
    endpoint: str,
    match: dict[str, Any],
    answer: Any,
    violation: tuple[str, str],
    seen: str,
):
    async with ScriptedPlanner() as server:
        server.on(endpoint, answer, is_request=True, **match)
        strict(server)
        findings = await check_backend(quick_settings(server.url))
    row, check = violation
    wrong = [finding for finding in findings if not finding.ok]
    assert any(
        finding.row == row and check in finding.check and seen in finding.seen for finding in wrong
    ), report(server.url, findings)


async def test_J8_a_service_that_breaks_on_bad_requests():
    async with ScriptedPlanner() as server:
        server.on("planning", Reply(500, "Traceback"), times=None, is_request=False)
        strict(server)
        findings = await check_backend(quick_settings(server.url))
    assert violations(findings) == [
        ("P7", "a body that is not JSON is refused"),
        ("P7", "a body without an observation is refused"),
    ]


async def test_a_fallback_endpoint_and_custom_actions_are_fine():
    async with ScriptedPlanner() as server:
        server.has_generating = False
        strict(server)
        server.step("read", behaviors=[[{"action": "dance"}]])
        settings = quick_settings(server.url)
        findings = await check_backend(settings, custom_actions=frozenset({"dance"}))
    assert violations(findings) == []
    assert ("P1", "generating at /generate") in [(f.row, f.check) for f in findings]


async def test_a_service_that_hangs_ends_in_one_sentence():
    async with ScriptedPlanner() as server, asyncio.timeout(20):
        server.on("planning", Hang(), times=None)
        findings = await check_backend(quick_settings(server.url, read_timeout=0.05))
    assert len(findings) == 1
    assert "no answer within 0.05 s" in findings[0].seen


async def test_the_token_is_sent_and_not_shown():
    async with ScriptedPlanner() as server:
        server.on("planning", lambda seen: Reply(500, {"you": dict(seen.headers)}), times=None)
        findings = await check_backend(quick_settings(server.url, planner_token="s3cret-token"))
    assert server.requests[0].headers["Authorization"] == "Bearer s3cret-token"
    assert "s3cret-token" not in report(server.url, findings)


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(arguments)


async def run_command(*arguments: str) -> int:
    """The command starts an event loop of its own, as on a terminal: hence the thread."""
    return await asyncio.to_thread(command.execute, parsed(*arguments))


async def test_J8_exit_0_when_clean(capsys: pytest.CaptureFixture[str]):
    async with ScriptedPlanner() as server:
        strict(server)
        assert await run_command(server.url, "--var", "n=3", "--var", "name=a b") == 0
    assert "no violations." in capsys.readouterr().out
    context = server.requests[0].body["observation"]["context"]
    assert context["variables"] == {**USUAL_VARIABLES, "n": 3, "name": "a b"}


async def test_J8_exit_1_with_each_violation_in_the_report(capsys: pytest.CaptureFixture[str]):
    async with ScriptedPlanner() as server:
        server.on("planning", Reply(500, "oops"), state="STEP_RUNNING", is_request=True, times=None)
        strict(server)
        assert await run_command(server.url) == 1
        shown = capsys.readouterr().out
        assert await run_command(server.url, "--json") == 1
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "VIOLATION  F6  planning at the start of a step" in shown
    assert "expected: HTTP 2xx" in shown
    assert "seen: HTTP 500" in shown
    assert [(line["row"], line["check"]) for line in lines if not line["ok"]] == [
        ("F6", "planning at the start of a step"),
        ("P2", "unknown fields are accepted"),
    ]


async def test_J8_exit_1_when_nobody_listens(capsys: pytest.CaptureFixture[str]):
    async with ScriptedPlanner() as server:
        address = server.url
    assert await run_command(address) == 1
    shown = capsys.readouterr().out
    assert "VIOLATION  P1  " in shown
    assert "No planner service answers there." in shown
    assert f"seen: {address}/planning: no connection" in shown
