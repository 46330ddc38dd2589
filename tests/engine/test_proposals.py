"""U1-U9: what the person is asked, and what each answer does to the run."""

import asyncio

import pytest

from notebook_bcc_ext.errors import BccError, IllegalCommandError
from notebook_bcc_ext.protocol.browser.facts import Answered
from tests.engine.harness import lab
from tests.support.planner_answers import RUN, add, say

PLAN = {"a": ["s1", "s2"], "b": ["s3"]}
MORE = {
    "name": "scripted",
    "stages": [
        {
            "id": "a",
            "goal": "goal of a",
            "steps": [{"id": "s1", "goal": "goal of s1"}, {"id": "s2", "goal": "goal of s2"}],
        },
        {"id": "b", "goal": "goal of b", "steps": [{"id": "s3", "goal": "goal of s3"}]},
        {"id": "c", "goal": "goal of c", "steps": [{"id": "s4", "goal": "goal of s4"}]},
    ],
}
STEPS = {
    "stage_id": "a",
    "updated_steps": [
        {"id": "s1", "goal": "goal of s1"},
        {"id": "extra"},
        {"id": "s2", "goal": "goal of s2"},
    ],
}


def script(planner):
    for step in ("s1", "s2", "s3", "s4", "extra"):
        planner.step(step, behaviors=[[say(step)]])


PLACES = {
    "action update_workflow": ("action", {"action": "update_workflow", "updated_workflow": MORE}),
    "step start context_update": ("STEP_RUNNING", {"context_update": {"workflow_update": MORE}}),
    "step start transition": ("STEP_RUNNING", {"transition": {"workflow_update": MORE}}),
    "feedback context_update": ("feedback", {"context_update": {"workflow_update": MORE}}),
    "feedback transition": ("feedback", {"transition": {"workflow_update": MORE}}),
    "stage start": ("STAGE_RUNNING", {"context_update": {"workflow_update": MORE}}),
    "after last step": ("STEP_COMPLETED", {"context_update": {"workflow_update": MORE}}),
    "after last stage": ("STAGE_COMPLETED", {"context_update": {"workflow_update": MORE}}),
}
STEP_PLACES = {
    "action update_stage_steps": ("action", {"action": "update_stage_steps", **STEPS}),
    "step start": ("STEP_RUNNING", {"context_update": {"stage_steps_update": STEPS}}),
    "feedback": ("feedback", {"context_update": {"stage_steps_update": STEPS}}),
    "after last step": ("STEP_COMPLETED", {"context_update": {"stage_steps_update": STEPS}}),
}


def propose(planner, place):
    where, answer = place
    if where == "action":
        planner.step("s1", behaviors=[[say("s1"), answer]])
    elif where == "feedback":
        planner.on(
            "planning", {"targetAchieved": True, **answer}, is_feedback=True, step="s1", times=1
        )
    else:
        achieved = where in ("STEP_COMPLETED", "STAGE_COMPLETED")
        planner.on("planning", {"targetAchieved": achieved, **answer}, state=where, times=1)


@pytest.mark.parametrize("place", PLACES)
async def test_u1_u6_a_workflow_confirmed(tmp_path, place):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, PLACES[place])
        await room.go()
        assert (room.state, room.run.status) == ("workflow_update_pending", "waiting")
        pending = room.run.view().pending
        assert pending is not None
        assert [(c.change, c.level, c.id) for c in pending.changes] == [("added", "stage", "c")]
        await room.answer("confirm", proposal_id=pending.id)
        assert room.state == "workflow_completed", room.run.view().error
        sources = await room.sources()
        assert sorted(sources) == ["s1", "s2", "s3", "s4"]
        assert room.run.view().counts.plan_revisions == 1


@pytest.mark.parametrize("place", PLACES)
async def test_u1_u6_a_workflow_rejected_changes_nothing(tmp_path, place):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, PLACES[place])
        await room.go()
        await room.answer("reject", reason="too long")
        assert room.state == "workflow_completed", room.run.view().error
        assert sorted(await room.sources()) == ["s1", "s2", "s3"]
        told = [str(s.body["observation"]["context"]["effects"]) for s in room.planner.requests]
        assert place == "after last stage" or any("too long" in effects for effects in told)


@pytest.mark.parametrize("place", STEP_PLACES)
async def test_u1_u7_steps_confirmed(tmp_path, place):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, STEP_PLACES[place])
        await room.go()
        assert (room.state, room.run.status) == ("step_update_pending", "waiting")
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        late = place == "after last step"
        assert await room.sources() == (
            ["s1", "s2", "extra", "s3"] if late else ["s1", "extra", "s2", "s3"]
        )


@pytest.mark.parametrize("place", STEP_PLACES)
async def test_u7_steps_rejected_is_an_error_with_remedies(tmp_path, place):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, STEP_PLACES[place])
        await room.go()
        await room.answer("reject", reason="no")
        assert (room.state, room.run.status) == ("error", "failed")
        error = room.run.view().error
        assert error is not None
        assert error.message == "the proposed list of steps was rejected: no"
        assert {"restart", "retry", "reset"} <= set(error.remedies)
        if place != "action update_stage_steps":
            await room.command("retry")
            await room.to_rest()
            assert room.state == "workflow_completed", room.run.view().error


async def test_u2_feedback_with_goal_met_still_asks_first(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, PLACES["feedback context_update"])
        await room.go()
        assert room.path()[-3:] == ["COMPLETE_ACTION", "NEXT_ACTION", "UPDATE_WORKFLOW"]
        await room.answer("confirm")
        path = room.path()
        asked = path.index("UPDATE_WORKFLOW_CONFIRMED")
        assert path[asked : asked + 3] == [
            "UPDATE_WORKFLOW_CONFIRMED",
            "COMPLETE_BEHAVIOR",
            "COMPLETE_STEP",
        ]


async def test_u3_the_first_workflow_is_adopted_unasked_and_may_need_approval(tmp_path):
    async with lab(tmp_path, PLAN, approve_plan=True) as room:
        script(room.planner)
        await room.go()
        assert (room.state, room.run.status) == ("idle", "waiting")
        pending = room.run.view().pending
        assert pending is not None
        assert pending.kind == "plan"
        edited = {"name": "shorter", "stages": [{"id": "b", "steps": [{"id": "s3"}]}]}
        await room.answer("confirm", edited=edited)
        assert room.state == "workflow_completed"
        assert await room.sources() == ["s3"]


async def test_u3_a_rejected_plan_runs_nothing(tmp_path):
    async with lab(tmp_path, PLAN, approve_plan=True) as room:
        await room.go()
        await room.answer("reject")
        assert (room.state, room.run.status) == ("idle", "cancelled")
        assert await room.sources() == []


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"stages": []}, "no stages"),
        ({"stages": [{"id": "a", "steps": []}]}, "stage 'a' has no steps"),
        ({"stages": [{"id": "a", "steps": [{"id": "s"}]}] * 2}, "'a' is used twice"),
        ({"stages": [{"id": "a", "steps": [{"id": "s"}] * 2}]}, "'s' is used twice"),
    ],
)
async def test_u4_an_unsound_workflow_fails_its_action(tmp_path, update, reason):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, ("action", {"action": "update_workflow", "updated_workflow": update}))
        await room.go()
        assert room.state == "error"
        assert reason in room.run.view().error.message


async def test_u5_edit_and_confirm(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, STEP_PLACES["step start"])
        await room.go()
        with pytest.raises(BccError, match="used twice"):
            twice = {"stage_id": "a", "updated_steps": [{"id": "x"}] * 2}
            await room.command("confirm", edited=twice)
        assert room.run.status == "waiting"
        steps = [{"id": "s1"}, {"id": "s2"}]
        await room.answer("confirm", edited={"stage_id": "a", "updated_steps": steps})
        assert await room.sources() == ["s1", "s2", "s3"]


async def test_u6_when_the_current_stage_vanishes_the_run_goes_on_elsewhere(tmp_path):
    new = {"stages": [MORE["stages"][1], MORE["stages"][2]]}
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        action = {"action": "update_workflow", "updated_workflow": new, "nextStageId": "c"}
        room.planner.step("s1", behaviors=[[say("s1"), action, say("never")]])
        await room.go()
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["s1", "s4", "s3"]


async def test_u8_cancel_while_pending(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, PLACES["step start transition"])
        await room.go()
        await room.command("cancel")
        assert (room.state, room.run.status) == ("cancelled", "cancelled")
        assert room.run.view().pending is None
        assert room.run.allowed_commands == ["reset"]


async def test_u8_the_first_answer_wins_and_the_second_is_told(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        script(room.planner)
        propose(room.planner, PLACES["step start transition"])
        await room.go()
        pending = room.run.view().pending
        assert pending is not None
        answers = await asyncio.gather(
            room.command("confirm", by="Ann", proposal_id=pending.id),
            room.command("reject", by="Bo", proposal_id=pending.id),
            return_exceptions=True,
        )
        assert answers[0] is None
        assert isinstance(answers[1], IllegalCommandError)
        assert "already confirmed by Ann" in str(answers[1])
        await room.to_rest()
        assert sorted(await room.sources()) == ["s1", "s2", "s3", "s4"]


async def test_u9_behaviors_and_code_are_asked_for(tmp_path):
    async with lab(tmp_path, {"a": ["s1"]}, request={"approval": "code"}) as room:
        room.planner.step("s1", behaviors=[[add("x = 1"), RUN]])
        await room.go()
        assert room.run.view().pending.kind == "behavior"
        assert room.state == "behavior_running"
        await room.answer("confirm")
        assert room.run.view().pending.kind == "code"
        assert room.state == "action_running"
        await room.answer("confirm")
        assert room.state == "workflow_completed"


async def test_u9_a_refused_behavior_is_reported_to_the_planner(tmp_path):
    async with lab(tmp_path, {"a": ["s1"]}, request={"approval": "behaviors"}) as room:
        room.planner.step("s1", behaviors=[[say("x")]])
        await room.go()
        await room.answer("reject", reason="not now")
        assert room.feedback()[0]["last_action_result"] == "rejected by the person: not now"
        assert await room.sources() == []


async def test_u9_none_confirms_by_itself(tmp_path):
    async with lab(tmp_path, PLAN, request={"approval": "none"}) as room:
        script(room.planner)
        propose(room.planner, PLACES["step start transition"])
        await room.go()
        assert room.state == "workflow_completed"
        assert room.events.of(Answered)[0].decision.decided_by == "policy"
