"""The files of a playbook: the main one, and those beside it that it names.

A playbook may be a stranger's. It reaches nothing outside its folder and nothing hidden, and what
it reads is bounded.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Protocol

from notebook_bcc_ext.errors import BccError

MAX_FILE_BYTES = 1_000_000
MAX_ALL_BYTES = 5_000_000
SUFFIXES = (".yaml", ".yml")
_OUTSIDE = "leaves the playbook's folder; keep the file beside the playbook"


class PlaybookFileError(BccError):
    """Why a file of a playbook cannot be used, in words that follow its name."""


class PlaybookFiles(Protocol):
    def read(self, name: str) -> bytes:
        """The content of a file in the playbook's folder; raises PlaybookFileError."""


def checked_name(name: str) -> str:
    """`sub/file.py` as seen from the playbook's folder, in one spelling."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\x00" in name:
        raise PlaybookFileError(_OUTSIDE)
    if any(part.startswith(".") for part in parts):
        raise PlaybookFileError("is hidden; a playbook reads no hidden files")
    if not parts:
        raise PlaybookFileError("is no file name")
    return str(PurePosixPath(*parts))


class LocalFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._room = MAX_ALL_BYTES

    def read(self, name: str) -> bytes:
        path = (self._folder / checked_name(name)).resolve()
        if not path.is_relative_to(self._folder):
            raise PlaybookFileError(_OUTSIDE)
        if not path.is_file():
            raise PlaybookFileError("is not there; put the file beside the playbook")
        most = min(MAX_FILE_BYTES, self._room)
        try:
            with path.open("rb") as file:
                content = file.read(most + 1)
        except OSError as error:
            raise PlaybookFileError(f"cannot be read: {error.strerror}") from None
        self._room -= len(content)
        return within(content, most)


class FetchedFiles:
    """Files that somebody else fetches: `missing` says which to fetch before the next try."""

    def __init__(self) -> None:
        self.missing: set[str] = set()
        self._known: dict[str, bytes | PlaybookFileError] = {}

    def put(self, name: str, content: bytes | PlaybookFileError) -> None:
        self._known[name] = content
        self.missing.discard(name)

    @property
    def size(self) -> int:
        return sum(len(found) for found in self._known.values() if isinstance(found, bytes))

    def read(self, name: str) -> bytes:
        plain = checked_name(name)
        found = self._known.get(plain)
        if found is None:
            self.missing.add(plain)
            raise PlaybookFileError("is not there; put the file beside the playbook")
        if isinstance(found, PlaybookFileError):
            raise found
        return within(found, MAX_FILE_BYTES)


def within(content: bytes, most: int) -> bytes:
    if len(content) > most:
        raise PlaybookFileError(f"is larger than {most:,} bytes; use several smaller files")
    return content
