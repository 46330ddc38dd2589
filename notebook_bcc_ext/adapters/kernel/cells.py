"""Which output message belongs to which cell, and when its listener hears of it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from notebook_bcc_ext.adapters.kernel.outputs import CellOutputs, OutputLimits
from notebook_bcc_ext.adapters.kernel.sockets import KernelMessage
from notebook_bcc_ext.adapters.kernel.widgets import WidgetBook
from notebook_bcc_ext.ports import OutputListener
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs

Json = dict[str, Any]

log = logging.getLogger(__name__)

_OUTPUT_MESSAGES = frozenset({"stream", "display_data", "execute_result", "error", "clear_output"})
_WIDGET_MESSAGES = frozenset({"comm_open", "comm_msg", "comm_close"})
# Finished cells are remembered for output that comes late and for updates of their displays.
_REMEMBERED_CELLS = 256
_REMEMBERED_BYTES = 32_000_000
# A rewritten stream travels whole: a large one is reported less often.
_REPORTED_BYTES_PER_SECOND = 4_000_000


class LiveCell:
    """A cell's outputs with the listener who is told: at once, then at most every 100 ms. While
    something is held back, the cell is among `held_back`."""

    def __init__(
        self,
        outputs: CellOutputs,
        listener: OutputListener,
        interval: float,
        held_back: set[LiveCell],
    ) -> None:
        self.outputs = outputs
        self._listener = listener
        self._interval = interval
        self._held_back = held_back
        self._not_before = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._not_before - loop.time()
        if wait <= 0:
            self.report()
        else:
            self._timer = loop.call_later(wait, self.report)
            self._held_back.add(self)

    def report(self) -> None:
        """Tell the listener now whatever it does not know yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._held_back.discard(self)
        changes = self.outputs.take_changes()
        if not changes:
            return
        pause = max(self._interval, _stream_bytes(changes) / _REPORTED_BYTES_PER_SECOND)
        self._not_before = asyncio.get_running_loop().time() + pause
        try:
            self._listener(changes)
        except Exception:
            # The kernel's other messages must still be read; the listener's owner reads the log.
            log.exception("the listener for outputs of cell %s failed", self.outputs.cell_id)


class CellBook:
    """All cells this runner ran, found by the request that ran them or by a display they show."""

    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._by_request: OrderedDict[str, LiveCell] = OrderedDict()
        self._requests: dict[str, list[str]] = {}
        self._revisions: dict[str, int] = {}
        self._held_back: set[LiveCell] = set()
        self._kept_bytes = 0
        self.widgets = WidgetBook(limits)
        self._listener: OutputListener | None = None

    def open(self, cell_id: str, listener: OutputListener) -> LiveCell:
        """A cell about to run: what an earlier run of it showed is no longer updated."""
        for request in list(self._requests.get(cell_id, [])):
            self._forget(request)
        outputs = CellOutputs(cell_id, self._limits, self._revisions.get(cell_id, 0))
        self._listener = listener
        interval = self._limits.seconds_between_reports
        return LiveCell(outputs, listener, interval, self._held_back)

    def belongs(self, request_id: str, cell: LiveCell) -> None:
        self._by_request[request_id] = cell
        self._requests.setdefault(cell.outputs.cell_id, []).append(request_id)
        while len(self._by_request) > 1 and (
            len(self._by_request) > _REMEMBERED_CELLS or self._kept_bytes > _REMEMBERED_BYTES
        ):
            self._forget(next(iter(self._by_request)))

    def receive(self, message: KernelMessage) -> bool:
        """Work in one iopub message of a cell of ours; whether a widget caught it. What we display
        only we update: a person, or another run in the same kernel, may have the same display id.
        """
        cell = self._by_request.get(message.parent_id)
        if message.msg_type in _WIDGET_MESSAGES:
            self.widgets.receive(message, by_our_cell=cell is not None)
        elif cell is None:
            pass
        elif message.msg_type == "update_display_data":
            self._update_display(message)
        elif message.msg_type in _OUTPUT_MESSAGES:
            with self.widgets.catching(message.parent_id) as caught:
                if caught is not None:
                    _work_in(caught, message)
                    return True
            with self._counting(cell.outputs):
                _work_in(cell.outputs, message)
            cell.changed()
        return False

    def report_all(self) -> None:
        """Nothing is held back any longer, of any cell and widget."""
        for cell in list(self._held_back):
            cell.report()
        changes = self.widgets.take_changes()
        if changes is not None and self._listener is not None:
            try:
                self._listener([changes])
            except Exception:
                log.exception("the listener for the state of widgets failed")

    @contextmanager
    def _counting(self, outputs: CellOutputs) -> Iterator[None]:
        before = outputs.size
        yield
        self._kept_bytes += outputs.size - before

    def _update_display(self, message: KernelMessage) -> None:
        display_id = _display_id(message.content)
        if display_id is None:
            return
        data, metadata = _data_of(message)
        self.widgets.update_display(display_id, data, metadata)
        # A cell resent after an abort is listed twice.
        for cell in dict.fromkeys(self._by_request.values()):
            if display_id in cell.outputs.display_ids:
                with self._counting(cell.outputs):
                    cell.outputs.update_display(display_id, data, metadata)
                cell.changed()

    def _forget(self, request_id: str) -> None:
        cell = self._by_request.pop(request_id)
        requests = self._requests[cell.outputs.cell_id]
        requests.remove(request_id)
        if not requests:
            del self._requests[cell.outputs.cell_id]
            self._kept_bytes -= cell.outputs.size
        cell.report()
        self._revisions[cell.outputs.cell_id] = cell.outputs.revision


def _work_in(outputs: CellOutputs, message: KernelMessage) -> None:
    content = message.content
    match message.msg_type:
        case "stream":
            if message.left_out and not content:
                outputs.left_out(f"printed text of {message.left_out} bytes")
            else:
                outputs.add_stream(str(content.get("name", "stdout")), str(content.get("text", "")))
                if message.left_out and outputs.text_notice is None:
                    outputs.left_out(f"end of a printed text of {message.left_out} bytes")
        case "display_data" | "execute_result" | "error" if message.left_out:
            outputs.left_out(f"{message.msg_type.replace('_', ' ')} of {message.left_out} bytes")
        case "display_data":
            data, metadata = _data_of(message)
            shown = {"output_type": "display_data", "data": data, "metadata": metadata}
            outputs.add(shown, _display_id(content))
        case "execute_result":
            data, metadata = _data_of(message)
            count = content.get("execution_count")
            result = {"output_type": "execute_result", "data": data, "metadata": metadata}
            outputs.add({**result, "execution_count": count}, _display_id(content))
        case "error":
            outputs.add(
                {
                    "output_type": "error",
                    "ename": str(content.get("ename", "")),
                    "evalue": str(content.get("evalue", "")),
                    "traceback": [str(line) for line in content.get("traceback") or []],
                }
            )
        case "clear_output":
            outputs.clear(wait=bool(content.get("wait")))
        case _:
            pass


def _data_of(message: KernelMessage) -> tuple[Json, Json]:
    if message.left_out:
        return {"text/plain": f"[display update of {message.left_out} bytes left out]"}, {}
    return message.content.get("data") or {}, message.content.get("metadata") or {}


def _display_id(content: Json) -> str | None:
    display_id = (content.get("transient") or {}).get("display_id")
    return None if display_id is None else str(display_id)


def _stream_bytes(changes: list[ChangeOutputs]) -> int:
    return sum(
        len(str(output.get("text", "")))
        for change in changes
        if change.change in {"replace", "set"}
        for output in change.outputs
    )
