"""Which commands a run takes now, and what each one calls (J7, F12-F14)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from notebook_bcc_ext.fsm import allows
from notebook_bcc_ext.protocol.browser.runs import Command, CommandName
from notebook_bcc_ext.protocol.states import Event, State

if TYPE_CHECKING:
    from notebook_bcc_ext.engine.run import Run

Doer = Callable[["Run", Command, str | None], Awaitable[None]]


def allowed_commands(run: Run) -> list[CommandName]:
    status = run.status
    allowed: list[CommandName] = []
    if status == "waiting":
        allowed += ["confirm", "reject"]
    if status == "running":
        allowed.append("pause")
    if status == "paused":
        allowed += _out_of_a_pause(run)
    if status in ("running", "waiting", "paused"):
        allowed.append("cancel")
    if allows(run.world.state.state, Event.RESET):
        allowed.append("reset")
    return allowed + _recoveries(run)


def _out_of_a_pause(run: Run) -> list[CommandName]:
    if run.world.state.error is not None:
        return ["retry"]
    taken_up = run.world.gate.reason == "restart"
    at_work = not run.resting or run.world.state.state is State.IDLE or taken_up
    return ["resume", "step"] if at_work else []


def _recoveries(run: Run) -> list[CommandName]:
    state, known = run.world.state.state, run.world.state
    if state is State.IDLE and run.status == "cancelled":
        return ["restart"]
    allowed: list[CommandName] = []
    if state is State.ERROR and known.has_workflow:
        allowed.append("restart")
    if state is State.ERROR and known.progress.step is not None:
        allowed.append("retry")
        if run.world.request.planner.kind != "embedded":
            # A playbook does what it says; only a planner that thinks can repair it.
            allowed.append("debug")
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
    await run.reset()


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
