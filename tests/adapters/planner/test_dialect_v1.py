"""The older dialect (P8) behind the same port, over real loopback HTTP."""

from __future__ import annotations

import pytest

from notebook_bcc_ext.adapters.planner.dialect_v1 import V1Planner
from notebook_bcc_ext.errors import PlannerError
from notebook_bcc_ext.ports import CallRecord
from tests.support.planner_answers import Reply, say
from tests.support.planner_requests import FEEDBACK, planner_request, quick_settings
from tests.support.planner_server import ScriptedPlanner

REFLECT = planner_request("ACTION_COMPLETED", feedback=FEEDBACK, toDoList=["a", "b", "c"])


async def test_P8_the_requests_are_in_the_flat_form():
    async with ScriptedPlanner() as server:
        server.step("s1", behaviors=[[say("x")]])
        client = V1Planner(quick_settings(server.url), print)
        await client.plan(planner_request(toDoList=["a"], variables={"dfTrain": 1}))
        await client.plan(planner_request("ACTION_COMPLETED", feedback=FEEDBACK))
        await client.close()
    actions, reflection = server.requests
    assert (actions.method, actions.path) == ("GET", "/v1/actions")
    assert actions.body["observation"]["location"] == {
        "current_stage_id": "stage",
        "current_step_id": "s1",
        "behavior_id": "behavior_001",
        "behavior_iteration": 1,
    }
    assert actions.body["observation"]["context"]["toDoList"] == ["a"]
    assert actions.body["observation"]["context"]["variables"] == {"dfTrain": 1}
    assert (reflection.method, reflection.path) == ("POST", "/v1/reflection")
    assert reflection.body["behavior_feedback"] == FEEDBACK


async def test_P8_the_answer_that_judged_the_step_is_played_without_a_second_fetch():
    async with ScriptedPlanner() as server:
        server.on(
            "v1/actions",
            {
                "behavior": {"id": "b1", "iteration": 1, "target": "t"},
                "actions": [{"type": "add_content", "content_type": "text", "content": "x"}],
                "transition": {"continue_behaviors": True, "target_achieved": True},
                "context_update": {"variables": {"seen": 1}},
                "metadata": {"target_achieved": True, "estimated_remaining_behaviors": 2},
            },
        )
        records: list[CallRecord] = []
        client = V1Planner(quick_settings(server.url), records.append)
        start = await client.plan(planner_request())
        # There are actions to run: what they achieve is for the reflection to say.
        assert not start.achieved
        assert not start.continues
        assert start.context_update.variables == {"seen": 1}
        assert start.metadata.estimated_remaining_behaviors == 2
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            assert stream.behavior is not None
            assert stream.behavior.id == "b1"
            assert [item["content"] async for item in stream] == ["x"]
        assert [call.kind for call in records] == ["planning"]

        server.on("v1/actions", {"actions": [say("again")]})
        async with client.generate(planner_request("BEHAVIOR_RUNNING")) as stream:
            assert [item["content"] async for item in stream] == ["again"]
        assert len(server.requests) == 2
        await client.close()


@pytest.mark.parametrize(
    ("answer", "achieved", "continues"),
    [
        ({"targetAchieved": True}, True, False),
        ({"targetAchieved": False}, False, True),
        ({"target_achieved": False, "transition": {"continue_behaviors": False}}, False, False),
        ({"transition": {"continue_behaviors": True}}, False, True),
        ({"metadata": {"target_achieved": True}}, True, False),
        ({"context_update": {"variables": {"x": 1}}}, False, False),
    ],
)
async def test_P8_F8_what_a_reflection_means(
    answer: dict[str, object], *, achieved: bool, continues: bool
):
    async with ScriptedPlanner() as server:
        server.on("v1/reflection", answer)
        client = V1Planner(quick_settings(server.url), print)
        verdict = await client.plan(REFLECT)
        assert (verdict.achieved, verdict.continues) == (achieved, continues)
        await client.close()


async def test_P6_updates_that_come_with_fetched_actions_are_told_before_the_actions():
    workflow = {"stages": [{"id": "stage", "steps": [{"id": "s1"}]}]}
    async with ScriptedPlanner() as server:
        server.on(
            "v1/actions",
            {
                "actions": [say("x")],
                "transition": {"next_step_id": "s9", "workflow_update": workflow},
                "context_update": {"variables": {"one": 1}},
            },
        )
        server.on("v1/reflection", {"targetAchieved": True})
        client = V1Planner(quick_settings(server.url), print)
        async with client.generate(planner_request("BEHAVIOR_RUNNING", iteration=2)) as stream:
            assert stream.beside is not None
            assert stream.beside.context_update.variables == {"one": 1}
            assert stream.beside.transition.workflow_update is not None
            assert [item async for item in stream] == [say("x")]
        answer = await client.plan(REFLECT)
        assert answer.achieved
        # Where to go on is asked for after the actions; the update itself was told, once.
        assert answer.transition.next_step_id == "s9"
        assert answer.transition.workflow_update is None
        assert answer.context_update.variables == {}
        assert (await client.plan(REFLECT)).transition.next_step_id is None
        await client.close()


async def test_P8_a_reflection_may_bring_the_next_behavior_along():
    async with ScriptedPlanner() as server:
        server.on("v1/reflection", {"targetAchieved": False, "actions": [say("next")]})
        client = V1Planner(quick_settings(server.url), print)
        assert (await client.plan(REFLECT)).continues
        async with client.generate(planner_request("BEHAVIOR_RUNNING", iteration=2)) as stream:
            assert [item async for item in stream] == [say("next")]
        assert [seen.path for seen in server.requests] == ["/v1/reflection"]
        await client.close()


@pytest.mark.parametrize(
    ("state", "achieved"),
    [
        ("IDLE", False),
        ("STAGE_RUNNING", False),
        ("STEP_COMPLETED", True),
        ("STAGE_COMPLETED", True),
    ],
)
async def test_P8_levels_the_dialect_does_not_know_need_no_call(state: str, *, achieved: bool):
    async with ScriptedPlanner() as server:
        client = V1Planner(quick_settings(server.url), print)
        answer = await client.plan(planner_request(state))
        assert answer.achieved is achieved
        assert answer.context_update.workflow_update is None
        assert server.requests == []
        await client.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Reply(body={}), "none of the fields"),
        (Reply(body={"actions": "x"}), "'actions' is not valid"),
        (Reply(body={"actions": [say(str(n)) for n in range(4)]}), "has 4 actions, more than"),
        (Reply(body={"actions": [{"action": "add"}]}), "action 1 of 1: .*content"),
        (Reply(404, "?"), "HTTP 404"),
    ],
)
async def test_P8_unusable_answers(answer: Reply, reason: str):
    async with ScriptedPlanner() as server:
        server.on("v1/actions", answer)
        client = V1Planner(quick_settings(server.url, max_actions_per_behavior=3), print)
        with pytest.raises(PlannerError, match=reason):
            await client.plan(planner_request())
        await client.close()
