"""The outputs of one cell: merged, bounded, and reported as steps that lead to the same list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from notebook_bcc_ext.adapters.kernel.text import StreamText
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs
from notebook_bcc_ext.protocol.nesting import is_too_deep, too_deep

Json = dict[str, Any]


@dataclass(frozen=True)
class OutputLimits:
    """How much one cell may keep. What is beyond is dropped, and a notice in the cell says so."""

    max_bytes: int = 8_000_000
    max_text_bytes: int = 1_000_000
    """Of what is printed: nobody reads more, and a flood of it would keep everybody busy."""
    max_outputs: int = 2_000
    max_widget_bytes: int = 8_000_000
    """Of the state of all widgets that a run's cells made, together."""
    seconds_between_reports: float = 0.1


class _Item:
    """One output. A stream keeps its text apart, because it grows."""

    def __init__(self, output: Json, stream: StreamText | None = None, size: int = 0) -> None:
        self._output = output
        self.stream = stream
        self._size = size

    @property
    def size(self) -> int:
        return self.stream.size if self.stream else self._size

    @property
    def name(self) -> object:
        return self._output.get("name") if self.stream else None

    def snapshot(self) -> Json:
        return {**self._output, "text": self.stream.text} if self.stream else self._output

    def update(self, data: Json, metadata: Json, size: int) -> None:
        # A new dict, because the old one was handed out.
        self._output = {**self._output, "data": data, "metadata": metadata}
        self._size = size


class CellOutputs:
    """Takes a cell's output messages; gives the outputs, and the changes since the last report."""

    def __init__(self, cell_id: str, limits: OutputLimits, revision: int = 0) -> None:
        self.cell_id = cell_id
        self.revision = revision
        self.size = 0
        self.cut_notice: str | None = None
        self.text_notice: str | None = None
        """Printed text was cut; other outputs still find room."""
        self._text_size = 0
        self.display_ids: dict[str, list[int]] = {}
        self._limits = limits
        self._items: list[_Item] = []
        self._reported = 0
        self._changed: set[int] = set()
        self._start_over = False
        self._clear_before_next = False
        self._error_after_cut = False

    # -- what the kernel sent ---------------------------------------------------------------

    def add_stream(self, name: str, text: str) -> None:
        self._clear_if_waiting()
        if self.cut_notice is not None or self.text_notice is not None or not text:
            return
        text_room = self._limits.max_text_bytes - self._text_size
        room = max(min(self._limits.max_bytes - self.size, text_room), 0)
        # Not more than can fit: the next steps take time with every character.
        whole, text = text, _well_formed(text[: room + 1])
        fitting = _first_bytes(text, room)
        last = self._items[-1] if self._items else None
        if last is None or last.stream is None or last.name != name:
            if not self._has_place():
                return
            self._items.append(_stream_item(name))
        self._feed(fitting)
        if len(fitting) == len(text) == len(whole):
            return
        if room == text_room:
            limit = _readable(self._limits.max_text_bytes)
            self.text_notice = f"Output cut: the cell printed more than {limit}."
            self._tell(f"[{self.text_notice} The rest is not kept in the notebook.]\n")
        else:
            self._cut(f"more than {_readable(self._limits.max_bytes)} of output")

    def add(self, output: Json, display_id: str | None = None) -> None:
        """A display, result or error in its nbformat shape."""
        self._clear_if_waiting()
        is_error = output.get("output_type") == "error"
        if self.cut_notice is not None:
            self._add_after_cut(output, is_error=is_error)
            return
        output, size = _sized(output)
        what = str(output.get("output_type", "output")).replace("_", " ")
        if is_too_deep(output):
            self._leave_out(f"{what} left out: {too_deep()}")
            return
        if size > self._limits.max_bytes - self.size:
            if not is_error:
                self.left_out(f"{what} of {_readable(size)}")
                return
            output, size = _sized(_shortened_error(output))
        if not self._has_place():
            self._add_after_cut(output, is_error=is_error)
            return
        self._append(output, size)
        if display_id is not None:
            self.display_ids.setdefault(display_id, []).append(len(self._items) - 1)

    def _add_after_cut(self, output: Json, *, is_error: bool) -> None:
        """Without its error a failed cell could not be understood; one is enough."""
        if is_error and not self._error_after_cut:
            self._error_after_cut = True
            self._append(*_sized(_shortened_error(output)))

    def left_out(self, what: str) -> None:
        """Say in the cell that one output was too large; smaller ones may still follow."""
        limit = _readable(self._limits.max_bytes)
        self._leave_out(f"{what} left out: one cell keeps at most {limit}")

    def _leave_out(self, notice: str) -> None:
        self._clear_if_waiting()
        if self.cut_notice is None and self._has_place():
            self._tell(f"[{notice}]\n")

    def update_display(self, display_id: str, data: Json, metadata: Json) -> None:
        for index in self.display_ids.get(display_id, []):
            item = self._items[index]
            output, size = _sized({"data": data, "metadata": metadata})
            too_large = size - item.size > self._limits.max_bytes - self.size
            if too_large or is_too_deep(output):
                why = f"of {_readable(size)} left out" if too_large else f"left out: {too_deep()}"
                note = f"[display update {why}]"
                output, size = {"data": {"text/plain": note}, "metadata": {}}, len(note)
            self.size += size - item.size
            item.update(output["data"], output["metadata"], size)
            self._changed.add(index)

    def clear(self, *, wait: bool) -> None:
        if wait:
            self._clear_before_next = True
            return
        self._items = []
        self._changed = set()
        self.size = 0
        self.display_ids = {}
        self.cut_notice = self.text_notice = None
        self._text_size = 0
        self._clear_before_next = self._error_after_cut = False
        self._start_over = True

    # -- what the notebook gets -------------------------------------------------------------

    def outputs(self) -> list[Json]:
        return [item.snapshot() for item in self._items]

    def take_changes(self) -> list[ChangeOutputs]:
        """The steps from what was reported before to what there is now."""
        if self._start_over:
            changes = self._take_all()
        else:
            changes = [
                change
                for index in sorted(self._changed)
                if index < self._reported and (change := self._take_change(index)) is not None
            ]
            fresh = self._items[self._reported :]
            if fresh:
                changes.append(self._step("append", outputs=[_take(item) for item in fresh]))
        self._reported = len(self._items)
        self._changed = set()
        return changes

    def _take_all(self) -> list[ChangeOutputs]:
        self._start_over = False
        if not self._items:
            return [self._step("clear")] if self._reported else []
        if not self._reported:
            return [self._step("append", outputs=[_take(item) for item in self._items])]
        return [self._step("set", outputs=[_take(item) for item in self._items])]

    def _take_change(self, index: int) -> ChangeOutputs | None:
        item = self._items[index]
        if item.stream is None:
            return self._step("replace", index=index, outputs=[item.snapshot()])
        added = item.stream.take_added()
        if added is None:
            return self._step("replace", index=index, outputs=[item.snapshot()])
        return self._step("extend", index=index, text=added) if added else None

    def _step(
        self,
        change: Literal["clear", "append", "extend", "replace", "set"],
        *,
        index: int = 0,
        text: str = "",
        outputs: list[Json] | None = None,
    ) -> ChangeOutputs:
        self.revision += 1
        return ChangeOutputs(
            cell_id=self.cell_id,
            change=change,
            index=index,
            text=text,
            outputs=outputs or [],
            revision=self.revision,
        )

    # -- bounds -----------------------------------------------------------------------------

    def _clear_if_waiting(self) -> None:
        if self._clear_before_next:
            self.clear(wait=False)

    def _append(self, output: Json, size: int) -> None:
        self._items.append(_Item(output, size=size))
        self.size += size

    def _feed(self, text: str) -> None:
        item = self._items[-1]
        if item.stream is None:
            return
        before = item.size
        item.stream.feed(text)
        self._changed.add(len(self._items) - 1)
        self.size += item.size - before
        self._text_size += item.size - before

    def _has_place(self) -> bool:
        if len(self._items) < self._limits.max_outputs:
            return True
        self._cut(f"more than {self._limits.max_outputs} outputs")
        return False

    def _cut(self, why: str) -> None:
        if self.cut_notice is None:
            self.cut_notice = f"Output cut: the cell gave {why}."
            self._tell(f"[{self.cut_notice} The rest is not kept in the notebook.]\n")

    def _tell(self, text: str) -> None:
        """A notice on stderr, joined to a stderr output that is last: browsers join them too."""
        last = self._items[-1] if self._items else None
        if last is None or last.stream is None or last.name != "stderr":
            self._items.append(_stream_item("stderr"))
        elif not last.stream.at_line_start:
            text = "\n" + text
        self._feed(text)


def _stream_item(name: str) -> _Item:
    return _Item({"output_type": "stream", "name": name}, StreamText())


def _take(item: _Item) -> Json:
    if item.stream is not None:
        item.stream.take_added()
    return item.snapshot()


def _first_bytes(text: str, room: int) -> str:
    if len(text) * 4 <= room:
        return text
    encoded = text.encode()
    return text if len(encoded) <= room else encoded[:room].decode(errors="ignore")


def _well_formed(text: str) -> str:
    """Lone surrogates, which no file and no socket takes, become question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _sized(output: Json) -> tuple[Json, int]:
    encoded = json.dumps(output, ensure_ascii=False)
    well_formed = _well_formed(encoded)
    if well_formed is not encoded:
        output = json.loads(well_formed)
    return output, len(well_formed.encode())


def _shortened_error(output: Json) -> Json:
    """An error small enough to be kept beside outputs that already fill the cell."""
    lines = output.get("traceback") or []
    return {
        **output,
        "evalue": str(output.get("evalue", ""))[:2_000],
        "traceback": [str(line)[:4_000] for line in lines[-5:]],
    }


def _readable(size: int) -> str:
    return f"{size / 1_000_000:.3g} MB"
