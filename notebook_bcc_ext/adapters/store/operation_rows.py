"""The log's tables: jobs for the database's thread (see `OperationLog`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_bcc_ext.adapters.store.file import Connection
from notebook_bcc_ext.adapters.store.operation_text import to_row
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp, NotebookOp

GONE = "gone:"
"""Begins the place of a log whose notebook is no longer where it was."""
_STATE = "SELECT log_id, place, head_seq, flushed_seq, anchor_id FROM logs "


@dataclass(frozen=True)
class LogState:
    log_id: str
    place: str
    """Where the notebook is; unlike a path, unique across servers that share the store."""
    head_seq: int
    flushed_seq: int
    anchor_id: str | None
    """The last cell that was written in reading order; the next one follows it."""

    @property
    def is_sound(self) -> bool:
        """Whether the row says what it should."""
        types = [type(value) for value in (self.place, self.head_seq, self.flushed_seq)]
        return types == [str, int, int]


def unknown_log(log_id: str) -> StoreError:
    return StoreError(f"the operation log {log_id} is not in the run store: reopen the notebook")


def find(log_id: str | None, place: str | None, connection: Connection) -> LogState | None:
    row = connection.execute(_STATE + "WHERE log_id = ? OR place = ?", (log_id, place)).fetchone()
    return None if row is None else LogState(*row)


def unflushed(root: str, connection: Connection) -> list[LogState]:
    rows = connection.execute(
        _STATE + "WHERE head_seq > flushed_seq AND substr(place, 1, ?) = ?",
        (len(root) + 1, f"{root}/"),
    )
    return [LogState(*row) for row in rows]


def within(place: str, connection: Connection) -> list[LogState]:
    rows = connection.execute(
        _STATE + "WHERE place = ? OR substr(place, 1, ?) = ?",
        (place, len(place) + 1, f"{place}/"),
    )
    return [LogState(*row) for row in rows]


def start(log_id: str, place: str, now: float, connection: Connection) -> LogState:
    connection.execute("DELETE FROM logs WHERE place = ?", (place,))
    connection.execute(
        "INSERT INTO logs (log_id, place, updated_at) VALUES (?, ?, ?)",
        (log_id, place, now),
    )
    return LogState(log_id, place, 0, 0, None)


def move(log_id: str, place: str, connection: Connection) -> None:
    connection.execute("DELETE FROM logs WHERE place = ? AND log_id <> ?", (place, log_id))
    connection.execute("UPDATE logs SET place = ? WHERE log_id = ?", (place, log_id))


def retire(log_id: str, connection: Connection) -> None:
    connection.execute("DELETE FROM logs WHERE log_id = ?", (log_id,))


def advance(log_id: str, seq: int, connection: Connection) -> None:
    connection.execute(
        "UPDATE logs SET head_seq = max(head_seq, ?), flushed_seq = max(flushed_seq, ?)"
        " WHERE log_id = ?",
        (seq, seq, log_id),
    )
    # What is left would no longer be contiguous with what comes; the notebook has it anyway.
    connection.execute("DELETE FROM operations WHERE log_id = ? AND seq <= ?", (log_id, seq))


def forget_unused(before: float, in_use: Collection[str], connection: Connection) -> None:
    """Drop the logs that nobody wrote to since, but never what a file still lacks, nor what a
    run (at these places) may go on with."""
    rows = connection.execute(
        "SELECT log_id, place, head_seq > flushed_seq FROM logs WHERE updated_at < ?", (before,)
    ).fetchall()
    for log_id, place, lags in rows:
        is_gone = str(place).startswith(GONE)
        was_at = str(place).removeprefix(f"{GONE}{log_id}:")
        if was_at not in in_use and (is_gone or not lags):
            retire(log_id, connection)


class Append:
    """One write to a log; what is to follow it may be added until it is taken up."""

    def __init__(
        self, log_id: str, ops: Sequence[NotebookOp], anchor_id: str | None, now: float
    ) -> None:
        self._log_id = log_id
        self._ops = list(ops)
        self._anchor_id = anchor_id
        self._now = now

    def add(self, ops: Sequence[NotebookOp], anchor_id: str | None) -> None:
        self._ops.extend(ops)
        self._anchor_id = anchor_id or self._anchor_id

    def run(self, connection: Connection) -> list[LoggedOp]:
        row = connection.execute(
            "SELECT head_seq FROM logs WHERE log_id = ?", (self._log_id,)
        ).fetchone()
        if row is None or not isinstance(row[0], int):
            raise unknown_log(self._log_id)
        logged: list[LoggedOp] = []
        rows: list[tuple[str, int, int, str]] = []
        for seq, op in enumerate(self._ops, start=row[0] + 1):
            stored, body = to_row(op, seq)
            logged.append(LoggedOp.model_construct(seq=seq, op=stored))
            rows.append((self._log_id, seq, len(body), body))
        connection.executemany("INSERT INTO operations VALUES (?, ?, ?, ?)", rows)
        connection.execute(
            "UPDATE logs SET head_seq = ?, anchor_id = ifnull(?, anchor_id), updated_at = ?"
            " WHERE log_id = ?",
            (row[0] + len(rows), self._anchor_id, self._now, self._log_id),
        )
        return logged


def since(
    log_id: str, seq: int, limit: int | None, connection: Connection
) -> list[tuple[int, Any]] | None:
    row = connection.execute(
        "SELECT head_seq, (SELECT min(seq) FROM operations WHERE log_id = logs.log_id)"
        " FROM logs WHERE log_id = ?",
        (log_id,),
    ).fetchone()
    if row is None or not isinstance(row[0], int):
        raise unknown_log(log_id)
    head, oldest = row
    if seq >= head:
        return []
    if oldest is None or seq < oldest - 1:
        return None
    return connection.execute(
        "SELECT seq, body FROM operations WHERE log_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (log_id, seq, -1 if limit is None else limit),
    ).fetchall()


def all_rows(log_id: str, connection: Connection) -> list[tuple[int, Any]]:
    return connection.execute(
        "SELECT seq, body FROM operations WHERE log_id = ? ORDER BY seq", (log_id,)
    ).fetchall()


def record_flush(
    log_id: str, seq: int, free: int, limits: tuple[int, int], connection: Connection
) -> None:
    connection.execute(
        "UPDATE logs SET flushed_seq = max(flushed_seq, ?) WHERE log_id = ?", (seq, log_id)
    )
    # The newest stay, as many as both limits allow.
    [surplus] = connection.execute(
        "SELECT max(seq) FROM (SELECT seq, row_number() OVER newest AS position,"
        " sum(bytes) OVER newest AS total FROM operations WHERE log_id = ?"
        " WINDOW newest AS (ORDER BY seq DESC)) WHERE position > ? OR total > ?",
        (log_id, *limits),
    ).fetchone()
    if surplus is not None:
        connection.execute(
            "DELETE FROM operations WHERE log_id = ? AND seq <= ?", (log_id, min(surplus, free))
        )


def store_image(log_id: str, seq: int, packed: bytes, connection: Connection) -> None:
    connection.execute("INSERT OR REPLACE INTO images VALUES (?, ?, ?)", (log_id, seq, packed))


def image_row(log_id: str, connection: Connection) -> tuple[int, Any] | None:
    row = connection.execute(
        "SELECT seq, content FROM images WHERE log_id = ?", (log_id,)
    ).fetchone()
    return None if row is None or not isinstance(row[0], int) else (row[0], row[1])
