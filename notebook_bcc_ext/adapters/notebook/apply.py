"""Operations applied to a notebook, by cell id.

The rules that keep a notebook whole when the same operations meet it again, or meet one that a
person has edited meanwhile:

- An operation whose seq was applied already is skipped. So a cell of ours that is absent although
  its insertion was applied was deleted by the person, and stays deleted.
- Inserting an id that exists does nothing. A predecessor that is gone means: at the end.
- Changing a cell that is gone does nothing. Cells that no operation names are never touched.
- Outputs carry a revision (the seq that the log gave them): an older one than the cell has seen
  is skipped.

Trust: only the start of an execution marks a cell as trusted, and it empties the outputs in the
same step. Everything in the cell from then on came from our own run; when somebody else changes
the file in between, the signature no longer fits, the contents manager hands the cell out as
untrusted, and no later operation says otherwise.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, assert_never

from notebook_bcc_ext.protocol.browser.notebook_ops import (
    MAX_SEQ,
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
    says_still,
    with_widgets,
)

Json = dict[str, Any]
CellOp = SetSource | SetCellMetadata | SetExecution | ChangeOutputs

_ID_LIMIT = 64
_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_-]+")
# Stands before the first and after the last cell; no cell id is empty.
_ENDS = ""


class EditableNotebook:
    """A notebook whose cells are found by id; `finish` puts them back in order.

    Neighbours are kept as links, so that every operation costs the same in a notebook of ten and
    of ten thousand cells.
    """

    def __init__(self, notebook: Json, applied_seq: int = 0) -> None:
        self.applied_seq = applied_seq
        self._notebook = notebook
        self._cells: dict[str, Json] = {cell["id"]: cell for cell in notebook["cells"]}
        self._next = dict(pairwise([_ENDS, *self._cells, _ENDS]))
        self._previous = {after: before for before, after in self._next.items()}
        self._revisions: dict[str, int] = {}

    def apply(self, logged: LoggedOp) -> None:
        """Apply an operation of the log unless it was applied before."""
        if logged.seq > self.applied_seq:
            self.change(logged.op)
            self.applied_seq = logged.seq

    def change(self, op: NotebookOp) -> None:
        match op:
            case InsertCell():
                self._insert(op)
            case DeleteCell():
                self._delete(op)
            case SetNotebookMetadata():
                merge_metadata(self._notebook["metadata"], op.metadata)
            case SetWidgets():
                metadata = self._notebook["metadata"]
                widgets = with_widgets(metadata.get(WIDGETS_KEY), op.models)
                merge_metadata(metadata, {WIDGETS_KEY: widgets})
            case ChangeOutputs():
                if op.revision == 0 or op.revision > self._revisions.get(op.cell_id, 0):
                    self._revisions[op.cell_id] = op.revision
                    self._change_cell(op)
            case SetSource() | SetCellMetadata() | SetExecution():
                self._change_cell(op)
            case _:
                assert_never(op)

    def cell(self, cell_id: str) -> Json | None:
        return self._cells.get(cell_id)

    def finish(self) -> Json:
        """The notebook with its cells in order."""
        self._notebook["cells"] = list(self._in_order())
        return self._notebook

    def _in_order(self) -> Iterator[Json]:
        cell_id = self._next[_ENDS]
        while cell_id != _ENDS:
            yield self._cells[cell_id]
            cell_id = self._next[cell_id]

    def _insert(self, op: InsertCell) -> None:
        cell_id = op.cell["id"]
        if cell_id in self._cells:
            return
        if op.after_id is None:
            before = _ENDS
        elif op.after_id in self._cells:
            before = op.after_id
        else:
            before = self._previous[_ENDS]
        after = self._next[before]
        self._cells[cell_id] = copy_of_cell(op.cell)
        self._next[before] = self._previous[after] = cell_id
        self._next[cell_id], self._previous[cell_id] = after, before

    def _delete(self, op: DeleteCell) -> None:
        cell_id, cell = op.cell_id, self._cells.get(op.cell_id)
        if cell is not None and says_still(cell["cell_type"], cell["source"], op.if_written):
            del self._cells[cell_id]
            before, after = self._previous.pop(cell_id), self._next.pop(cell_id)
            self._next[before], self._previous[after] = after, before

    def _change_cell(self, op: CellOp) -> None:
        cell = self._cells.get(op.cell_id)
        if cell is not None:
            change_cell(cell, op)


def replay(notebook: Json, ops: Iterable[LoggedOp], applied_seq: int) -> int:
    """Apply what the notebook has not seen yet, in place; the seq it has seen now."""
    editable = EditableNotebook(notebook, applied_seq)
    for logged in ops:
        editable.apply(logged)
    editable.finish()
    return editable.applied_seq


def change_cell(cell: Json, op: CellOp) -> None:
    """Change one cell in place. What a cell of that type cannot have is ignored."""
    match op:
        case SetSource():
            if says_still(cell["cell_type"], cell["source"], op.if_written):
                cell["source"] = op.source
        case SetCellMetadata():
            merge_metadata(cell["metadata"], op.metadata)
        case SetExecution() if cell["cell_type"] == "code":
            if op.state == "running":
                cell["outputs"] = []
                cell["metadata"]["trusted"] = True
            cell["execution_count"] = op.execution_count
        case ChangeOutputs() if cell["cell_type"] == "code":
            apply_outputs(cell["outputs"], op)
        case SetExecution() | ChangeOutputs():
            pass  # The person made a text cell of it.
        case _:
            assert_never(op)


def apply_outputs(outputs: list[Json], op: ChangeOutputs) -> None:
    new = [storable_output(output) for output in op.outputs]
    there = 0 <= op.index < len(outputs)
    match op.change:
        case "clear":
            outputs.clear()
        case "set":
            outputs[:] = new
        case "append":
            outputs.extend(new)
        case "replace" if there:
            outputs[op.index : op.index + 1] = new[:1]
        case "replace":
            outputs.extend(new[:1])
        case "extend" if there and outputs[op.index]["output_type"] == "stream":
            stream = outputs[op.index]
            stream["text"] = _joined(stream["text"]) + op.text
        case "extend":
            # The person cleared the outputs while they streamed: go on with what comes now.
            outputs.append({"output_type": "stream", "name": "stdout", "text": op.text})
        case _:
            assert_never(op.change)


def merge_metadata(metadata: Json, changes: Json) -> None:
    for key, value in changes.items():
        if value is None:
            metadata.pop(key, None)
        else:
            metadata[key] = value


def storable_output(output: Json) -> Json:
    """A copy as nbformat stores it: text as one string, nothing transient.

    A list of lines is valid too, but it is read back as a string: the signature made before
    would not fit, and the notebook would lose its trust.
    """
    kept = {key: value for key, value in output.items() if key != "transient"}
    if kept["output_type"] == "stream":
        kept["text"] = _joined(kept["text"])
    elif "data" in kept:
        kept["data"] = {
            mime: value if mime.endswith("json") else _joined(value)
            for mime, value in kept["data"].items()
        }
    return kept


def _joined(text: Any) -> Any:
    return "".join(text) if isinstance(text, list) else text


def copy_of_cell(cell: Json) -> Json:
    """Deep enough that changing the copy never shows in the operation it came from."""
    copied = {**cell, "metadata": dict(cell["metadata"])}
    if "outputs" in cell:
        copied["outputs"] = [dict(output) for output in cell["outputs"]]
    return copied


# -- notebooks and ids ------------------------------------------------------------------------


def empty_notebook(metadata: Json) -> Json:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": dict(metadata), "cells": []}


def make_current(notebook: Json) -> bool:
    """nbformat 4.5 with an id of its own for every cell; whether anything had to change."""
    changed = int(notebook.get("nbformat_minor", 0)) < 5  # noqa: PLR2004  ids came with 4.5
    if changed:
        notebook["nbformat_minor"] = 5
    seen: set[str] = set()
    for cell in notebook["cells"]:
        if not cell.get("id") or cell["id"] in seen:
            cell["id"] = unused_id(None, seen.__contains__)
            changed = True
        seen.add(cell["id"])
    return changed


def unused_id(wanted: str | None, is_taken: Callable[[str], bool]) -> str:
    """The wanted id as far as nbformat (letters, digits, - and _, up to 64) and others allow."""
    base = _NOT_IN_AN_ID.sub("-", wanted or "").strip("-")[:_ID_LIMIT]
    if base and not is_taken(base):
        return base
    random = uuid.uuid4().hex
    return f"{base[: _ID_LIMIT - 9]}-{random[:8]}" if base else random[:12]


# -- the notebook's place in its log ----------------------------------------------------------


def log_position(notebook: Json) -> tuple[str | None, int]:
    """(log_id, applied_seq) as the notebook carries them; (None, 0) when it does not, or says
    what no log of ours can have said: anybody may have written the file."""
    ours = notebook["metadata"].get(METADATA_KEY)
    if not isinstance(ours, dict):
        return None, 0
    log_id, seq = ours.get("log_id"), ours.get("applied_seq")
    if isinstance(seq, float) and seq.is_integer():
        seq = int(seq)  # A browser writes every number as a float into a shared document.
    if not isinstance(log_id, str) or type(seq) is not int or not 0 <= seq <= MAX_SEQ:
        return None, 0
    return log_id, seq


def set_log_position(notebook: Json, log_id: str, applied_seq: int) -> None:
    ours = notebook["metadata"].get(METADATA_KEY)
    others = ours if isinstance(ours, dict) else {}
    notebook["metadata"][METADATA_KEY] = {**others, "log_id": log_id, "applied_seq": applied_seq}
