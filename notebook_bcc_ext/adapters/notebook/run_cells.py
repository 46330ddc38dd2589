"""What a run may do to cells that are in a notebook already: only to its own, as it wrote them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from notebook_bcc_ext.adapters.notebook.new_cells import TOP
from notebook_bcc_ext.adapters.notebook.view import RunPart, text_of_cell
from notebook_bcc_ext.ports import CellText, NewCell, Removed
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    DeleteCell,
    InsertCell,
    NotebookOp,
    SetCellMetadata,
    SetNotebookMetadata,
    SetSource,
    signed,
)

Json = dict[str, Any]


def heading(title: str, mark: Json) -> NewCell:
    return NewCell("markdown", f"# {title}", {METADATA_KEY: mark})


def titling(
    title: str,
    shown: object,
    part: RunPart | None,
    text: CellText | None,
    new_heading: Callable[[], InsertCell],
) -> list[NotebookOp]:
    """The heading of a run's part, and the notebook's title where there is none, or it came from
    that heading. `shown`: the title there is; `text`: of the heading, where the part has one."""
    ops: list[NotebookOp] = []
    if part is not None and part.heading_id is None:
        ops = [new_heading().model_copy(update={"after_id": part.after_id})]
    elif part is not None and part.heading_id is not None and text is not None and text.untouched:
        ops = rewriting(part.heading_id, text, retitled(text.source, title))
        if text.source.partition("\n")[0] == f"# {shown}":
            shown = None
    if not shown:
        ops.append(SetNotebookMetadata(metadata={"title": title}))
    return ops


def retitled(source: str, title: str) -> str:
    """Another first line; what stands below it stays."""
    return "\n".join([f"# {title}", *source.split("\n")[1:]])


def rewriting(cell_id: str, text: CellText, source: str) -> list[NotebookOp]:
    """The cell gets another text, unless a person changes it first."""
    mark = text.mark or {}
    now = signed(mark, cell_id, text.cell_type, source)
    return [
        SetSource(cell_id=cell_id, source=source, if_written=mark.get("written")),
        SetCellMetadata(cell_id=cell_id, metadata={METADATA_KEY: now}),
    ]


def removal(
    cells: Sequence[Json], run_id: str, after: int, until: int
) -> tuple[list[NotebookOp], str, Removed]:
    """Takes away what the actions behind number `after`, up to `until`, wrote: the operations, the
    cell behind which the next one belongs, and what becomes of whom."""
    ops: list[NotebookOp] = []
    gone: list[str] = []
    kept: list[str] = []
    anchor_id = before = TOP
    for cell in cells:
        text = text_of_cell(cell)
        mark = text.mark or {}
        if mark.get("run") == run_id and after < action_number(mark) <= until:
            if text.untouched:
                ops.append(DeleteCell(cell_id=cell["id"], if_written=mark["written"]))
                anchor_id = anchor_id if gone else before
                gone.append(cell["id"])
            else:
                kept.append(cell["id"])
        before = cell["id"]
    return ops, anchor_id, Removed(gone, kept)


def action_number(mark: Json) -> int:
    """Of the action that wrote the cell; 0 where the mark does not say."""
    number = str(mark.get("action", "")).removeprefix("action-")
    return int(number) if number.isdecimal() else 0
