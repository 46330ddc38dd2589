"""What a document remembers of its notebook between reads: a summary and the latest cells.

The whole notebook stays in the file. The view is a mirror of the operation log like any open tab:
operations change it at a cost that does not grow with the notebook, and a read of the file
replaces it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, assert_never

from notebook_bcc_ext.adapters.notebook.apply import change_cell, copy_of_cell, merge_metadata
from notebook_bcc_ext.adapters.notebook.notices import NotebookNotices
from notebook_bcc_ext.observation.output_text import text_of_outputs
from notebook_bcc_ext.ports import CellText
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    WIDGETS_KEY,
    ChangeOutputs,
    DeleteCell,
    InsertCell,
    LoggedOp,
    NotebookOp,
    SetCellMetadata,
    SetExecution,
    SetNotebookMetadata,
    SetSource,
    SetWidgets,
    mark_of,
    says_still,
)
from notebook_bcc_ext.protocol.planner.observation import NotebookSummary

Json = dict[str, Any]

_LAST_OUTPUT_CHARS = 1_000
_LAST_OUTPUTS = 20
_HEADING = "# "


@dataclass
class RunPart:
    """Where a run's cells are in the notebook."""

    after_id: str | None
    """The cell before its first one; None where it begins the notebook."""
    heading_id: str | None = None


class NotebookView:
    def __init__(self, notebook: Json, anchor_id: str | None, *, keep_cells: int = 50) -> None:
        cells = notebook["cells"]
        self._keep_cells = keep_cells
        self._metadata: Json = dict(notebook["metadata"])
        for ours_or_large in (METADATA_KEY, WIDGETS_KEY):
            self._metadata.pop(ours_or_large, None)
        self.ids: set[str] = {cell["id"] for cell in cells}
        self._deleted: set[str] = set()
        self._count = len(cells)
        self.tail_id: str | None = cells[-1]["id"] if cells else None
        self._tail_type: str | None = cells[-1]["cell_type"] if cells else None
        self.heading_id: str | None = None
        self.heading_source = ""
        self.parts: dict[str, RunPart] = {}
        """By run, where what it wrote begins."""
        before: str | None = None
        for cell in cells:
            self._note_part(cell, before)
            if self.heading_id is None:
                self._note_heading(cell)
            before = cell["id"]
        # The latest cells are those up to the one written last: the next cell follows there.
        end = next((i + 1 for i, cell in enumerate(cells) if cell["id"] == anchor_id), len(cells))
        latest = cells[max(0, end - keep_cells) : end]
        self._latest: OrderedDict[str, Json] = OrderedDict(
            (cell["id"], copy_of_cell(cell)) for cell in latest
        )
        executed = [cell for cell in cells if cell["cell_type"] == "code" and cell["outputs"]]
        self._output_id: str | None = executed[-1]["id"] if executed else None
        self._output_text = _text_of(executed[-1]["outputs"]) if executed else None

    # -- answers ------------------------------------------------------------------------------

    def summary(self) -> NotebookSummary:
        return NotebookSummary(
            title=self._title(),
            cell_count=self._count,
            last_cell_type=self._tail_type,
            last_output=self._last_output(),
        )

    def latest(self, limit: int) -> list[Json]:
        cells = list(self._latest.values())
        return [copy_of_cell(cell) for cell in cells[max(0, len(cells) - limit) :]]

    def metadata(self) -> Json:
        return dict(self._metadata)

    def text_of(self, cell_id: str) -> CellText | None:
        """None when the cell is not among the latest; it may still be in the notebook."""
        cell = self._latest.get(cell_id)
        return None if cell is None else text_of_cell(cell)

    def _title(self) -> str | None:
        title = self._metadata.get("title")
        if isinstance(title, str) and title:
            return title
        lines = self.heading_source.splitlines()
        return lines[0].removeprefix(_HEADING).strip() if lines else None

    def _last_output(self) -> str | None:
        cell = None if self._output_id is None else self._latest.get(self._output_id)
        # Its user may have made it a cell of text since.
        return self._output_text if cell is None else _text_of(cell.get("outputs", []))

    # -- changes ------------------------------------------------------------------------------

    def apply(self, op: NotebookOp) -> None:
        match op:
            case InsertCell():
                self._insert(op)
            case DeleteCell():
                self._delete(op)
            case SetNotebookMetadata():
                merge_metadata(self._metadata, op.metadata)
            case SetWidgets():
                pass
            case SetSource() | SetCellMetadata() | SetExecution() | ChangeOutputs():
                self._change(op)
            case _:
                assert_never(op)

    def _insert(self, op: InsertCell) -> None:
        cell_id = op.cell["id"]
        if cell_id in self._latest:
            return
        at_end = op.after_id == self.tail_id or (
            op.after_id is not None and op.after_id not in self.ids
        )
        old_tail = self.tail_id
        self.ids.add(cell_id)
        self._deleted.discard(cell_id)
        self._count += 1
        if at_end:
            self.tail_id, self._tail_type = cell_id, op.cell["cell_type"]
        self._latest[cell_id] = copy_of_cell(op.cell)
        if op.after_id is None:
            self._latest.move_to_end(cell_id, last=False)
        self._note_part(op.cell, old_tail if at_end else op.after_id)
        if self.heading_id is None or op.after_id is None:
            self._note_heading(op.cell)
        if len(self._latest) > self._keep_cells:
            self._let_go()

    def _let_go(self) -> None:
        cell_id, cell = self._latest.popitem(last=False)
        if cell_id == self._output_id:
            self._output_text = _text_of(cell["outputs"])

    def _delete(self, op: DeleteCell) -> None:
        cell_id, cell = op.cell_id, self._latest.get(op.cell_id)
        if cell_id not in self.ids or cell_id in self._deleted:
            return
        if cell and not says_still(cell["cell_type"], cell["source"], op.if_written):
            return
        self._latest.pop(cell_id, None)
        self._count -= 1
        # The id stays taken: a new cell must not be mistaken for the deleted one.
        self._deleted.add(cell_id)
        if cell_id == self.heading_id:
            self.heading_id, self.heading_source = None, ""
        for part in self.parts.values():
            if part.heading_id == cell_id:
                part.heading_id = None

    def _change(self, op: SetSource | SetCellMetadata | SetExecution | ChangeOutputs) -> None:
        cell = self._latest.get(op.cell_id)
        if cell is not None:
            change_cell(cell, op)
            if isinstance(op, ChangeOutputs) and (op.outputs or op.text):
                self._output_id = op.cell_id
        if isinstance(op, SetSource) and op.cell_id == self.heading_id:
            self.heading_source = op.source

    def _note_heading(self, cell: Json) -> None:
        if _is_heading(cell):
            self.heading_id, self.heading_source = cell["id"], cell["source"]

    def _note_part(self, cell: Json, before: str | None) -> None:
        """`before` is the cell in front of it, None for the first."""
        run = mark_of(cell["id"], cell["metadata"]).get("run")
        if run is None:
            return
        part = self.parts.setdefault(run, RunPart(before))
        if part.heading_id is None and _is_heading(cell):
            part.heading_id = cell["id"]


def _is_heading(cell: Json) -> bool:
    return bool(cell["cell_type"] == "markdown" and cell["source"].startswith(_HEADING))


def text_of_cell(cell: Json) -> CellText:
    return CellText(cell["cell_type"], cell["source"], mark_of(cell["id"], cell["metadata"]))


class CurrentView:
    """The view as of now: what was read last, and what has been logged since."""

    def __init__(self, notices: NotebookNotices) -> None:
        self.view: NotebookView | None = None
        self._notices = notices
        self._reads_under_way = 0
        self._logged_meanwhile: list[LoggedOp] = []

    def logged(self, entries: list[LoggedOp]) -> None:
        self._notices.logged(entry.op for entry in entries)
        if self.view is not None:
            for entry in entries:
                self.view.apply(entry.op)
        if self._reads_under_way:
            self._logged_meanwhile.extend(entries)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While the file is read, remember what is logged: the reader may have missed it."""
        self._reads_under_way += 1
        try:
            yield
        finally:
            self._reads_under_way -= 1
            if not self._reads_under_way:
                self._logged_meanwhile.clear()

    def adopt(self, view: NotebookView, seq: int) -> None:
        """Take over what was read; what the log got after it is applied on top."""
        for entry in self._logged_meanwhile:
            if entry.seq > seq:
                view.apply(entry.op)
        self.view = view
        self._notices.found_cells(view.ids)


def _text_of(outputs: list[Json]) -> str | None:
    """The end of what the outputs say, as text."""
    return text_of_outputs(outputs[-_LAST_OUTPUTS:])[-_LAST_OUTPUT_CHARS:] or None
