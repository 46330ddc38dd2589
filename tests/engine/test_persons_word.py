"""U2, U9, N8: what the person does not allow is no failure, and what they edit is what runs."""

import pytest

from notebook_bcc_ext.errors import BccError
from tests.engine.harness import lab
from tests.support.planner_answers import RUN, add, say

NEITHER = {"targetAchieved": False, "transition": {"continue_behaviors": False}}
STEPS = {"stage_id": "load", "updated_steps": [{"id": "read"}, {"id": "check"}]}


async def confirm_all(room):
    while room.run.status == "waiting":
        await room.answer("confirm")


async def to_code(room):
    await room.go()
    assert room.run.view().pending.kind == "behavior"
    await room.answer("confirm")
    assert room.run.view().pending.kind == "code"


async def test_c7_a_cell_that_is_not_allowed_is_no_failure(tmp_path):
    async with lab(tmp_path, request={"approval": "code"}) as room:
        room.planner.step("read", behaviors=[[add("x = 1"), RUN, say("after")]])
        room.planner.on("planning", NEITHER, is_feedback=True, times=1)
        await to_code(room)
        await room.answer("reject", reason="not on Fridays")
        assert (room.state, room.run.status) == ("action_completed", "paused")
        view = room.run.view()
        assert view.error is not None
        assert view.error.kind == "NotAllowed"
        assert view.error.message.startswith("you did not allow")
        assert room.run.allowed_commands == ["retry", "cancel"]
        assert "FAIL" not in room.path()
        assert (view.counts.actions_failed, view.counts.actions_skipped) == (0, 2)
        [feedback] = room.feedback()
        assert feedback["last_action_result"] == "rejected by the person: not on Fridays"
        assert feedback["actions_skipped"] == 2
        nodes = room.run.world.ledger.activity.nodes()
        assert [n.status for n in nodes if n.level == "action"] == ["done", "skipped"]

        await room.command("retry")
        await room.to_rest()
        await confirm_all(room)
        assert room.state == "workflow_completed", room.run.view().error
        assert room.run.view().error is None
        assert "after" in await room.sources()
        assert {s.state for s in room.planner.seen("/generating")} == {"BEHAVIOR_RUNNING"}


async def test_c7_a_behavior_that_is_not_allowed_is_no_failure(tmp_path):
    async with lab(tmp_path, request={"approval": "behaviors"}) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on("planning", NEITHER, is_feedback=True, times=1)
        await room.go()
        await room.answer("reject")
        assert (room.state, room.run.status) == ("behavior_running", "paused")
        assert room.run.view().error.kind == "NotAllowed"
        await room.command("retry")
        await room.to_rest()
        await confirm_all(room)
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x"]


async def test_c7_a_planner_that_knows_another_way_goes_on(tmp_path):
    async with lab(tmp_path, request={"approval": "code"}) as room:
        room.planner.step("read", behaviors=[[add("x = 1"), RUN], [say("another way")]])
        await to_code(room)
        await room.answer("reject")
        await confirm_all(room)
        assert room.state == "workflow_completed", room.run.view().error
        assert (await room.sources())[-1] == "another way"


async def test_b8_the_person_edits_the_code_that_is_run(tmp_path):
    async with lab(tmp_path, request={"approval": "code"}) as room:
        room.planner.step("read", behaviors=[[add("print(1)"), RUN]])
        await to_code(room)
        for wrong in ({"source": 5}, {"code": "x"}):
            with pytest.raises(BccError, match="source"):
                await room.command("confirm", edited=wrong)
        assert room.run.status == "waiting"
        await room.answer("confirm", edited={"source": "print(40 + 2)"})
        assert room.state == "workflow_completed", room.run.view().error
        [cell] = await room.cells()
        assert cell.source == "print(40 + 2)"
        assert cell.outputs[0]["text"] == "42\n"
        assert room.run.view().decision.edited
        told = room.planner.seen("/planning")[-1].body["observation"]["context"]["effects"]
        assert "The person changed the code" in str(told)


async def test_b8_what_cannot_be_edited_is_refused(tmp_path):
    async with lab(tmp_path, request={"approval": "behaviors"}) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        await room.go()
        with pytest.raises(BccError, match="cannot be edited"):
            await room.command("confirm", edited={"goal": "another"})
        assert room.run.status == "waiting"


@pytest.mark.parametrize("policy", ["updates", "behaviors"])
async def test_u2_actions_are_asked_for_in_behavior_running(tmp_path, policy):
    async with lab(tmp_path, request={"approval": policy}) as room:
        for step in ("read", "check"):
            room.planner.step(step, behaviors=[[say(step)]])
        answer = {"targetAchieved": False, "context_update": {"stage_steps_update": STEPS}}
        room.planner.on("planning", answer, state="STEP_RUNNING", step="read", times=1)
        await room.go()
        await confirm_all(room)
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["read", "check"]
        assert {s.state for s in room.planner.seen("/generating")} == {"BEHAVIOR_RUNNING"}
        path = room.path()
        assert path[2:8] == [
            "START_BEHAVIOR",
            "START_ACTION",
            "UPDATE_STEP",
            "UPDATE_STEP_CONFIRMED",
            "NEXT_ACTION",
            "COMPLETE_ACTION",
        ]


async def test_u2_a_proposal_is_asked_also_where_the_behavior_was_not_allowed(tmp_path):
    async with lab(tmp_path, request={"approval": "behaviors"}) as room:
        room.planner.step("read", behaviors=[[say("read")]])
        room.planner.step("check", behaviors=[[say("check")]])
        answer = {"targetAchieved": False, "context_update": {"stage_steps_update": STEPS}}
        room.planner.on("planning", answer, state="STEP_RUNNING", step="read", times=1)
        await room.go()
        assert room.run.view().pending.kind == "behavior"
        await room.answer("reject")
        assert room.run.view().pending.kind == "steps"
        await confirm_all(room)
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["check"]


async def test_c10_an_interrupt_is_told_as_one(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add("raise KeyboardInterrupt"), RUN]])
        await room.go()
        error = room.run.view().error
        assert (error.kind, error.message) == ("CellInterrupted", "the cell was interrupted")
