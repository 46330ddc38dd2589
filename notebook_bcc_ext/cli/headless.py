"""A run on the command line, from its start to its rest: who answers it, and its exit code."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx

from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.cli.terminal import JsonLines, Terminal
from notebook_bcc_ext.engine.failures import NOT_ALLOWED
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import BccError, SettingsError
from notebook_bcc_ext.hosting.headless import headless_run
from notebook_bcc_ext.planners.library import PlaybookLibrary, default_folders
from notebook_bcc_ext.protocol.browser.runs import Command, Pending, RunRequest, RunView
from notebook_bcc_ext.settings.names import Settings

EXIT_CODES = {"done": 0, "failed": 1, "cancelled": 3, "paused": 4, "waiting": 4}

Watcher = Terminal | JsonLines


class Person(Protocol):
    """Who decides for this run."""

    async def answer(self, pending: Pending) -> Command | None:
        """To its question; None when it stays open and the run ends there."""

    def order(self, run: Run) -> Command | None:
        """What a run that rests is to do next; None when that is its end."""

    def farewell(self, view: RunView) -> None:
        """The run has ended."""


@dataclass(frozen=True)
class TypedAnswers:
    """Yes, no, or whatever somebody at the terminal says."""

    watcher: Watcher
    approve: str

    async def answer(self, pending: Pending) -> Command | None:
        yes = self.approve == "yes" or (self.approve == "ask" and await self.watcher.ask(pending))
        return Command(command="confirm" if yes else "reject", proposal_id=pending.id)

    def order(self, _run: Run) -> Command | None:
        return None

    def farewell(self, view: RunView) -> None:
        pass


async def run_headless(  # noqa: PLR0913  what is run, who decides, and two choices
    request: RunRequest,
    settings: Settings,
    watcher: Watcher,
    person: Person,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    record_to: Path | None = None,
) -> int:
    """Run to the end, answered by that person; the exit code."""
    if record_to is not None:
        _check_writable(record_to)
    library = PlaybookLibrary(folders=default_folders(), allow_paths=True)
    async with headless_run(
        request, settings, watcher, library=library, transport=transport, record_to=record_to
    ) as run:
        watcher.watch(run)
        cancelling = _cancel_on_interrupt(run)
        with watcher:
            run.start()
            await _steer(run, watcher, person)
        if cancelling:
            await asyncio.gather(*cancelling)
        if run.resting:
            await run.finished()
        view = run.view().model_copy(update={"notebook": request.notebook})
        watcher.conclude(view)
        person.farewell(view)
        if transport is not None and "cancel" in run.allowed_commands:
            # A server would offer to go on with it, but who answers it ends with this process.
            await _cancel(run)
        failed = view.error is not None and view.error.kind != NOT_ALLOWED
        return 1 if failed else EXIT_CODES.get(view.status, 1)


def _check_writable(file: Path) -> None:
    """Before the run: afterwards its record would be lost."""
    if file.is_dir():
        raise SettingsError(f"--record: {file} is a folder; name a file")
    if not file.parent.is_dir():
        raise SettingsError(f"--record: the folder {file.parent} does not exist; make it first")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise SettingsError(f"--record: {file} cannot be written: check its rights")


async def _steer(run: Run, watcher: Watcher, person: Person) -> None:
    """Until the run rests, or waits for what nobody here decides."""
    while await _answer_until_rest(run, watcher, person):
        if run.resting:
            await run.finished()
        order = None if run.status == "cancelled" else person.order(run)
        if order is None:
            return
        await run.command(order, "terminal")


async def _answer_until_rest(run: Run, watcher: Watcher, person: Person) -> bool:
    """False when a question stays open."""
    while not run.resting:
        await watcher.changed()
        if run.status == "paused":
            return True
        pending = run.world.state.pending
        if pending is not None:
            answer = await person.answer(pending)
            if answer is None or not await _takes(run, answer):
                return False
    return True


async def _takes(run: Run, answer: Command) -> bool:
    """False when the answer is refused and the question still open."""
    try:
        await run.command(answer, "terminal")
    except BccError as error:
        complain(f"jupyter bcc: {error}")
        return run.world.state.pending is None
    return True


def _cancel_on_interrupt(run: Run) -> list[asyncio.Task[None]]:
    """Ctrl-C cancels the run: the kernel is interrupted, what is written stays."""
    cancelling: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        if not cancelling:
            cancelling.append(loop.create_task(_cancel(run)))

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, cancel)
    return cancelling


async def _cancel(run: Run) -> None:
    if "cancel" in run.allowed_commands:
        await run.command(Command(command="cancel"), "terminal")
