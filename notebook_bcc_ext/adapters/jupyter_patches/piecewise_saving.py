"""Writes a notebook's file piece by piece.

`nbformat.write` copies the whole notebook and then holds every scrap of its JSON at once: ten
kilobytes for each cell, and long stretches in which no other thread runs. jupyter_server's managers
write with it; here they get a writer that gives nbformat a few cells at a time and puts the texts
together. The bytes are the same.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import nbformat
from anyio.to_thread import run_sync
from jupyter_server.services.contents.fileio import AsyncFileManagerMixin, FileManagerMixin
from nbformat import NotebookNode
from nbformat.v4.nbjson import JSONWriter

log = logging.getLogger(__name__)

_make_node: Callable[[dict[str, Any]], NotebookNode] = NotebookNode
_write_node: Callable[[NotebookNode], str] = JSONWriter().writes
_whole: Callable[..., str] = nbformat.writes

# Theirs has no public name.
_METHOD = "_save_notebook"
_ARGUMENTS = ("self", "os_path", "nb", "capture_validation_error")
_CELLS_AT_ONCE = 50
_NO_CELLS = '{\n "cells": [],\n'
_BEGIN = '{\n "cells": [\n'
_END = "\n ],\n"


def save_in_pieces(manager: Any) -> None:
    """Let a manager of jupyter_server's own write like this; others are left as they are, and so
    is one whose method was replaced already or is not the one that is known here."""
    usual = getattr(type(manager), _METHOD, None)
    if usual is None or _METHOD in vars(manager):
        return
    if tuple(inspect.signature(usual).parameters) != _ARGUMENTS:
        return

    def save(os_path: str, nb: NotebookNode, capture_validation_error: Any = None) -> None:
        with manager.atomic_writing(os_path, encoding="utf-8") as file:
            write_notebook(nb, file, capture_validation_error)

    async def save_async(
        os_path: str, nb: NotebookNode, capture_validation_error: Any = None
    ) -> None:
        with manager.atomic_writing(os_path, encoding="utf-8") as file:
            await run_sync(write_notebook, nb, file, capture_validation_error)

    if usual is vars(AsyncFileManagerMixin).get(_METHOD):
        setattr(manager, _METHOD, save_async)
    elif usual is vars(FileManagerMixin).get(_METHOD):
        setattr(manager, _METHOD, save)


def write_notebook(nb: NotebookNode, file: TextIO, capture_validation_error: Any = None) -> None:
    """As `nbformat.write(nb, file, version=NO_CONVERT)`."""
    try:
        nbformat.validate(nb)
    except nbformat.ValidationError as error:
        log.warning("the notebook's JSON is invalid: %s", error)
        if isinstance(capture_validation_error, dict):
            capture_validation_error["ValidationError"] = error
    file.writelines(_pieces(nb))
    file.write("\n")


def _pieces(nb: NotebookNode) -> Iterator[str]:
    frame = _json({**nb, "cells": []})
    cells = nb.get("cells")
    if nb.get("nbformat") != nbformat.current_nbformat or not frame.startswith(_NO_CELLS):
        yield _whole(nb, version=nbformat.NO_CONVERT)
        return
    if not cells:
        yield frame
        return
    # What follows the cells in a notebook that has nothing else to say.
    bare = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    rest = _END + _json(bare).removeprefix(_NO_CELLS)
    yield _BEGIN
    for start in range(0, len(cells), _CELLS_AT_ONCE):
        if start:
            yield ",\n"
        some = _json({**bare, "cells": cells[start : start + _CELLS_AT_ONCE]})
        yield some.removeprefix(_BEGIN).removesuffix(rest)
    yield _END + frame.removeprefix(_NO_CELLS)


def _json(content: dict[str, Any]) -> str:
    return _write_node(_make_node(content))
