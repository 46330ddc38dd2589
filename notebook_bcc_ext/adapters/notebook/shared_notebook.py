"""A notebook that people edit together: the operation log applied to its shared document.

With jupyter-collaboration a notebook that is open in a browser lives in a *room*, a document that
all browsers share and that the package itself saves. Under a live room the file is not ours to
write: the room would take our save for a foreign change and overwrite what people typed since its
own last one. So the room is one more mirror of the log. Like the file it carries its place in the
log (`metadata.notebook_bcc`), so operations meet it once, whoever brought it there: us, or a file
that had them when the room was made.

A room goes a minute after its last browser, possibly before its last save. It is looked up again
for every batch, and what did not reach the disk is written from the log.

Everything here happens on the server's event loop; a batch is one transaction without an await.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from pycrdt import Array, Map, Text

from notebook_bcc_ext.adapters.notebook.apply import apply_outputs, log_position, storable_output
from notebook_bcc_ext.adapters.short_tasks import in_short_task
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
    with_widgets,
)

Json = dict[str, Any]


class SharedNotebooks:
    """The rooms of the Jupyter server that has these settings."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings

    async def find(self, path: str) -> SharedNotebook | None:
        collaboration = self._settings.get("jupyter_server_ydoc")
        # Without file ids, whose extension may be switched off or broken, no room can be opened.
        if collaboration is None or "file_id_manager" not in self._settings:
            return None
        document = await in_short_task(
            collaboration.get_document(
                path=path, content_type="notebook", file_format="json", copy=False
            )
        )
        return None if document is None else SharedNotebook(document)


class SharedNotebook:
    def __init__(self, document: Any) -> None:
        self._document = document
        self._cells: Array[Any] = document.ycells
        self._meta: Map[Any] = document.ydoc.get("meta", type=Map)

    @property
    def is_loaded(self) -> bool:
        """A room that is being made has no content yet; what is written now would be doubled."""
        return "metadata" in self._meta and len(self._cells) > 0

    def position(self, log_id: str, otherwise: int) -> int:
        """The operation the document has reached; `otherwise` when it does not say."""
        known_id, seq = log_position({"metadata": {METADATA_KEY: self._claim()}})
        return seq if known_id == log_id else otherwise

    def text_of(self, cell_id: str) -> CellText | None:
        index = self._index_of(cell_id)
        if index is None:
            return None
        cell = self._cells[index]
        mark = mark_of(cell_id, cell["metadata"])
        return CellText(cell["cell_type"], str(cell["source"]), mark)

    @property
    def title(self) -> object:
        return self._meta["metadata"].get("title")

    def cells(self) -> list[Json]:
        return [
            {
                "id": cell["id"],
                "cell_type": cell["cell_type"],
                "source": str(cell["source"]),
                "metadata": {METADATA_KEY: cell["metadata"].get(METADATA_KEY)},
            }
            for cell in self._cells
        ]

    def apply(self, log_id: str, ops: Iterable[LoggedOp], position: int) -> int:
        """Apply what the document has not seen; the operation it has reached."""
        reached = position
        with self._document.ydoc.transaction():
            for logged in ops:
                if logged.seq > reached:
                    self._change(logged.op)
                    reached = logged.seq
            if self.position(log_id, -1) != reached:
                self._meta["metadata"][METADATA_KEY] = {"log_id": log_id, "applied_seq": reached}
            if self._meta.get("nbformat_minor", 0) < 5:  # noqa: PLR2004  ids came with 4.5
                self._meta["nbformat_minor"] = 5
        return reached

    def _claim(self) -> Json:
        claim = self._meta["metadata"].get(METADATA_KEY)
        return {**claim} if isinstance(claim, Mapping) else {}

    def _index_of(self, cell_id: str) -> int | None:
        # From the end, because a run changes what it wrote last.
        for index in reversed(range(len(self._cells))):
            if self._cells[index].get("id") == cell_id:
                return index
        return None

    # -- operations ---------------------------------------------------------------------------

    def _change(self, op: NotebookOp) -> None:
        if isinstance(op, InsertCell):
            self._insert(op)
            return
        if isinstance(op, SetNotebookMetadata):
            _merge(self._meta["metadata"], op.metadata)
            return
        if isinstance(op, SetWidgets):
            metadata = self._meta["metadata"]
            _merge(metadata, {WIDGETS_KEY: with_widgets(metadata.get(WIDGETS_KEY), op.models)})
            return
        index = self._index_of(op.cell_id)
        if index is None:
            return  # The person deleted it.
        cell: Map[Any] = self._cells[index]
        match op:
            case DeleteCell() | SetSource():
                self._rewrite(index, cell, op)
            case SetCellMetadata():
                _merge(cell["metadata"], op.metadata)
            case SetExecution() if cell["cell_type"] == "code":
                self._set_execution(cell, op)
            case ChangeOutputs() if cell["cell_type"] == "code":
                _change_outputs(cell["outputs"], op)
            case SetExecution() | ChangeOutputs():
                pass  # The person made a text cell of it.
            case _:
                assert_never(op)

    def _insert(self, op: InsertCell) -> None:
        if self._index_of(op.cell["id"]) is not None:
            return
        place = 0
        if op.after_id is not None:
            before = self._index_of(op.after_id)
            place = len(self._cells) if before is None else before + 1
        self._cells.insert(place, self._document.create_ycell(op.cell))

    def _rewrite(self, index: int, cell: Map[Any], op: DeleteCell | SetSource) -> None:
        if not says_still(cell["cell_type"], str(cell["source"]), op.if_written):
            return  # The person is typing there.
        if isinstance(op, DeleteCell):
            del self._cells[index]
        else:
            self._document.set_cell(index, source=op.source)

    def _set_execution(self, cell: Map[Any], op: SetExecution) -> None:
        if op.state == "running":
            cell["outputs"].clear()
            cell["metadata"]["trusted"] = True
        cell["execution_state"] = op.state
        cell["execution_count"] = op.execution_count


def _merge(metadata: Map[Any], changes: Json) -> None:
    for key, value in changes.items():
        if value is not None:
            metadata[key] = value
        elif key in metadata:
            del metadata[key]


def _change_outputs(outputs: Array[Any], op: ChangeOutputs) -> None:
    if op.change == "append":
        outputs.extend([_shared(storable_output(output)) for output in op.outputs])
        return
    if op.change == "extend" and 0 <= op.index < len(outputs):
        text = outputs[op.index].get("text")
        if isinstance(text, Text):
            text += op.text
            return
    # Browsers misrender a change in the middle of the list: write all of it again.
    plain = outputs.to_py() or []
    apply_outputs(plain, op)
    outputs.clear()
    outputs.extend([_shared(output) for output in plain])


def _shared(output: Json) -> Map[Any]:
    if output["output_type"] == "stream":
        return Map({**output, "text": Text(output["text"])})
    return Map(output)
