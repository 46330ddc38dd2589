"""What every planner client promises, whichever dialect it speaks (ports.Planner)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from notebook_bcc_ext.adapters.planner.factory import make_planner
from notebook_bcc_ext.errors import PlannerError, PlannerUnavailableError, ProtocolError
from notebook_bcc_ext.ports import CallRecord, Planner
from notebook_bcc_ext.protocol.planner.actions import parse_action
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest
from notebook_bcc_ext.protocol.planner.ndjson import BadLine
from tests.support.planner_answers import RUN, Hang, Reply, add, say
from tests.support.planner_requests import FEEDBACK, planner_request, quick_settings
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 20

pytestmark = [
    pytest.mark.contract,
    pytest.mark.parametrize(
        "choice",
        [
            pytest.param({"dialect": "v2"}, id="v2 streamed"),
            pytest.param({"dialect": "v2", "stream": False}, id="v2 whole"),
            pytest.param({"dialect": "v1"}, id="v1"),
        ],
    ),
]

Choice = dict[str, Any]


async def actions_of(planner: Planner, request: PlannerRequest) -> list[Any]:
    async with planner.generate(request) as stream:
        found = []
        async for item in stream:
            assert not isinstance(item, BadLine)
            found.append(parse_action(item))
        return found


async def test_a_step_of_two_behaviors(choice: Choice):
    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[add("x = 1"), RUN], [say("done")]])
        records: list[CallRecord] = []
        planner = make_planner(quick_settings(server.url, **choice), records.append)
        assert not (await planner.plan(planner_request("STAGE_RUNNING"))).achieved

        start = await planner.plan(planner_request())
        assert not start.achieved
        first = await actions_of(planner, planner_request("BEHAVIOR_RUNNING"))
        assert [action.action for action in first] == ["add", "exec"]
        feedback = planner_request("ACTION_COMPLETED", feedback=FEEDBACK)
        assert (await planner.plan(feedback)).continues

        second = await actions_of(planner, planner_request("BEHAVIOR_RUNNING", iteration=2))
        assert [action.content for action in second] == ["done"]
        feedback = planner_request("ACTION_COMPLETED", iteration=2, feedback=FEEDBACK)
        end = await planner.plan(feedback)
        assert end.achieved
        assert not end.continues
        for state in ("STEP_COMPLETED", "STAGE_COMPLETED"):
            assert (await planner.plan(planner_request(state))).achieved
        await planner.close()
    assert [call.number for call in records] == list(range(1, len(records) + 1))
    assert {call.error for call in records} == {None}
    assert {"planning", "feedback"} <= {call.kind for call in records}


async def test_F6_a_goal_that_is_already_met(choice: Choice):
    async with ScriptedPlanner() as server:
        server.step("s1", achieved=True)
        planner = make_planner(quick_settings(server.url, **choice), print)
        assert (await planner.plan(planner_request())).achieved
        await planner.close()


async def test_F10_an_empty_behavior(choice: Choice):
    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[], [say("x")]])
        planner = make_planner(quick_settings(server.url, **choice), print)
        await planner.plan(planner_request())
        assert await actions_of(planner, planner_request("BEHAVIOR_RUNNING")) == []
        await planner.close()


async def test_P7_failures_are_planner_errors_and_recorded(choice: Choice):
    async with ScriptedPlanner() as server:
        for endpoint in ("planning", "generating", "v1/actions", "v1/reflection"):
            server.on(endpoint, Reply(500, "broken"), times=None)
        records: list[CallRecord] = []
        planner = make_planner(quick_settings(server.url, **choice), records.append)
        with pytest.raises(PlannerUnavailableError, match="broken"):
            await planner.plan(planner_request())
        with pytest.raises(PlannerUnavailableError, match="broken"):
            await actions_of(planner, planner_request("BEHAVIOR_RUNNING"))
        with pytest.raises(PlannerUnavailableError, match="broken"):
            await planner.plan(planner_request("ACTION_COMPLETED", feedback=FEEDBACK))
        assert [(call.kind, call.tries) for call in records] == [
            ("planning", 3),
            ("generating", 3),
            ("feedback", 3),
        ]
        assert all(call.error and call.status == 500 for call in records)
        await planner.close()


async def test_A17_an_action_with_a_missing_field_never_passes(choice: Choice):
    """A whole answer is refused by the client; of a stream, each line by whoever parses it."""
    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[say("fine"), {"action": "exec"}]])
        planner = make_planner(quick_settings(server.url, **choice), print)
        with pytest.raises((PlannerError, ProtocolError), match="codecell_id"):
            await actions_of(planner, planner_request("BEHAVIOR_RUNNING"))
        await planner.close()


async def test_P2_a_request_without_progress_is_refused_locally(choice: Choice):
    async with ScriptedPlanner() as server:
        planner = make_planner(quick_settings(server.url, **choice), print)
        bare = PlannerRequest.parse(
            {"observation": {"location": {}, "context": {"FSM": {"state": "STEP_RUNNING"}}}}
        )
        with pytest.raises(ProtocolError, match="progress_info"):
            await planner.plan(bare)
        assert server.requests == []
        await planner.close()


async def test_cancelling_closes_the_connection(choice: Choice):
    async with ScriptedPlanner() as server, asyncio.timeout(HANG_GUARD):
        hang = Hang()
        for endpoint in ("planning", "v1/actions"):
            server.on(endpoint, hang)
        records: list[CallRecord] = []
        planner = make_planner(quick_settings(server.url, **choice), records.append)
        call = asyncio.create_task(planner.plan(planner_request()))
        await server.was_asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await hang.gone.wait()
        assert [record.error for record in records] == ["cancelled"]
        await planner.close()


async def test_close_may_come_first_and_twice(choice: Choice):
    planner = make_planner(quick_settings("http://127.0.0.1:9", **choice), print)
    await planner.close()
    await planner.close()
