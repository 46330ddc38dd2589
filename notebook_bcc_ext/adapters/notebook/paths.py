"""Paths of notebooks as they come in: brought to one spelling, and refused where Jupyter would."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from tornado.web import HTTPError

from notebook_bcc_ext.errors import NotebookPathError

SUFFIX = ".ipynb"


def normal_path(path: str) -> str:
    """`a.ipynb` for `./a.ipynb`, `/a.ipynb/`, `b/../a.ipynb`: jupyter_server opens the same file
    for all of them."""
    normal = posixpath.normpath(path.strip("/"))
    return "" if normal == "." else normal


async def allowed_path(contents_manager: Any, path: str) -> str:
    """The path in its one spelling, if Jupyter serves what is there to its user."""
    normal = normal_path(path)
    parts = normal.split("/")
    if parts[0] == "..":
        raise NotebookPathError(f"{path} is outside of the folder that this server serves")
    if not getattr(contents_manager, "allow_hidden", False):
        hidden = any(part.startswith(".") for part in parts)
        if hidden or await _is_hidden(contents_manager, normal):
            raise NotebookPathError(
                f"{path} is hidden, and this server does not allow that "
                "(ContentsManager.allow_hidden): choose another name or folder"
            )
    return normal


async def path_for_run(contents_manager: Any, path: str) -> str:
    """The same for a notebook that a run is to work in."""
    normal = await allowed_path(contents_manager, path)
    check_suffix(normal, path)
    return normal


def check_suffix(name: str, said: str) -> None:
    if not name.endswith(SUFFIX) or name.rpartition("/")[2] == SUFFIX:
        raise NotebookPathError(f"{said} is no notebook: name a file that ends in {SUFFIX}")


async def _is_hidden(contents_manager: Any, path: str) -> bool:
    try:
        return bool(await ensure_async(contents_manager.is_hidden(path)))
    except NotImplementedError:
        return False
    except HTTPError as error:
        raise NotebookPathError(f"{path!r} cannot be used: {error.log_message}") from None


def same_file(one: str, other: str) -> bool:
    """Whether two places name one file: also through links, and where case does not matter."""
    if one == other:
        return True
    here, there = Path(one), Path(other)
    if not (here.is_absolute() and there.is_absolute()):
        return False
    try:
        return here.samefile(there)
    except (OSError, ValueError):
        return here.resolve() == there.resolve()
