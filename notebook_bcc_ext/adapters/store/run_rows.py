"""The tables of runs: jobs for the database's thread (see `SqliteRunStore`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from notebook_bcc_ext.adapters.store.file import Connection

Row = tuple[Any, ...]
Home = tuple[str | None, str | None]
"""The folder of notebooks that a run is about, and the server that owns it."""

SUMMED = "summed"
_RUN = "SELECT run_id, snapshot, notebook, state IS NULL FROM runs "


class RunRow(NamedTuple):
    """A run as its row has it, not yet read."""

    run_id: str
    snapshot: Any
    """Its request; of earlier releases, everything that was known of it."""
    notebook: str | None
    is_of_earlier_release: bool


class FactRow(NamedTuple):
    number: int
    kind: str
    body: str


def add_run(run_id: str, request: str, home: Home, now: float, connection: Connection) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO runs (run_id, snapshot, place, owner, updated_at, state)"
        " VALUES (?, ?, ?, ?, ?, 'idle')",
        (run_id, request, *home, now),
    )


def add_facts(
    run_id: str,
    facts: Sequence[FactRow],
    standing: tuple[str, str, float],
    connection: Connection,
) -> None:
    """`standing`: the state they lead to, the notebook's path, and the time."""
    connection.executemany(
        # What a failing store did not confirm is given again.
        "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
        [(run_id, *fact) for fact in facts],
    )
    connection.execute(
        # A clock that was set back does not make a run older.
        "UPDATE runs SET state = ?, notebook = ?, updated_at = max(updated_at, ?) WHERE run_id = ?",
        (*standing, run_id),
    )


def sum_up(run_id: str, number: int, body: str, connection: Connection) -> None:
    """One fact in the place of all up to that number."""
    connection.execute("DELETE FROM facts WHERE run_id = ? AND number <= ?", (run_id, number))
    connection.execute("INSERT INTO facts VALUES (?, ?, ?, ?)", (run_id, number, SUMMED, body))


def facts(run_id: str, after: int, connection: Connection) -> list[FactRow]:
    rows = connection.execute(
        "SELECT number, kind, body FROM facts WHERE run_id = ? AND number > ? ORDER BY number",
        (run_id, after),
    )
    return [FactRow(*row) for row in rows]


def facts_of_kinds(
    run_id: str, kinds: Sequence[str], page: tuple[int, int], connection: Connection
) -> list[FactRow]:
    """`page`: how many of them to leave out, and how many to give at the most."""
    marks = ", ".join("?" * len(kinds))
    skip, limit = page
    rows = connection.execute(
        f"SELECT number, kind, body FROM facts WHERE run_id = ? AND kind IN ({marks})"  # noqa: S608  marks
        " ORDER BY number LIMIT ? OFFSET ?",
        (run_id, *kinds, limit, skip),
    )
    return [FactRow(*row) for row in rows]


def run(run_id: str, connection: Connection) -> RunRow | None:
    row = connection.execute(_RUN + "WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else RunRow(*row)


def runs(owner: str | None, connection: Connection) -> list[RunRow]:
    rows = connection.execute(
        _RUN + "WHERE ? IS NULL OR owner = ? ORDER BY number DESC", (owner, owner)
    )
    return [RunRow(*row) for row in rows]


def add_call(
    run_id: str, number: int, record: str, limits: tuple[int, int], connection: Connection
) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)", (run_id, number, len(record), record)
    )
    # The newest call stays even when it alone is over the limit: it is the one looked for.
    connection.execute(
        "DELETE FROM calls WHERE run_id = ? AND number <= ("
        " SELECT max(number) FROM (SELECT number, row_number() OVER newest AS position,"
        " sum(bytes) OVER newest AS total FROM calls WHERE run_id = ?"
        " WINDOW newest AS (ORDER BY number DESC))"
        " WHERE position > 1 AND (position > ? OR total > ?))",
        (run_id, run_id, *limits),
    )


def calls(run_id: str, after: int, limit: int, connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT record FROM calls WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?",
        (run_id, after, limit),
    )
    return [record for (record,) in rows]


def last_call_number(run_id: str, connection: Connection) -> int:
    row = connection.execute("SELECT max(number) FROM calls WHERE run_id = ?", (run_id,)).fetchone()
    return int(row[0] or 0)
