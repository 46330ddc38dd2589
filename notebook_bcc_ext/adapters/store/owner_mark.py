"""Whether the process that hosts a run is still alive.

Several servers of one user share the run store, so each run has an owner. An owner proves that it
lives by holding a lock on a file of its own; the operating system lets go of it the moment the
process ends, however it ends. SQLite takes the lock, because it knows how on every system.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from contextlib import suppress
from pathlib import Path


class OwnerMark:
    def __init__(self, store: Path) -> None:
        self._store = store
        self.id = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._lock: sqlite3.Connection | None = None

    def take(self) -> None:
        file = _file(self._store, self.id)
        file.touch(mode=0o600)
        # Closed in another thread than it was made in, but never used in two at once.
        self._lock = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._lock.execute("BEGIN EXCLUSIVE")

    def drop(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
            _file(self._store, self.id).unlink(missing_ok=True)


def is_alive(store: Path, owner: str) -> bool:
    """Whether that owner's process still runs. The mark of a dead one is removed."""
    file = _file(store, owner)
    if not file.exists():
        return False
    try:
        lock = sqlite3.connect(file, timeout=0, isolation_level=None)
        try:
            lock.execute("BEGIN IMMEDIATE")
        finally:
            lock.close()
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    with suppress(OSError):
        file.unlink(missing_ok=True)
    return False


def process_of(owner: str) -> str:
    """For people: the number that `ps` and the task manager show."""
    return owner.partition("-")[0]


def _file(store: Path, owner: str) -> Path:
    return store.with_name(f"{store.name}.owner-{owner}")
