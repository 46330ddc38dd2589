"""A new attempt takes the place of the one before: no second copies in the notebook (N7).

Decided first, and stored with the run; then done, as often as needed. So a process that is killed
in between leaves a notebook that still has the cells, and a run that knows they are to go.
"""

from __future__ import annotations

from notebook_bcc_ext.engine.memory import Attempt
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotebookGoneError
from notebook_bcc_ext.protocol.states import State


def replace_behavior(world: World) -> None:
    """The failed behavior is about to be done again; its cells stay until the first new one."""
    memory = world.memory
    memory.replaces = Attempt(memory.behavior_began.actions, memory.counts.actions)
    memory.sections = memory.behavior_began.sections.copy()


def replace_all(world: World) -> None:
    """Everything that the run has written so far."""
    memory = world.memory
    memory.replaces = Attempt(0, memory.counts.actions)
    memory.sections = memory.sections.begun_anew()


def is_due(world: World) -> bool:
    """Whether cells are to go now; those of a behavior wait for what comes in their place."""
    return world.memory.replaces is not None and world.machine.state is not State.BEHAVIOR_RUNNING


async def clear_away(world: World) -> None:
    """Take the cells of the attempt before out of the notebook; the person's own words stay."""
    memory, attempt = world.memory, world.memory.replaces
    if attempt is None:
        return
    try:
        if world.restored:
            await world.notebook.open(again=True)
        removed = await world.notebook.remove_cells(world.run_id, attempt.after, attempt.until)
    except NotebookGoneError:
        # With the notebook its cells are gone.
        memory.replaces = None
        return
    memory.forget_cells(removed.gone)
    memory.replaces = None
    if removed.gone:
        world.publish("cell", {"change": "removed", "cell_ids": list(removed.gone)})
    if removed.kept:
        count = len(removed.kept)
        what = "1 cell" if count == 1 else f"{count} cells"
        world.warn(f"{what} of the attempt before stayed, because a person has changed them")
