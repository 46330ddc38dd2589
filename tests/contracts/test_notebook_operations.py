"""Every place that applies operations to a notebook, on the same cases.

The cases are a file that the browser's tests read, too (`src/live/__tests__/operations.spec.ts`):
what the file, a room, the server's memory and an open tab make of the same operations is the same
notebook.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jupyter_ydoc import YNotebook
from pydantic import TypeAdapter

from notebook_bcc_ext.adapters.notebook.apply import EditableNotebook, replay
from notebook_bcc_ext.adapters.notebook.shared_notebook import SharedNotebook
from notebook_bcc_ext.adapters.notebook.view import NotebookView
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY, LoggedOp, NotebookOp

pytestmark = pytest.mark.contract

Json = dict[str, Any]

_CASES = json.loads(
    (Path(__file__).parents[1] / "golden/notebook-operations.json").read_text("utf-8")
)
_OPERATIONS: TypeAdapter[list[NotebookOp]] = TypeAdapter(list[NotebookOp])


@pytest.fixture(params=_CASES, ids=lambda case: case["name"].replace(" ", "-"))
def case(request):
    return deepcopy(request.param)


def logged(case: Json) -> list[LoggedOp]:
    ops = _OPERATIONS.validate_python(case["operations"])
    return [LoggedOp(seq=seq, op=op) for seq, op in enumerate(ops, start=1)]


def test_in_the_file(case):
    notebook = case["before"]
    assert replay(notebook, logged(case), 0) == len(case["operations"])
    assert notebook == case["after"]


def test_in_the_file_one_by_one(case):
    notebook = case["before"]
    for entry in logged(case):
        editable = EditableNotebook(notebook)
        editable.change(entry.op)
        notebook = editable.finish()
    assert notebook == case["after"]


def test_in_a_room(case):
    document = YNotebook()
    document.set(case["before"])
    SharedNotebook(document).apply("log", logged(case), 0)
    notebook = document.get()
    assert notebook["metadata"].pop(METADATA_KEY) == {
        "log_id": "log",
        "applied_seq": len(case["operations"]),
    }
    for cell in notebook["cells"]:
        cell.pop("execution_state", None)
    assert notebook == case["after"]


def test_in_what_the_server_remembers(case):
    """The view knows the latest cells and how many there are, not their order."""
    before, after = case["before"], case["after"]
    view = NotebookView(before, None, keep_cells=1_000)
    for entry in logged(case):
        view.apply(entry.op)
    assert by_id(view.latest(1_000)) == by_id(after["cells"])
    assert view.summary().cell_count == len(after["cells"])
    assert view.metadata() == {k: v for k, v in after["metadata"].items() if k != "widgets"}


def by_id(cells: list[Json]) -> dict[str, Json]:
    return {cell["id"]: cell for cell in cells}
