"""The cells a document adds: their ids, their places, and which are still on their way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from notebook_bcc_ext.adapters.notebook.apply import unused_id
from notebook_bcc_ext.adapters.notebook.view import NotebookView
from notebook_bcc_ext.ports import CellText, NewCell
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    InsertCell,
    LoggedOp,
    mark_of,
    signed,
)

Json = dict[str, Any]


TOP = ""
"""An anchor that is no cell: the next one becomes the first."""


class NewCells:
    def __init__(self) -> None:
        self.anchor_id: str | None = None
        """The last cell that was written in reading order; the next one follows it."""
        self.on_their_way: dict[str, CellText] = {}
        """By cell id, those that are not in the log yet: nobody else has seen them."""
        self._ids: set[str] = set()

    def insertion(self, cell: NewCell, view: NotebookView) -> InsertCell:
        """The cell behind the last one, with an id of its own."""
        cell_id = unused_id(
            cell.wanted_id, lambda wanted: wanted in view.ids or wanted in self._ids
        )
        content: Json = {
            "id": cell_id,
            "cell_type": cell.cell_type,
            "metadata": dict(cell.metadata),
            "source": cell.source,
        }
        mark = cell.metadata.get(METADATA_KEY)
        if mark is not None:
            content["metadata"][METADATA_KEY] = signed(mark, cell_id, cell.cell_type, cell.source)
        if cell.cell_type == "code":
            content |= {"outputs": [], "execution_count": None}
        self._ids.add(cell_id)
        anchor_id = view.tail_id if self.anchor_id is None else self.anchor_id
        return InsertCell(cell=content, after_id=None if anchor_id == TOP else anchor_id)

    def sent(self, insertion: InsertCell) -> None:
        cell = insertion.cell
        mark = mark_of(cell["id"], cell["metadata"])
        self.on_their_way[cell["id"]] = CellText(cell["cell_type"], cell["source"], mark)
        self.anchor_id = cell["id"]

    def logged(self, entries: Iterable[LoggedOp]) -> None:
        for entry in entries:
            if isinstance(entry.op, InsertCell):
                self.on_their_way.pop(entry.op.cell["id"], None)
