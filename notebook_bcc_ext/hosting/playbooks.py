"""Playbooks beside the notebook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from notebook_bcc_ext.errors import BccError, NotFoundError
from notebook_bcc_ext.planners.files import (
    MAX_ALL_BYTES,
    SUFFIXES,
    FetchedFiles,
    PlaybookFileError,
    checked_name,
)
from notebook_bcc_ext.planners.library import MAX_LISTED, PlaybookLibrary, describe
from notebook_bcc_ext.planners.source import PlaybookError

if TYPE_CHECKING:
    from notebook_bcc_ext.planners.playbook import Playbook

Json = dict[str, Any]
Fetch = Callable[[str], Awaitable[str | None]]
"""A path -> its text; None where there is none that may be read."""
_MOST_ROUNDS = 4


async def load_beside(notebook: str, name: str, fetch: Fetch) -> Playbook:
    """The playbook `name`, a file in the folder of the notebook. Raises PlaybookError."""
    # Imported late: most notebooks have no playbook beside them.
    from notebook_bcc_ext.planners.loader import load  # noqa: PLC0415

    folder = notebook.rpartition("/")[0]
    files = FetchedFiles()
    try:
        main = checked_name(name)
    except PlaybookFileError as error:
        raise PlaybookError([f"{name}: {error}"]) from None
    files.missing.add(main)
    inside = main.rpartition("/")[0]
    for _ in range(_MOST_ROUNDS):
        for wanted in sorted(files.missing):
            below = wanted if wanted == main or not inside else f"{inside}/{wanted}"
            files.put(wanted, await _content(f"{folder}/{below}".lstrip("/"), fetch, files.size))
        try:
            return load(files, main)
        except PlaybookError:
            if not files.missing:
                raise
    return load(files, main)


async def _content(path: str, fetch: Fetch, so_far: int) -> bytes | PlaybookFileError:
    if so_far > MAX_ALL_BYTES:
        return PlaybookFileError(f"is too much: a playbook may have {MAX_ALL_BYTES:,} bytes")
    text = await fetch(path)
    if text is None:
        return PlaybookFileError("is not there; put the file beside the playbook")
    return text.encode("utf-8", "surrogatepass")


async def library_for(
    library: PlaybookLibrary, notebook: str, name: str, fetch: Fetch
) -> PlaybookLibrary:
    """The library with the playbook that a run in this notebook names, if that is a file."""
    if name in library.names() or not name.endswith(SUFFIXES):
        return library
    try:
        return library.also(name, await load_beside(notebook, name, fetch))
    except PlaybookError as error:
        gone = len(error.findings) == 1 and error.findings[0].startswith(f"{name}: is not there")
        if not gone:
            raise
        known = ", ".join(library.names())
        raise NotFoundError(
            f"there is no playbook '{name}' beside the notebook (there is: {known})"
        ) from None


async def describe_beside(
    notebook: str, files: list[str], fetch: Fetch, language: str
) -> list[Json]:
    """Those of the files in the notebook's folder that are playbooks."""
    found: list[Json] = []
    names = [one for one in sorted(files) if one.endswith(SUFFIXES) and not one.startswith(".")]
    for name in names[:MAX_LISTED]:
        try:
            playbook = await load_beside(notebook, name, fetch)
        except BccError:
            continue  # Some other YAML, or one that `playbooks check` can explain.
        found.append({**describe(playbook, language), "name": name})
    return found
