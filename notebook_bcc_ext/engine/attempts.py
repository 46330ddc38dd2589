"""A new attempt takes the place of the one before: no second copies in the notebook (N7).

Decided first, and stored with the run; then done, as often as needed. So a process that is killed
in between leaves a notebook that still has the cells, and a run that knows they are to go.
"""

from __future__ import annotations

from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotebookGoneError
from notebook_bcc_ext.protocol.browser.facts import CellsReplaced
from notebook_bcc_ext.protocol.states import State


def is_due(world: World) -> bool:
    """Whether cells are to go now; those of a behavior wait for what comes in their place."""
    state = world.state
    return state.replaces is not None and state.state is not State.BEHAVIOR_RUNNING


async def clear_away(world: World) -> None:
    """Take the cells of the attempt before out of the notebook; the person's own words stay."""
    attempt = world.state.replaces
    if attempt is None:
        return
    try:
        if world.restored:
            await world.notebook.open(again=True)
        await world.ledger.stored()
        removed = await world.notebook.remove_cells(world.run_id, attempt.after, attempt.until)
    except NotebookGoneError:
        # With the notebook its cells are gone.
        world.ledger.record(CellsReplaced())
        return
    world.ledger.record(CellsReplaced(gone=list(removed.gone), kept=list(removed.kept)))
    world.ledger.post()
    if removed.kept:
        count = len(removed.kept)
        what = "1 cell" if count == 1 else f"{count} cells"
        world.warn(f"{what} of the attempt before stayed, because a person has changed them")
