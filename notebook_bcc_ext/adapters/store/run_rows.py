"""The tables of runs: jobs for the database's thread (see `SqliteRunStore`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from notebook_bcc_ext.adapters.store.file import Connection
from notebook_bcc_ext.adapters.store.schema import field_of
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.ports import ActivityChanges, StoredProposal
from notebook_bcc_ext.protocol.plain import json_text, model_text

Json = dict[str, Any]
Row = tuple[Any, ...]

_RUN = "SELECT run_id, snapshot, latest FROM runs "
_PROPOSAL_COLUMNS = "id, run_id, kind, content, decision, decided_by, reason, edited"
_ASKED_AT = field_of("content", "asked_at")


class StoredRun(NamedTuple):
    """A run as its rows have it, not yet read."""

    run_id: str
    snapshot: Any
    latest: Any
    trail: list[Any]


def save_run(
    run_id: str,
    snapshot: str,
    home: tuple[str | None, str | None],
    now: float,
    connection: Connection,
) -> None:
    connection.execute(
        "INSERT INTO runs (run_id, snapshot, place, owner, updated_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET snapshot = excluded.snapshot, latest = NULL,"
        # A clock that was set back does not make a run older.
        " intent = NULL, updated_at = max(updated_at, excluded.updated_at)",
        (run_id, snapshot, *home, now),
    )
    connection.execute("DELETE FROM trails WHERE run_id = ?", (run_id,))


def save_step(run_id: str, changed: str, entries: Sequence[str], connection: Connection) -> None:
    connection.execute(
        "UPDATE runs SET latest = ?, intent = NULL WHERE run_id = ?", (changed, run_id)
    )
    connection.executemany(
        "INSERT INTO trails (run_id, entry) VALUES (?, ?)", [(run_id, entry) for entry in entries]
    )


def save_activity(run_id: str, changes: ActivityChanges, connection: Connection) -> None:
    if changes.all_gone:
        connection.execute("DELETE FROM activity WHERE run_id = ?", (run_id,))
    connection.executemany(
        "DELETE FROM activity WHERE run_id = ? AND key = ?",
        [(run_id, key) for key in changes.gone],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO activity VALUES (?, ?, ?, ?)",
        [(run_id, node.key, node.revision, model_text(node)) for node in changes.nodes],
    )


def activity(run_id: str, connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT record FROM activity WHERE run_id = ? ORDER BY revision", (run_id,)
    )
    return [record for (record,) in rows]


def save_intent(run_id: str, intent: str, connection: Connection) -> None:
    connection.execute("UPDATE runs SET intent = ? WHERE run_id = ?", (intent, run_id))


def intent(run_id: str, connection: Connection) -> Any:
    row = connection.execute("SELECT intent FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else row[0]


def keep_transitions(run_id: str, count: int, connection: Connection) -> None:
    connection.execute("DELETE FROM transitions WHERE run_id = ? AND number > ?", (run_id, count))


def load_run(run_id: str, connection: Connection) -> StoredRun | None:
    row = connection.execute(_RUN + "WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _with_trail(connection, *row)


def list_runs(owner: str | None, connection: Connection) -> list[StoredRun]:
    rows = connection.execute(
        _RUN + "WHERE ? IS NULL OR owner = ? ORDER BY number DESC", (owner, owner)
    ).fetchall()
    return [_with_trail(connection, *row) for row in rows]


def _with_trail(connection: Connection, run_id: str, snapshot: Any, latest: Any) -> StoredRun:
    rows = (
        []
        if latest is None
        else connection.execute(
            "SELECT entry FROM trails WHERE run_id = ? ORDER BY number", (run_id,)
        )
    )
    return StoredRun(run_id, snapshot, latest, [entry for (entry,) in rows])


def add_transitions(run_id: str, records: Sequence[str], keep: int, connection: Connection) -> None:
    [last] = connection.execute(
        "SELECT ifnull(max(number), 0) FROM transitions WHERE run_id = ?", (run_id,)
    ).fetchone()
    numbered = list(enumerate(records, start=last + 1))
    connection.executemany(
        "INSERT INTO transitions VALUES (?, ?, ?)",
        [(run_id, number, record) for number, record in numbered],
    )
    # Not each time: transitions come with every action, and a few too many do no harm.
    if any(number % max(1, keep // 100) == 0 for number, _ in numbered):
        connection.execute(
            "DELETE FROM transitions WHERE run_id = ? AND number <= ?",
            (run_id, last + len(records) - keep),
        )


def rows_after(
    table: str, run_id: str, after: int, limit: int, connection: Connection
) -> list[tuple[int, str]]:
    return connection.execute(
        f"SELECT number, record FROM {table} WHERE run_id = ? AND number > ?"  # noqa: S608  a name of ours
        " ORDER BY number LIMIT ?",
        (run_id, after, limit),
    ).fetchall()


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


def last_call_number(run_id: str, connection: Connection) -> int:
    row = connection.execute("SELECT max(number) FROM calls WHERE run_id = ?", (run_id,)).fetchone()
    return int(row[0] or 0)


def add_proposal(proposal: StoredProposal, keep: int, connection: Connection) -> None:
    connection.execute(
        "DELETE FROM proposals WHERE run_id = ? AND decision IS NOT NULL AND id NOT IN ("  # noqa: S608  ours
        " SELECT id FROM proposals WHERE run_id = ? AND decision IS NOT NULL"
        f" ORDER BY {_ASKED_AT} DESC LIMIT ?)",
        (proposal.run_id, proposal.run_id, keep),
    )
    connection.execute(
        f"INSERT OR IGNORE INTO proposals ({_PROPOSAL_COLUMNS}) VALUES"  # noqa: S608  names of ours
        " (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            proposal.id,
            proposal.run_id,
            proposal.kind,
            json_text(proposal.content),
            proposal.decision,
            proposal.decided_by,
            proposal.reason,
            _optional_text(proposal.edited),
        ),
    )


def decide_proposal(decided: StoredProposal, connection: Connection) -> Row:
    connection.execute(
        "UPDATE proposals SET decision = ?, decided_by = ?, reason = ?, edited = ?"
        " WHERE id = ? AND decision IS NULL",
        (
            decided.decision,
            decided.decided_by,
            decided.reason,
            _optional_text(decided.edited),
            decided.id,
        ),
    )
    standing = proposal(decided.id, connection)
    if standing is None:
        raise NotFoundError(f"there is no proposal {decided.id}")
    return standing


def proposal(proposal_id: str, connection: Connection) -> Row | None:
    row: Row | None = connection.execute(
        f"SELECT {_PROPOSAL_COLUMNS} FROM proposals WHERE id = ?",  # noqa: S608  names of ours
        (proposal_id,),
    ).fetchone()
    return row


def proposals(run_id: str, connection: Connection) -> list[Row]:
    return connection.execute(
        f"SELECT {_PROPOSAL_COLUMNS} FROM proposals WHERE run_id = ?"  # noqa: S608  names of ours
        f" ORDER BY {_ASKED_AT}",
        (run_id,),
    ).fetchall()


def _optional_text(value: Json | None) -> str | None:
    return None if value is None else json_text(value)
