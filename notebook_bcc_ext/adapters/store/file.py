"""The store's file: opened, set aside when it is damaged, and its errors in words."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from datetime import UTC, datetime
from pathlib import Path

from notebook_bcc_ext.adapters.store.schema import migrate
from notebook_bcc_ext.errors import StoreError

Connection = sqlite3.Connection


def open_file(path: Path, busy_timeout_s: float) -> tuple[Connection, str | None]:
    """A connection, and what the person should know about the file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(path)
        return _open_sound_file(path, busy_timeout_s), None
    except (OSError, sqlite3.Error) as error:
        if _is_damage(error):
            return _open_new_file(path, busy_timeout_s, error)
        raise explained(path, error) from error


def _make_private(path: Path) -> None:
    """Made before SQLite makes it: its side files take over these rights. A link is not followed:
    whoever put it there would have another file opened, and its rights changed."""
    if path.is_symlink():
        raise StoreError(
            f"the run store {path} is a symbolic link, which is not followed: remove it, or name "
            "the file itself with NotebookBccApp.store_path"
        )
    flags = os.O_CREAT | os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(path, flags, 0o600)
    try:
        if stat.S_ISREG(os.fstat(file).st_mode):
            os.fchmod(file, 0o600)
    finally:
        os.close(file)


def _open_sound_file(path: Path, busy_timeout_s: float) -> Connection:
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    # A text that is not UTF-8 spoils its own row, not everybody's answer.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_size_limit = 8388608")
        _check(connection)
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_new_file(path: Path, busy_timeout_s: float, damage: Exception) -> tuple[Connection, str]:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    try:
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        path.touch(mode=0o600)
        connection = _open_sound_file(path, busy_timeout_s)
    except (OSError, sqlite3.Error) as error:
        raise explained(path, error) from error
    notice = (
        f"The run store {path} was damaged ({damage}). It was set aside as "
        f"{aside.name} and a new, empty one was made; earlier runs are not listed."
    )
    return connection, notice


def explained(path: Path, error: BaseException) -> BaseException:
    """SQLite's words as a sentence with a remedy; errors of ours pass."""
    if not isinstance(error, OSError | sqlite3.Error):
        return error
    text = str(error)
    if _is_damage(error):
        remedy = "it is damaged; restart the server: it will be set aside and made anew"
    elif "locked" in text or "busy" in text:
        remedy = "another process keeps it locked; close that one or choose another store file"
    elif "full" in text:
        remedy = "the disk is full; free some space and try again"
    elif "readonly" in text or _is_refused(error):
        remedy = "it cannot be written; check the rights of the file and its folder"
    else:
        remedy = "check the file and its folder"
    failure = StoreError(f"the run store {path} failed ({text}): {remedy}")
    failure.__cause__ = error
    return failure


def _check(connection: Connection) -> None:
    [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(f"database disk image is malformed: {verdict}")


def _is_refused(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)


def _is_damage(error: BaseException) -> bool:
    # A plain DatabaseError: its subclasses (locked, full, constraint) leave the file sound.
    text = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in text or "not a database" in text
    )
