"""Operations on a notebook: what the log stores, the file replays and open tabs mirror.

Every operation names its cell by id and can be applied twice without harm. Outputs changes carry
the revision of the cell's outputs after the change, so that a replay knows what it already has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from notebook_bcc_ext.protocol.base import BrowserModel

# The one metadata key of ours, on cells (provenance) and on notebooks (log position).
METADATA_KEY = "notebook_bcc"

MAX_SEQ = 2**40
"""No log gets that far; and browsers count exactly up to 2**53."""

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
    if_written: str | None = None
    """Only where the cell still says this (see `fingerprint`): a person's words are left alone."""


class SetCellMetadata(BrowserModel):
    """Merge into the cell's metadata; a value of None removes its key."""

    op: Literal["metadata"] = "metadata"
    cell_id: str
    metadata: Json


class DeleteCell(BrowserModel):
    op: Literal["delete"] = "delete"
    cell_id: str
    if_written: str | None = None
    """As for `SetSource`."""


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


class SetWidgets(BrowserModel):
    """Merge the state of widgets, by model id, into `metadata.widgets`; None removes one."""

    op: Literal["widgets"] = "widgets"
    models: dict[str, Json | None]


NotebookOp = Annotated[
    InsertCell
    | SetSource
    | SetCellMetadata
    | DeleteCell
    | SetExecution
    | ChangeOutputs
    | SetNotebookMetadata
    | SetWidgets,
    Field(discriminator="op"),
]


# -- whose cell it is ------------------------------------------------------------------------


def fingerprint(cell_type: str, source: str) -> str:
    text = f"{cell_type}\n{source}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def signed(mark: Mapping[str, Any], cell_id: str, cell_type: str, source: str) -> Json:
    """The provenance with what was written and where, so that it tells what people changed."""
    return {**mark, "cell": cell_id, "written": fingerprint(cell_type, source)}


def mark_of(cell_id: str, metadata: Mapping[str, Any]) -> Json:
    """The provenance of a cell that a run wrote; empty for a person's, a copy of ours included."""
    mark = metadata.get(METADATA_KEY)
    return dict(mark) if isinstance(mark, Mapping) and mark.get("cell") == cell_id else {}


def says_still(cell_type: str, source: str, written: str | None) -> bool:
    """Whether an operation that is meant for a cell as it was written may change it."""
    return written is None or fingerprint(cell_type, source) == written


# -- widgets ---------------------------------------------------------------------------------

WIDGETS_KEY = "widgets"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def with_widgets(kept: object, models: Mapping[str, Json | None]) -> Any:
    """`metadata.widgets` with the models; what else is there stays. What is there in no known
    shape is left alone."""
    widgets: Any = {} if kept is None else kept
    entry: Any = widgets.get(WIDGET_STATE, {}) if isinstance(widgets, Mapping) else None
    state = entry.get("state", {}) if isinstance(entry, Mapping) else None
    if not isinstance(state, Mapping):
        return kept
    merged = {key: model for key, model in {**state, **models}.items() if model is not None}
    version = {"version_major": 2, "version_minor": 0}
    return {**widgets, WIDGET_STATE: {**version, **entry, "state": merged}}


class LoggedOp(BrowserModel):
    """An operation at its place in a notebook's log."""

    seq: int
    op: NotebookOp
