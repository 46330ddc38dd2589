"""Whether a notebook has the shape that everything here relies on.

Less than nbformat asks for: Jupyter reads and saves notebooks that are not quite valid, and so do
we. What is not even this cannot be merged with a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from notebook_bcc_ext.errors import NotebookError
from notebook_bcc_ext.protocol.nesting import NOTEBOOK_DEPTH, is_too_deep, too_deep

_NBFORMAT = 4
_TEXT = (str, list)


def refuse_malformed(path: str, notebook: Any) -> None:
    fault = fault_of(notebook)
    if fault is not None:
        raise NotebookError(f"{path} is not a notebook that can be worked with: {fault}")


def fault_of(notebook: Any) -> str | None:
    """The first thing that is wrong, as a part of a sentence."""
    return next(_faults(notebook), None)


def _faults(notebook: Any) -> Iterator[str]:
    if not isinstance(notebook, dict):
        yield "it is no JSON object"
        return
    if notebook.get("nbformat") != _NBFORMAT or isinstance(notebook["nbformat"], float):
        yield f"its nbformat is not {_NBFORMAT}"
    if type(notebook.get("nbformat_minor", 0)) is not int:
        yield "its nbformat_minor is no number"
    if not isinstance(notebook.get("metadata"), dict):
        yield "its metadata is no object"
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        yield "it has no list of cells"
        return
    if is_too_deep(notebook, NOTEBOOK_DEPTH):
        yield too_deep(NOTEBOOK_DEPTH)
    for number, cell in enumerate(cells, start=1):
        yield from (f"cell {number} {fault}" for fault in _cell_faults(cell))


def _cell_faults(cell: Any) -> Iterator[str]:
    if not isinstance(cell, dict):
        yield "is no object"
        return
    if not isinstance(cell.get("cell_type"), str):
        yield "has no cell_type"
    if not isinstance(cell.get("id", ""), str):
        yield "has an id that is no text"
    if not isinstance(cell.get("metadata"), dict):
        yield "has no metadata object"
    if not isinstance(cell.get("source"), _TEXT):
        yield "has no source"
    if cell.get("cell_type") == "code":
        outputs = cell.get("outputs")
        if not isinstance(outputs, list) or not all(map(_is_output, outputs)):
            yield "has outputs that are none"


def _is_output(output: Any) -> bool:
    if not isinstance(output, dict) or not isinstance(output.get("output_type"), str):
        return False
    if output["output_type"] == "stream":
        return isinstance(output.get("text"), _TEXT)
    return isinstance(output.get("data", {}), dict)
