"""One cell on its way through the kernel.

    SENT -busy-> RUNNING -reply AND idle, in any order-> FINISHED
    any  -kernel gone-> FINISHED (gone)
    reply `aborted` -> SENT again

Only one of reply and idle, and then silence, is an end too: the outputs may be incomplete then.
"""

from __future__ import annotations

import asyncio
from typing import Any

from notebook_bcc_ext.adapters.kernel.cells import LiveCell
from notebook_bcc_ext.adapters.kernel.sockets import KernelMessage
from notebook_bcc_ext.ports import CellError, CellStatus, RunResult

Json = dict[str, Any]

_SILENCE_SECONDS = 2.0
# A second interrupt right after the first would hit whatever follows the cell.
_INTERRUPT_AGAIN_SECONDS = 1.0
_ABORTED = CellError("Aborted", "the kernel aborted the cell because another one failed", "")
_BY_HAND = frozenset({"KeyboardInterrupt", "Interrupt", "InterruptException"})
_STDIN_ERROR = "StdinNotImplementedError"


class Execution:
    def __init__(self, cell: LiveCell) -> None:
        self.cell = cell
        self.request_id = ""
        self.finished = asyncio.Event()
        self.began_at: float | None = None
        self.interrupt_asked = False
        self.interrupting: asyncio.Task[None] | None = None
        self.gone: str | None = None
        self.notices: list[str] = []
        self.caught: list[Json] = []
        self.present: frozenset[str] | None = None
        self._reply: Json | None = None
        self._idle = False
        self._error: CellError | None = None
        self._count: int | None = None
        self._last_heard = 0.0

    def sent(self, request_id: str) -> None:
        """Sent, or sent again: whatever was heard before counted for the earlier request."""
        self.request_id = request_id
        self._idle = False
        self.began_at = self._reply = None
        self._heard()

    @property
    def aborted(self) -> bool:
        return self._reply is not None and self._reply.get("status") in {"aborted", "abort"}

    def take_reply(self, message: KernelMessage) -> None:
        if message.parent_id != self.request_id:
            return
        self._heard()
        self._reply = message.content
        count = message.content.get("execution_count")
        if isinstance(count, int) and not self.aborted:
            self._count = count
        if message.content.get("status") == "error" and self._error is None:
            self._error = _cell_error(message.content)
        self._check()

    def take_iopub(self, message: KernelMessage, *, caught: bool = False) -> None:
        """`caught` by a widget: the code goes on behind an error; an interrupt is still one."""
        if message.parent_id != self.request_id:
            return
        self._heard()
        match message.msg_type:
            case "execute_input":
                self._begin()
                count = message.content.get("execution_count")
                if isinstance(count, int):
                    self._count = count
            case "error":
                error = _cell_error(message.content)
                if not caught or error.name in _BY_HAND:
                    self._error = error
            case "status":
                self._begin()
                self._idle = message.content.get("execution_state") == "idle"
                self._check()
            case _:
                pass

    def interrupt_done(self, task: asyncio.Task[None]) -> None:
        asyncio.get_running_loop().call_later(_INTERRUPT_AGAIN_SECONDS, self._may_interrupt_again)
        if not task.cancelled() and task.exception() is not None:
            self.notices.append(str(task.exception()))

    def _may_interrupt_again(self) -> None:
        self.interrupting = None

    def kernel_gone(self, reason: str) -> None:
        self.gone = self.gone or reason
        self.finished.set()

    def finish_if_silent(self) -> None:
        """One of the two ends was heard, the other was lost."""
        one_end = self._idle or self._reply is not None
        if one_end and asyncio.get_running_loop().time() - self._last_heard > _SILENCE_SECONDS:
            self.notices.append(
                "the kernel did not report the end of the cell: outputs may be incomplete"
            )
            self.finished.set()

    def result(self, *, timed_out: bool = False) -> RunResult:
        outputs = self.cell.outputs
        notices = [*self.notices]
        if self.gone is not None:
            notices.append(self.gone)
        notices += [said for said in (outputs.text_notice, outputs.cut_notice) if said is not None]
        return RunResult(
            status=self._status(timed_out=timed_out),
            execution_count=self._count,
            outputs=outputs.outputs(),
            error=self._error or (_ABORTED if self.aborted else None),
            notice="; ".join(notices) or None,
            present=self.present,
            caught=self.caught,
        )

    def _status(self, *, timed_out: bool) -> CellStatus:
        if self.gone is not None:
            return "gone"
        if timed_out:
            return "timeout"
        if self._error is not None:
            by_hand = self._error.name in _BY_HAND
            return "interrupted" if by_hand or self.interrupt_asked else "error"
        if self.aborted:
            return "interrupted" if self.interrupt_asked else "error"
        # An interrupt between cells is swallowed by IPython together with the reply.
        return "interrupted" if self.interrupt_asked and self._reply is None else "ok"

    def _begin(self) -> None:
        if self.began_at is None:
            self.began_at = self._last_heard

    def _heard(self) -> None:
        self._last_heard = asyncio.get_running_loop().time()

    def _check(self) -> None:
        if self._reply is not None and self._idle:
            self.finished.set()


def _cell_error(content: Json) -> CellError:
    name = str(content.get("ename", ""))
    message = str(content.get("evalue", ""))
    if name == _STDIN_ERROR:
        message = "input() is not possible in a cell that a run executes: put the value in the code"
    lines = [str(line) for line in content.get("traceback") or []]
    return CellError(name, message, "\n".join(lines))
