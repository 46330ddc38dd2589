"""N8: a kernel that the person restarted is noticed: its cells run again, or the run rests."""

from __future__ import annotations

import pytest

from tests.engine.harness import lab
from tests.engine.sent import context
from tests.support.planner_answers import RUN, add, say


async def restart_kernel(room):
    await room.run.world.runner.source.close()


async def paused_after(room, actions):
    """The run rests behind that many actions, as if the person had pressed Pause there."""
    await room.go()
    assert (room.run.status, room.run.view().counts.actions) == ("paused", actions)


def rebuild_question(room):
    assert room.run.status == "waiting", room.run.view().error
    pending = room.run.view().pending
    assert pending.kind == "rebuild"
    return pending.content["cell_ids"]


async def resumed(room):
    await room.command("resume")
    await room.to_rest()


@pytest.mark.parametrize("behind", ["the last cell", "a cell of text"])
async def test_c7_a_kernel_restarted_while_paused_is_noticed_at_resume(tmp_path, behind):
    """Before anybody judges, and before the planner is asked for more."""
    async with lab(tmp_path, max_execution_steps=2) as room:
        more = [] if behind == "the last cell" else [say("text")]
        room.planner.step("read", behaviors=[[add("x = 41"), RUN, *more]])
        await paused_after(room, 2)
        await restart_kernel(room)
        await resumed(room)
        assert rebuild_question(room) == [(await room.cells())[0].id]
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        [feedback] = [seen for seen in room.planner.requests if seen.is_feedback]
        assert context(feedback)["variables"]["x"] == 41


async def test_c7_who_does_not_want_the_cells_again_finds_the_run_at_rest(tmp_path):
    async with lab(tmp_path, max_execution_steps=2) as room:
        room.planner.step("read", behaviors=[[add("x = 41"), RUN]])
        await paused_after(room, 2)
        await restart_kernel(room)
        await resumed(room)
        await room.answer("reject")
        view = room.run.view()
        assert (view.status, view.status_reason, view.error) == ("paused", "kernel", None)
        assert {"resume", "cancel"} <= set(view.allowed_commands)
        assert not any(seen.is_feedback for seen in room.planner.requests), "nobody judged"
        await resumed(room)
        rebuild_question(room)
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        assert "FAIL" not in room.path()


async def test_c7_nobody_is_asked_where_nobody_is_to_be_asked(tmp_path):
    async with lab(tmp_path, request={"approval": "none"}, max_execution_steps=2) as room:
        room.planner.step("read", behaviors=[[add("x = 41"), RUN]])
        await paused_after(room, 2)
        await restart_kernel(room)
        await resumed(room)
        assert room.state == "workflow_completed", room.run.view().error
        [feedback] = [seen for seen in room.planner.requests if seen.is_feedback]
        assert context(feedback)["variables"]["x"] == 41


async def test_c7_before_a_cell_runs_its_kernel_is_looked_at(tmp_path):
    async with lab(tmp_path, max_execution_steps=3) as room:
        cells = [add("x = 41"), RUN, add("print(x + 1)"), RUN]
        room.planner.step("read", behaviors=[cells])
        await paused_after(room, 3)
        await restart_kernel(room)
        await resumed(room)
        rebuild_question(room)
        await room.answer("reject")
        assert (room.run.status, room.run.view().status_reason) == ("paused", "kernel")
        assert room.state == "action_completed", "the cell has not begun"
        await resumed(room)
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        assert (await room.cells())[1].outputs[0].text == "42\n"


async def test_c7_cells_that_a_retry_replaces_are_not_run_again(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        room.planner.step("read", behaviors=[[add("x = 41", store_id="first"), RUN]])
        deadly = [add("y = 1", store_id="second"), RUN, add("import os; os._exit(1)"), RUN]
        room.planner.step("check", behaviors=[deadly])
        await room.go()
        assert room.state == "error"
        better = [add("print(x + 1)", store_id="third"), RUN]
        room.planner.step("check", behaviors=[better])
        await room.command("retry")
        await room.to_rest()
        assert rebuild_question(room) == ["first"]
        await room.answer("confirm")
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x = 41", "print(x + 1)"]
