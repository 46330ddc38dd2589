"""Operations on a notebook: what the log stores, the file replays and open tabs mirror.

Every operation names its cell by id and can be applied twice without harm. Outputs changes carry
the revision of the cell's outputs after the change, so that a replay knows what it already has.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from notebook_bcc_ext.protocol.base import BrowserModel

# The one metadata key of ours, on cells (provenance) and on notebooks (log position).
METADATA_KEY = "notebook_bcc"

Json = dict[str, Any]


class InsertCell(BrowserModel):
    op: Literal["insert"] = "insert"
    cell: Json
    """A complete nbformat 4.5 cell with its id."""
    after_id: str | None = None
    """The cell it follows; None puts it first. A cell that is gone means: at the end."""


class SetSource(BrowserModel):
    op: Literal["source"] = "source"
    cell_id: str
    source: str


class SetCellMetadata(BrowserModel):
    """Merge into the cell's metadata; a value of None removes its key."""

    op: Literal["metadata"] = "metadata"
    cell_id: str
    metadata: Json


class DeleteCell(BrowserModel):
    op: Literal["delete"] = "delete"
    cell_id: str


class SetExecution(BrowserModel):
    op: Literal["execution"] = "execution"
    cell_id: str
    state: Literal["running", "idle"]
    execution_count: int | None = None


class ChangeOutputs(BrowserModel):
    """One step of a cell's outputs.

    clear: no outputs; append: `outputs` follow; extend: `text` follows the stream output at
    `index`; replace: the output at `index` becomes `outputs[0]`; set: `outputs` are all there is.
    """

    op: Literal["outputs"] = "outputs"
    cell_id: str
    change: Literal["clear", "append", "extend", "replace", "set"]
    index: int = 0
    text: str = ""
    outputs: list[Json] = Field(default_factory=list)
    revision: int = 0


class SetNotebookMetadata(BrowserModel):
    """Merge into the notebook's metadata; a value of None removes its key."""

    op: Literal["notebook_metadata"] = "notebook_metadata"
    metadata: Json


NotebookOp = Annotated[
    InsertCell
    | SetSource
    | SetCellMetadata
    | DeleteCell
    | SetExecution
    | ChangeOutputs
    | SetNotebookMetadata,
    Field(discriminator="op"),
]


class LoggedOp(BrowserModel):
    """An operation at its place in a notebook's log."""

    seq: int
    op: NotebookOp
