"""Which commands a run takes now, and what each one calls (J7, F12-F14)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from notebook_bcc_ext.protocol.runs import Command, CommandName
from notebook_bcc_ext.protocol.states import Event, State

if TYPE_CHECKING:
    from notebook_bcc_ext.engine.run import Run

Doer = Callable[["Run", Command, str | None], Awaitable[None]]


def allowed_commands(run: Run) -> list[CommandName]:
    state, status = run.world.machine.state, run.status
    failed_here = run.world.memory.error is not None
    allowed: list[CommandName] = []
    if status == "waiting":
        allowed += ["confirm", "reject"]
    if status == "running":
        allowed.append("pause")
    taken_up = run.world.gate.reason == "restart"
    at_work = not run.resting or state is State.IDLE or taken_up
    if status == "paused" and not failed_here and at_work:
        allowed += ["resume", "step"]
    if status == "paused" and failed_here:
        allowed.append("retry")
    if status in ("running", "waiting", "paused"):
        allowed.append("cancel")
    if run.world.machine.allows(Event.RESET):
        allowed.append("reset")
    if state is State.ERROR:
        if run.world.memory.has_workflow:
            allowed.append("restart")
        if run.world.memory.progress.step is not None:
            allowed += ["retry", "debug"]
    return allowed


async def _confirm(run: Run, command: Command, by: str | None) -> None:
    await run.answer(command, "confirmed", by)


async def _reject(run: Run, command: Command, by: str | None) -> None:
    await run.answer(command, "rejected", by)


async def _cancel(run: Run, _command: Command, _by: str | None) -> None:
    await run.cancel()


async def _pause(run: Run, _command: Command, _by: str | None) -> None:
    run.world.gate.pause()


async def _resume(run: Run, _command: Command, _by: str | None) -> None:
    run.world.gate.resume()
    run.start()


async def _step(run: Run, _command: Command, _by: str | None) -> None:
    run.world.gate.step()
    run.start()


async def _reset(run: Run, _command: Command, _by: str | None) -> None:
    run.reset()


async def _restart(run: Run, _command: Command, _by: str | None) -> None:
    run.restart()


async def _retry(run: Run, _command: Command, _by: str | None) -> None:
    run.retry()


async def _debug(run: Run, _command: Command, _by: str | None) -> None:
    run.debug()


COMMANDS: Mapping[CommandName, Doer] = {
    "confirm": _confirm,
    "reject": _reject,
    "cancel": _cancel,
    "pause": _pause,
    "resume": _resume,
    "step": _step,
    "reset": _reset,
    "restart": _restart,
    "retry": _retry,
    "debug": _debug,
}
