"""Taking up a run that a stopped or killed process left behind (F12, U8, A17).

Its facts say how far it came. Nothing is done twice without the person's word: what an action wrote
is stored together with the word of it, a cell that may have run is asked about, and a lost kernel
is rebuilt only on request.
"""

from __future__ import annotations

from contextlib import suppress

from notebook_bcc_ext.engine.approval import Approval
from notebook_bcc_ext.engine.attempts import clear_away
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.protocol.browser.facts import (
    ActionEnded,
    ActionUndone,
    KernelFound,
    KernelStarting,
)
from notebook_bcc_ext.protocol.states import Event, State


async def reconnect(world: World, approval: Approval) -> None:
    """The notebook and a kernel again, and what became of the action that was under way."""
    # Before the first stage nothing was written, so a missing notebook is made.
    await world.notebook.open(again=world.state.has_workflow)
    conclude(world)
    world.ledger.sign(KernelStarting())
    await world.runner.start(world.state.kernel)
    await notice_new_kernel(world, approval)


def conclude(world: World) -> None:
    """The action that was under way has done its work, so it is done; or it has still to be.

    A cell that may have been running, or that failed, leaves it under way until its line comes
    again: then the person decides, or the failure is dealt with.
    """
    ledger, action = world.ledger, world.state.under_way
    if action is not None and (action.cells or action.ran == "ok"):
        cell_id = action.cell_id or action.cells[-1]
        ledger.record(
            ActionEnded(
                number=action.number,
                action_id=action.action_id,
                type=action.type,
                success=True,
                cell_id=cell_id,
            )
        )
    elif action is not None and action.cell_id is None:
        ledger.record(ActionUndone())
    if (
        world.state.state in (State.ACTION_RUNNING, State.ACTION_COMPLETED)
        and world.state.kept_verdict is None
    ):
        # Actions are asked for in `behavior_running`, to which the table has one way back.
        ledger.fire(Event.FAIL, going_on=True)
        ledger.fire(Event.START_BEHAVIOR, going_on=True)


async def notice_new_kernel(world: World, approval: Approval) -> None:
    """The cells of this run ran in another kernel, or in an earlier life of this one: they are run
    again there, or the run rests until the person wants it (N8)."""
    while (identity := await _kernel_now(world)) is not None and identity != world.state.kernel:
        if world.state.kernel is None or await _made_good(world, approval):
            world.ledger.record(KernelFound(identity=identity))
        else:
            world.pause("kernel")
            await world.passage()


async def _made_good(world: World, approval: Approval) -> bool:
    """Whether the kernel has again what the cells of this run gave it."""
    # Cells whose place a new attempt takes are not to run again.
    await clear_away(world)
    cells = list(world.state.executed_cells)
    if not cells:
        return True
    return await approval.of_rebuild(cells) and await _rebuild(world, cells)


async def _kernel_now(world: World) -> str | None:
    """The person may have restarted or changed it since anybody looked."""
    if world.state.kernel is not None:
        with suppress(BccError):  # What is wrong with it, the next cell will say.
            await world.runner.start()
    return world.runner.identity


async def _rebuild(world: World, cell_ids: list[str]) -> bool:
    """False when it was broken off, so that variables are missing."""
    for cell_id in cell_ids:
        text = await world.notebook.text_of(cell_id)
        if text is None or text.cell_type != "code":
            continue
        await world.notebook.start_execution(cell_id)
        result = await world.runner.run(text.source, cell_id, world.notebook.post_outputs)
        world.notebook.finish_execution(cell_id, result.execution_count)
        if result.status in ("gone", "interrupted"):
            world.warn(f"running the cells above again was broken off at cell {cell_id}")
            return False
        if result.status != "ok":
            # It may have failed the first time as well; the planner sees it and judges.
            world.warn(f"cell {cell_id} failed while the kernel was rebuilt")
    return True
