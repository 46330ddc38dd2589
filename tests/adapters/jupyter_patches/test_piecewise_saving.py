"""Notebooks written piece by piece are, byte for byte, what nbformat writes."""

from __future__ import annotations

import io
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager
from jupyter_server.services.contents.largefilemanager import (
    AsyncLargeFileManager,
    LargeFileManager,
)

from notebook_bcc_ext.adapters.jupyter_patches import piecewise_saving
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
METADATA = st.dictionaries(TEXTS | st.just("trusted"), JSON, max_size=3)


@st.composite
def cells(draw: st.DrawFn) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "id": draw(st.from_regex(r"[a-z0-9-]{1,8}", fullmatch=True)),
        "cell_type": draw(st.sampled_from(["markdown", "code"])),
        "metadata": draw(METADATA),
        "source": draw(st.sampled_from(["", "a\nb\n", '"cells": [],\n ]', "名"])) + draw(TEXTS),
    }
    if cell["cell_type"] == "code":
        stream = {"output_type": "stream", "name": "stdout", "text": draw(TEXTS) + "\nx"}
        shown = {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/plain": draw(TEXTS), "application/json": draw(JSON)},
        }
        cell |= {"execution_count": None, "outputs": draw(st.sampled_from([[], [stream, shown]]))}
    return cell


def by_nbformat(notebook: Any) -> str:
    file = io.StringIO()
    nbformat.write(notebook, file, version=nbformat.NO_CONVERT)
    return file.getvalue()


def in_pieces(notebook: Any) -> str:
    file = io.StringIO()
    piecewise_saving.write_notebook(notebook, file)
    return file.getvalue()


@given(
    st.lists(cells(), max_size=8, unique_by=lambda cell: cell["id"]), METADATA, st.integers(1, 3)
)
def test_the_bytes_are_those_of_nbformat(
    some: list[dict[str, Any]], metadata: dict[str, Any], at_once: int
) -> None:
    content = {"cells": some, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    notebook = nbformat.from_dict(content)
    before = piecewise_saving._CELLS_AT_ONCE
    piecewise_saving._CELLS_AT_ONCE = at_once
    try:
        assert in_pieces(notebook) == by_nbformat(notebook)
    finally:
        piecewise_saving._CELLS_AT_ONCE = before


def test_an_older_format_is_written_too() -> None:
    notebook = nbformat.v3.new_notebook(worksheets=[])
    assert in_pieces(notebook) == by_nbformat(notebook)


@pytest.mark.parametrize(
    "kind", [AsyncLargeFileManager, AsyncFileContentsManager, LargeFileManager]
)
async def test_a_managers_files_are_the_same_as_before(kind: Any, tmp_path: Any) -> None:
    content = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(f"x = {n}") for n in range(120)]
    )
    usual, ours = kind(root_dir=str(tmp_path)), kind(root_dir=str(tmp_path))
    access = ContentsAccess(ours)
    model = {"type": "notebook", "format": "json", "content": content}
    saved = usual.save(dict(model), "usual.ipynb")
    if hasattr(saved, "__await__"):
        await saved
    await access.run(lambda: access.save("ours.ipynb", content))
    assert (tmp_path / "ours.ipynb").read_bytes() == (tmp_path / "usual.ipynb").read_bytes()
    assert "_save_notebook" in vars(ours)
    access.close()
