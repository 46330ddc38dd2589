"""The CodeRunner over a Jupyter kernel: runs cells, reads variables, and never hangs."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from notebook_bcc_ext.adapters.kernel.cells import CellBook
from notebook_bcc_ext.adapters.kernel.execution import Execution
from notebook_bcc_ext.adapters.kernel.link import KernelLink
from notebook_bcc_ext.adapters.kernel.outputs import OutputLimits
from notebook_bcc_ext.adapters.kernel.sockets import KernelMessage
from notebook_bcc_ext.adapters.kernel.source import Kernel, KernelSource
from notebook_bcc_ext.adapters.kernel.starts import KernelStarts
from notebook_bcc_ext.adapters.kernel.variables import KernelVariables, Owner, VariableLimits
from notebook_bcc_ext.errors import KernelError, KernelGoneError, KernelTimeoutError
from notebook_bcc_ext.ports import OutputListener, Overwritten, RunResult, Variables
from notebook_bcc_ext.settings.names import Settings

# How often a running cell's kernel is looked at.
_WATCH_SECONDS = 0.5
_LOOK_SECONDS = 5.0
_CONNECT_TRIES = 3
_RESENDS = 3
_RESEND_PAUSE = 0.1
# A kernel that was there so shortly ago is not looked for again.
_LOOKED_SECONDS = 0.01
# How long a cell that was told to stop may take until the next step goes on without it.
_STOPPING_SECONDS = 3.0
_INTERRUPT_SECONDS = 5.0
# IPython swallows an interrupt that comes between the start of a cell and that of its code.
_CELL_BEGIN_SECONDS = 0.2


class KernelRunner:
    """Runs code in the kernel that `source` gives.

    `cell_timeout` bounds a cell's time in seconds; time spent behind a cell of the user does not
    count. `start_timeout` bounds the start of a kernel and the wait for its first answer.
    """

    def __init__(  # noqa: PLR0913  the source, and settings with defaults
        self,
        source: KernelSource,
        *,
        output_limits: OutputLimits | None = None,
        variable_limits: VariableLimits | None = None,
        cell_timeout: float | None = None,
        start_timeout: float = 60.0,
        starts: KernelStarts | None = None,
    ) -> None:
        self.source = source
        self._starts = starts or KernelStarts()
        self._variable_limits = variable_limits or VariableLimits()
        self._cell_timeout = cell_timeout
        self._start_timeout = start_timeout
        self._cells = CellBook(output_limits or OutputLimits())
        self._running = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._link: KernelLink | None = None
        # Also while it starts, before it answers.
        self._used: Kernel | None = None
        self._variables: KernelVariables | None = None
        # The cell being run last; before it those nobody awaits any more.
        self._in_flight: list[Execution] = []
        self._looked_at = -math.inf
        self._language = ""
        self._owner = Owner()

    def belong(self, run_id: str, theirs: Sequence[str] | None) -> None:
        self._owner.run_id, self._owner.theirs = run_id, theirs

    @property
    def theirs(self) -> Sequence[str] | None:
        return self._owner.theirs

    def adopt(self, settings: Settings) -> None:
        self._cell_timeout = settings.cell_timeout or None
        self._start_timeout = settings.kernel_start_timeout

    @property
    def language(self) -> str:
        return self._language

    @property
    def identity(self) -> str | None:
        if self._link is None:
            return None
        return f"{self._link.kernel.kernel_id}/{self._link.kernel.process}"

    async def start(self, known: str | None = None) -> None:
        if known is not None and self._link is None:
            self.source.prefer(known.partition("/")[0])
        await self._connect(start=True)

    # -- running cells ----------------------------------------------------------------------

    async def run(
        self, code: str, cell_id: str, on_outputs: OutputListener, names: Sequence[str] = ()
    ) -> RunResult:
        async with self._running:
            await self._until_stopped()
            try:
                link, variables = await self._connect(start=True)
            except (KernelGoneError, KernelTimeoutError) as error:
                return RunResult("gone", None, [], notice=str(error))
            execution = Execution(self._cells.open(cell_id, on_outputs))
            self._in_flight.append(execution)

            def send() -> None:
                self._send(execution, code, link, variables, names)

            send()
            try:
                timed_out = not await self._until_finished(execution, link, send)
            except asyncio.CancelledError:
                self._abandon(execution)
                raise
            self._cells.report_all()
            widgets = self._cells.widgets
            execution.caught = widgets.take_caught(link)
            if (notice := widgets.take_notice()) is not None:
                execution.notices.append(notice)
            return execution.result(timed_out=timed_out)

    def _send(
        self,
        execution: Execution,
        code: str,
        link: KernelLink,
        variables: KernelVariables,
        names: Sequence[str],
    ) -> None:
        def take_reply(message: KernelMessage) -> None:
            execution.present = variables.present_after(message.content)
            execution.take_reply(message)

        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": variables.expressions(names),
            "allow_stdin": False,
            # An error of ours must not abort cells the user has queued.
            "stop_on_error": False,
        }
        variables.claim()
        metadata = {"cellId": execution.cell.outputs.cell_id}
        request_id = link.send("shell", "execute_request", content, take_reply, metadata)
        self._cells.belongs(request_id, execution.cell)
        execution.sent(request_id)

    async def _until_finished(
        self, execution: Execution, link: KernelLink, send_again: Callable[[], None]
    ) -> bool:
        """False when the cell took too long."""
        clock = asyncio.get_running_loop().time
        deadline = None if self._cell_timeout is None else clock() + self._cell_timeout
        resends = 0
        while True:
            wait = _WATCH_SECONDS
            if deadline is not None:
                wait = max(min(wait, deadline - clock()), 0.0)
            if await _within(execution.finished, wait):
                # A failing cell of the user's, ahead of ours, makes the kernel abort ours.
                if not (execution.aborted and execution.gone is None and resends < _RESENDS):
                    return True
                if execution.interrupt_asked:
                    return True
                resends += 1
                await asyncio.sleep(_RESEND_PAUSE * resends)
                if link.gone is not None:
                    return True
                execution.finished.clear()
                send_again()
                continue
            await self._look_after(link)
            execution.finish_if_silent()
            if link.others_are_running and execution.began_at is None and deadline is not None:
                deadline = clock() + (self._cell_timeout or 0.0)
            if deadline is not None and clock() >= deadline and not execution.finished.is_set():
                await self._stop_late_cell(execution)
                return False

    async def _stop_late_cell(self, execution: Execution) -> None:
        execution.notices.append(f"the cell ran longer than {self._cell_timeout:g} s")
        with contextlib.suppress(KernelError):
            await self.interrupt()
        if not await _within(execution.finished, _STOPPING_SECONDS):
            execution.notices.append("the kernel does not react: interrupt or restart it")

    def _abandon(self, execution: Execution) -> None:
        """Nobody awaits the cell any more: stop it, or else it would hold up the next one."""
        self._cells.report_all()
        self._start_interrupt(execution)

    async def _until_stopped(self) -> None:
        """A cell that was cancelled or timed out gets a moment to end before the next is sent."""
        for execution in self._in_flight:
            if execution.began_at is not None:
                await _within(execution.finished, _STOPPING_SECONDS)
        self._in_flight = [cell for cell in self._in_flight if not cell.finished.is_set()]

    # -- interrupting -----------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Interrupt our cell. As long as the kernel has not come to it, because it is at a cell
        of the user's, that one is left alone, and ours is interrupted when it begins."""
        tasks = [self._start_interrupt(execution) for execution in self._in_flight]
        for task in tasks:
            if task is not None:
                await asyncio.shield(task)

    def _start_interrupt(self, execution: Execution) -> asyncio.Task[None] | None:
        execution.interrupt_asked = True
        link = self._link
        if link is None or link.gone is not None or execution.finished.is_set():
            return None
        if execution.began_at is None:
            return None
        if execution.interrupting is None:
            task = asyncio.create_task(self._interrupt_kernel(execution, link.kernel))
            execution.interrupting = task
            task.add_done_callback(execution.interrupt_done)
        return execution.interrupting

    async def _interrupt_kernel(self, execution: Execution, kernel: Kernel) -> None:
        began_at = execution.began_at or 0.0
        await asyncio.sleep(began_at + _CELL_BEGIN_SECONDS - asyncio.get_running_loop().time())
        if execution.finished.is_set():
            return
        try:
            async with asyncio.timeout(_INTERRUPT_SECONDS):
                await self.source.interrupt(kernel)
        except TimeoutError:
            raise KernelTimeoutError("the kernel could not be interrupted in time") from None

    # -- variables --------------------------------------------------------------------------

    async def variables(self) -> Variables:
        try:
            return await (await self._reader()).snapshot()
        except KernelError as error:
            return Variables({}, notice=str(error))

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        return await (await self._reader()).summarize(strategies)

    async def present(self, names: Sequence[str]) -> set[str]:
        return await (await self._reader()).present(names)

    async def importable(self, modules: Sequence[str]) -> set[str]:
        return await (await self._reader()).importable(modules)

    async def promote(self, old: str, new: str) -> None:
        await (await self._reader()).promote(old, new)

    async def overwritten(self) -> Overwritten:
        return await (await self._reader()).overwritten()

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:
        return await (await self._reader()).leave(temporaries)

    async def _reader(self) -> KernelVariables:
        _, variables = await self._connect(start=False)
        return variables

    # -- the connection ---------------------------------------------------------------------

    async def _connect(self, *, start: bool) -> tuple[KernelLink, KernelVariables]:
        """The link to the kernel as it is now, opened anew when the kernel is another one."""
        async with self._opening:
            link, variables = self._link, self._variables
            if link is None or variables is None or link.gone is not None:
                if start:
                    async with self._starts.turn():
                        return await self._linked(start=True)
            elif asyncio.get_running_loop().time() - self._looked_at < _LOOKED_SECONDS:
                return link, variables
            return await self._linked(start=start)

    async def _linked(self, *, start: bool) -> tuple[KernelLink, KernelVariables]:
        tries = _CONNECT_TRIES
        while True:
            kernel = await self._kernel(start=start)
            if kernel is None:
                raise KernelGoneError("the notebook has no running kernel")
            self._used = kernel
            self._looked_at = asyncio.get_running_loop().time()
            link, variables = self._link, self._variables
            if link is not None and variables is not None and link.gone is None:
                if link.kernel == kernel:
                    return link, variables
                link.mark_gone("the notebook has another kernel now")
            tries -= 1
            try:
                return await self._open(kernel)
            except KernelGoneError:
                # Restarted while we said hello: its next life may answer.
                if not tries:
                    raise

    async def _kernel(self, *, start: bool) -> Kernel | None:
        finding = self.source.start() if start else self.source.find()
        try:
            async with asyncio.timeout(self._start_timeout):
                return await finding
        except TimeoutError:
            msg = f"no kernel was ready within {self._start_timeout:g} s"
            raise KernelTimeoutError(msg) from None

    async def _open(self, kernel: Kernel) -> tuple[KernelLink, KernelVariables]:
        link = KernelLink(kernel, self.source, self._take_iopub, self._kernel_gone)
        try:
            await link.hello(self._start_timeout)
        except BaseException:
            link.close()
            raise
        self._cells.widgets.forget_all()
        self._link = link
        self._variables = KernelVariables(link, self._variable_limits, self._owner)
        self._language = link.language
        return link, self._variables

    def _take_iopub(self, message: KernelMessage) -> None:
        caught = self._cells.receive(message)
        for execution in self._in_flight:
            not_begun = execution.began_at is None
            execution.take_iopub(message, caught=caught)
            if not_begun and execution.interrupt_asked:
                self._start_interrupt(execution)

    def _kernel_gone(self) -> None:
        self._cells.report_all()
        reason = self._link.gone if self._link is not None else None
        for execution in self._in_flight:
            execution.kernel_gone(reason or "the kernel is gone")

    async def _look_after(self, link: KernelLink) -> None:
        if link.gone is not None:
            return
        # A source that cannot tell just now has not said that the kernel is gone.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                is_there = await self.source.is_there(link.kernel)
            if not is_there:
                link.mark_gone("the kernel died or was restarted")

    def mark_used(self) -> None:
        if self._used is not None:
            self.source.mark_used(self._used)

    async def close(self) -> None:
        for execution in self._in_flight:
            if execution.interrupting is not None:
                execution.interrupting.cancel()
                await asyncio.wait([execution.interrupting])
        self._cells.report_all()
        if self._link is not None:
            self._link.mark_gone("the run let go of the kernel")
        self._link = self._variables = self._used = None
        await self.source.close()


async def _within(event: asyncio.Event, seconds: float) -> bool:
    # Here as elsewhere not `wait_for`: in Python 3.11 it may swallow the cancellation of a run.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
