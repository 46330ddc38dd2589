"""What the run has to tell of what others did to its notebook: respected, and said."""

from __future__ import annotations

from collections.abc import Iterable

from notebook_bcc_ext.protocol.browser.notebook_ops import (
    DeleteCell,
    InsertCell,
    NotebookOp,
    SetSource,
)


class NotebookNotices:
    """Keeps a number per cell, not its text."""

    def __init__(self) -> None:
        self._written: dict[str, int] = {}
        self._waiting: list[str] = []

    def add(self, text: str) -> None:
        self._waiting.append(text)

    def take(self) -> list[str]:
        taken, self._waiting = self._waiting, []
        return taken

    # -- what the run did -----------------------------------------------------------------------

    def logged(self, ops: Iterable[NotebookOp]) -> None:
        for op in ops:
            match op:
                case InsertCell():
                    self._written[op.cell["id"]] = hash(op.cell["source"])
                case SetSource() if op.cell_id in self._written:
                    self._written[op.cell_id] = hash(op.source)
                case DeleteCell():
                    self._written.pop(op.cell_id, None)
                case _:
                    pass

    # -- what is found --------------------------------------------------------------------------

    def found_cells(self, ids: set[str]) -> None:
        gone = [cell_id for cell_id in self._written if cell_id not in ids]
        for cell_id in gone:
            del self._written[cell_id]
        if len(gone) == 1:
            self.add(f"cell {gone[0]} was deleted from the notebook; it stays deleted")
        elif gone:
            self.add(f"{len(gone)} cells were deleted from the notebook; they stay deleted")

    def found_source(self, cell_id: str, source: str) -> None:
        written = self._written.get(cell_id)
        if written is not None and written != hash(source):
            self._written[cell_id] = hash(source)
            self.add(f"cell {cell_id} was edited; the edited text counts")

    def found_foreign(self, path: str) -> None:
        self.add(f"{path} was changed by another program; both changes are kept")
