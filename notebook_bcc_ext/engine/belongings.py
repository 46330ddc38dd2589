"""What the person has in the kernel beside the run: told where the run took it, and left as it
was when the run rests (N2)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence

from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import KernelError
from notebook_bcc_ext.ports import Overwritten
from notebook_bcc_ext.protocol.browser.facts import NamesOverwritten, TemporariesDeclared
from notebook_bcc_ext.protocol.planner.calls import OutputsUpdate
from notebook_bcc_ext.protocol.states import State

_MOST_NAMES = 100
"""That are told: they are stored with every action."""
_LEAVE_SECONDS = 2.0


async def tell_overwritten(world: World) -> None:
    """Once per name, however often it is asked."""
    with contextlib.suppress(KernelError):
        _tell(world, await world.runner.overwritten())


async def leave_kernel(world: World) -> None:
    """The run rests: the kernel is the person's again."""
    state, outputs = world.state, world.state.progress.outputs
    if world.runner.theirs is None:
        return  # None of its cells came to the kernel.
    temporaries: Sequence[str] = ()
    if state.cancelled:
        temporaries = outputs.made
    elif state.state is State.ERROR and not state.resumable:
        # A retry does the failed behavior again, and needs what those before it made.
        temporaries = outputs.made_by_behavior
    with contextlib.suppress(KernelError, TimeoutError):
        async with asyncio.timeout(_LEAVE_SECONDS):
            _tell(world, await world.runner.leave(temporaries))


def _tell(world: World, found: Overwritten) -> None:
    told = world.state.overwritten
    known = [*told.rebound, *told.deleted]
    rebound, deleted = _new(found.rebound, known), _new(found.deleted, known)
    if rebound or deleted:
        world.ledger.record(NamesOverwritten(rebound=rebound, deleted=deleted))
    if rebound:
        names = ", ".join(rebound)
        world.warn(f"names that were in the kernel before the run have new values now: {names}")
    if deleted:
        names = ", ".join(deleted)
        world.warn(f"names that were in the kernel before the run were deleted by it: {names}")


def _new(names: Iterable[str], told: Sequence[str]) -> list[str]:
    room = max(_MOST_NAMES - len(told), 0)
    return [name for name in names if name not in told][:room]


async def note_temporaries(world: World, update: OutputsUpdate | None) -> None:
    """What the kernel does not have when it is declared is the run's to delete; nothing where the
    kernel cannot be asked."""
    if update is not None and update.in_progress:
        with contextlib.suppress(KernelError):
            there = await world.runner.present(update.in_progress)
            world.ledger.record(
                TemporariesDeclared(
                    level=update.level, names=update.in_progress, present=sorted(there)
                )
            )
