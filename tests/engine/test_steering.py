"""F14: pausing, single steps, limits, and cancelling in the middle of things."""

import asyncio

import pytest

from notebook_bcc_ext.protocol.browser.facts import CellRunning
from tests.engine.harness import HANG_GUARD, lab
from tests.support.planner_answers import RUN, Stream, add, say


def play(room, *behaviors, step="read"):
    room.planner.step(step, behaviors=[list(actions) for actions in behaviors])


async def paused(room):
    async with asyncio.timeout(HANG_GUARD):
        await room.events.until(lambda: room.run.world.gate.paused)


async def go_until_paused(room):
    room.run.start()
    await paused(room)


def done(room):
    return room.run.view().counts.actions_succeeded


# -- F14: pause, step, limits ---------------------------------------------------------------------


async def test_f14_pause_step_and_resume(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("1"), say("2"), say("3"), say("4")])
        room.run.world.registry.after(
            lambda context, action, result: done(room) == 0 and room.run.world.gate.pause(), "add"
        )
        await go_until_paused(room)
        await room.events.until(lambda: done(room) == 1)
        view = room.run.view()
        assert (view.status, view.status_reason, view.state) == (
            "paused",
            "user",
            "action_completed",
        )
        assert view.allowed_commands == ["resume", "step", "cancel"]
        await room.command("step")
        await room.events.until(lambda: done(room) == 2 and room.run.status == "paused")
        assert room.run.view().status_reason == "step"
        assert await room.sources() == ["1", "2"]
        await room.command("resume")
        await room.events.until(lambda: room.run.resting)
        assert room.state == "workflow_completed"
        assert "paused" not in room.states(), "pausing is no state of the machine"


async def test_f14_pause_holds_the_next_call_to_the_planner(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("only")])
        room.run.world.registry.after(lambda *_: room.run.world.gate.pause(), "add")
        await go_until_paused(room)
        await room.events.until(lambda: done(room) == 1)
        await room.run.world.notebook.flush()
        assert (room.state, room.feedback()) == ("action_completed", [])
        await room.command("resume")
        await room.to_rest()
        assert room.state == "workflow_completed"


async def test_f14_max_execution_steps_pauses_after_that_many_actions(tmp_path):
    async with lab(tmp_path, max_execution_steps=2) as room:
        play(room, [say("1"), say("2"), say("3")], [say("4"), say("5")])
        await room.go()
        assert (room.run.status, room.run.view().status_reason) == ("paused", "limit")
        assert await room.sources() == ["1", "2"]
        await room.command("resume")
        await paused(room)
        assert await room.sources() == ["1", "2", "3", "4"]
        await room.command("resume")
        await room.to_rest()
        assert room.state == "workflow_completed"


async def test_f14_interactive_mode_pauses_after_every_action(tmp_path):
    async with lab(tmp_path, interactive_mode=True) as room:
        play(room, [say("1"), say("2")])
        await room.go()
        assert room.run.view().status_reason == "interactive"
        assert await room.sources() == ["1"]
        await room.command("resume")
        await paused(room)
        assert await room.sources() == ["1", "2"]
        await room.command("resume")
        await room.events.until(lambda: room.run.resting)
        assert room.state == "workflow_completed"


async def until_printed(room):
    """Outputs reach the notebook without an event of the run: look again and again."""
    for _ in range(HANG_GUARD * 20):
        if room.run.world.notebook.summary().last_output:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("the cell printed nothing")


# -- cancel ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["as it begins", "in its midst"])
async def test_f14_cancel_while_a_cell_runs_interrupts_the_kernel(tmp_path, when):
    async with lab(tmp_path) as room:
        play(room, [add("import time\nprint('on it', flush=True)\ntime.sleep(3600)"), RUN])
        room.run.start()
        await room.events.until(lambda: room.events.of(CellRunning))
        if when == "in its midst":
            await until_printed(room)
        async with asyncio.timeout(HANG_GUARD):
            await room.command("cancel")
            result = await room.run.world.runner.run("x = 1", "after", lambda changes: None)
        assert result.status == "ok", "the kernel is free again"
        view = room.run.view()
        assert (view.state, view.status, view.error) == ("cancelled", "cancelled", None)
        assert room.path()[-1] == "CANCEL"
        assert room.run.resting
        assert room.run.allowed_commands == ["reset"]
        await room.cells()


async def test_f14_cancel_while_a_stream_is_open_closes_it(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        never = asyncio.Event()
        room.planner.on("generating", Stream({"action": say("first")}, never))
        room.run.start()
        await room.events.until(lambda: done(room) == 1)
        async with asyncio.timeout(HANG_GUARD):
            await room.command("cancel")
            await room.planner.client_left.wait()
        assert (room.state, room.run.status) == ("cancelled", "cancelled")
        assert await room.sources() == ["first"]


async def test_f14_cancel_while_paused_and_while_a_call_is_under_way(tmp_path):
    async with lab(tmp_path, max_execution_steps=1) as room:
        play(room, [say("1"), say("2")])
        await room.go()
        await room.command("cancel")
        assert (room.state, room.run.status) == ("cancelled", "cancelled")
        assert await room.sources() == ["1"]
        await room.command("reset")
        hang = asyncio.Event()

        async def never(seen):
            hang.set()
            await asyncio.Event().wait()

        room.planner.on("planning", never, state="IDLE")
        await room.command("restart")
        async with asyncio.timeout(HANG_GUARD):
            await hang.wait()
            await room.command("cancel")
        assert (room.state, room.run.status) == ("idle", "cancelled")
        assert room.run.resting
