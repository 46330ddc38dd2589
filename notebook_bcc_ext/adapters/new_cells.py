"""The cells a document adds: their ids, their places, and which are still on their way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from notebook_bcc_ext.adapters.notebook_apply import unused_id
from notebook_bcc_ext.adapters.notebook_view import NotebookView
from notebook_bcc_ext.ports import CellText, NewCell
from notebook_bcc_ext.protocol.notebook_ops import InsertCell, LoggedOp

Json = dict[str, Any]


class NewCells:
    def __init__(self) -> None:
        self.anchor_id: str | None = None
        """The last cell that was written in reading order; the next one follows it."""
        self.on_their_way: dict[str, CellText] = {}
        """By cell id, those that are not in the log yet: nobody else has seen them."""
        self._ids: set[str] = set()

    def insertion(self, cell: NewCell, view: NotebookView) -> InsertCell:
        cell_id = unused_id(
            cell.wanted_id, lambda wanted: wanted in view.ids or wanted in self._ids
        )
        content: Json = {
            "id": cell_id,
            "cell_type": cell.cell_type,
            "metadata": dict(cell.metadata),
            "source": cell.source,
        }
        if cell.cell_type == "code":
            content |= {"outputs": [], "execution_count": None}
        after_id = None if cell.at_top else self.anchor_id or view.tail_id
        self._ids.add(cell_id)
        return InsertCell(cell=content, after_id=after_id)

    def sent(self, insertion: InsertCell, anchor_id: str | None) -> None:
        cell = insertion.cell
        self.on_their_way[cell["id"]] = CellText(cell["cell_type"], cell["source"])
        self.anchor_id = anchor_id or self.anchor_id

    def logged(self, entries: Iterable[LoggedOp]) -> None:
        for entry in entries:
            if isinstance(entry.op, InsertCell):
                self.on_their_way.pop(entry.op.cell["id"], None)
