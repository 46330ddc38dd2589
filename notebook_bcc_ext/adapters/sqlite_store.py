"""Runs, transitions, planner calls and proposals, in the same database as the operation log."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from notebook_bcc_ext.adapters.sqlite_database import Database
from notebook_bcc_ext.adapters.sqlite_file import Connection
from notebook_bcc_ext.adapters.sqlite_upkeep import forget_run
from notebook_bcc_ext.errors import NotFoundError, StoreError
from notebook_bcc_ext.ports import ActivityChanges, CallRecord, StoredProposal
from notebook_bcc_ext.protocol.observation import TransitionRecord
from notebook_bcc_ext.protocol.runs import ActivityNode

Json = dict[str, Any]

log = logging.getLogger(__name__)

NO_ACTIVITY = ActivityChanges()
_CALL: TypeAdapter[CallRecord] = TypeAdapter(CallRecord)
_RUN = "SELECT run_id, snapshot, latest FROM runs "
_PROPOSAL_COLUMNS = "id, run_id, kind, content, decision, decided_by, reason, edited"


@dataclass(frozen=True)
class StoreLimits:
    """How much is kept of each run: the newest, within all limits."""

    calls: int = 500
    call_bytes: int = 20_000_000
    transitions: int = 20_000
    decided_proposals: int = 500


class SqliteRunStore:
    """`RunStore` on SQLite. With an owner it holds the runs of that server only, and `place`
    says which folder of notebooks they are about."""

    def __init__(
        self,
        database: Database,
        limits: StoreLimits | None = None,
        *,
        place: str | None = None,
        owner: str | None = None,
    ) -> None:
        self._database = database
        self._limits = limits or StoreLimits()
        self._home = (place, owner)

    # -- runs ---------------------------------------------------------------------------------

    async def save_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = NO_ACTIVITY
    ) -> None:
        await self._database.write(self._saving(run_id, snapshot, activity))

    def post_step(
        self,
        run_id: str,
        changed: str,
        trail: Sequence[Any],
        activity: ActivityChanges = NO_ACTIVITY,
    ) -> Future[None]:
        entries = [json.dumps(entry) for entry in trail]

        def save(connection: Connection) -> None:
            _save_step(run_id, changed, entries, connection)
            _save_activity(run_id, activity, connection)

        return self._post(save)

    def post_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = NO_ACTIVITY
    ) -> Future[None]:
        return self._post(self._saving(run_id, snapshot, activity))

    def _saving(
        self, run_id: str, snapshot: Json, activity: ActivityChanges
    ) -> Callable[[Connection], None]:
        text = json.dumps(snapshot)

        def save(connection: Connection) -> None:
            _save_run(run_id, text, self._home, connection)
            _save_activity(run_id, activity, connection)

        return save

    async def activity(self, run_id: str) -> list[ActivityNode]:
        rows = await self._database.read(partial(_activity, run_id))
        return [ActivityNode.model_validate_json(record) for record in rows]

    def post_intent(self, run_id: str, intent: Json) -> Future[None]:
        return self._post(partial(_save_intent, run_id, json.dumps(intent)))

    def _post(self, job: Callable[[Connection], None]) -> Future[None]:
        future = self._database.post(job)
        future.add_done_callback(_log_failure)
        return future

    async def intent(self, run_id: str) -> Json | None:
        return await self._database.read(partial(_intent, run_id))

    async def load_run(self, run_id: str) -> Json | None:
        return await self._database.read(partial(_load_run, run_id))

    async def list_runs(self) -> list[Json]:
        return await self._database.read(partial(_list_runs, self._home[1]))

    async def delete_run(self, run_id: str) -> None:
        await self._database.write(partial(forget_run, run_id))

    # -- transitions --------------------------------------------------------------------------

    def post_transitions(self, run_id: str, records: Sequence[TransitionRecord]) -> Future[None]:
        texts = [record.model_dump_json(by_alias=True) for record in records]
        keep = self._limits.transitions
        return self._database.post(partial(_add_transitions, run_id, texts, keep))

    async def keep_transitions(self, run_id: str, count: int) -> None:
        await self._database.write(partial(_keep_transitions, run_id, count))

    async def transitions(
        self, run_id: str, *, after: int = 0, limit: int = 1000
    ) -> list[tuple[int, TransitionRecord]]:
        rows = await self._database.read(partial(_rows_after, "transitions", run_id, after, limit))
        return [(number, TransitionRecord.model_validate_json(text)) for number, text in rows]

    # -- planner calls ------------------------------------------------------------------------

    async def add_call(self, run_id: str, call: CallRecord) -> None:
        limits = self._limits
        await self._database.write(
            partial(_add_call, run_id, call, limits.calls, limits.call_bytes)
        )

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]:
        rows = await self._database.read(partial(_rows_after, "calls", run_id, after, limit))
        return [_CALL.validate_json(text) for _, text in rows]

    async def last_call_number(self, run_id: str) -> int:
        return await self._database.read(partial(_last_call_number, run_id))

    # -- proposals ----------------------------------------------------------------------------

    async def add_proposal(self, proposal: StoredProposal) -> None:
        keep = self._limits.decided_proposals
        await self._database.write(partial(_add_proposal, proposal, keep))

    async def decide_proposal(self, decided: StoredProposal) -> StoredProposal:
        if decided.decision is None:
            raise StoreError(f"proposal {decided.id}: a decision is missing")
        return await self._database.write(partial(_decide_proposal, decided))

    async def proposal(self, proposal_id: str) -> StoredProposal | None:
        return await self._database.read(partial(_proposal, proposal_id))

    async def proposals(self, run_id: str) -> list[StoredProposal]:
        return await self._database.read(partial(_proposals, run_id))


# -- jobs of the database thread --------------------------------------------------------------


def _save_run(
    run_id: str, snapshot: str, home: tuple[str | None, str | None], connection: Connection
) -> None:
    connection.execute(
        "INSERT INTO runs (run_id, snapshot, place, owner, updated_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET snapshot = excluded.snapshot, latest = NULL,"
        # A clock that was set back does not make a run older.
        " intent = NULL, updated_at = max(updated_at, excluded.updated_at)",
        (run_id, snapshot, *home, time.time()),
    )
    connection.execute("DELETE FROM trails WHERE run_id = ?", (run_id,))


def _save_step(run_id: str, changed: str, entries: Sequence[str], connection: Connection) -> None:
    connection.execute(
        "UPDATE runs SET latest = ?, intent = NULL WHERE run_id = ?", (changed, run_id)
    )
    connection.executemany(
        "INSERT INTO trails (run_id, entry) VALUES (?, ?)", [(run_id, entry) for entry in entries]
    )


def _save_activity(run_id: str, changes: ActivityChanges, connection: Connection) -> None:
    if changes.all_gone:
        connection.execute("DELETE FROM activity WHERE run_id = ?", (run_id,))
    connection.executemany(
        "DELETE FROM activity WHERE run_id = ? AND key = ?",
        [(run_id, key) for key in changes.gone],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO activity VALUES (?, ?, ?, ?)",
        [(run_id, node.key, node.revision, node.model_dump_json()) for node in changes.nodes],
    )


def _activity(run_id: str, connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT record FROM activity WHERE run_id = ? ORDER BY revision", (run_id,)
    )
    return [record for (record,) in rows]


def _save_intent(run_id: str, intent: str, connection: Connection) -> None:
    connection.execute("UPDATE runs SET intent = ? WHERE run_id = ?", (intent, run_id))


def _intent(run_id: str, connection: Connection) -> Json | None:
    row = connection.execute("SELECT intent FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None or row[0] is None else _json(row[0])


def _keep_transitions(run_id: str, count: int, connection: Connection) -> None:
    connection.execute("DELETE FROM transitions WHERE run_id = ? AND number > ?", (run_id, count))


def _log_failure(future: Future[None]) -> None:
    if not future.cancelled() and future.exception() is not None:
        log.error("a run could not be stored: %s", future.exception())


def _load_run(run_id: str, connection: Connection) -> Json | None:
    row = connection.execute(_RUN + "WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _whole(connection, *row)


def _list_runs(owner: str | None, connection: Connection) -> list[Json]:
    rows = connection.execute(
        _RUN + "WHERE ? IS NULL OR owner = ? ORDER BY number DESC", (owner, owner)
    ).fetchall()
    return [_whole(connection, *row) for row in rows]


def _whole(connection: Connection, run_id: str, snapshot: str, latest: str | None) -> Json:
    """The snapshot with what the actions since have changed."""
    whole = _json(snapshot)
    if latest is not None:
        whole |= _json(latest)
        rows = connection.execute(
            "SELECT entry FROM trails WHERE run_id = ? ORDER BY number", (run_id,)
        )
        whole["trail"] = [json.loads(entry) for (entry,) in rows]
    return whole


def _add_transitions(
    run_id: str, records: Sequence[str], keep: int, connection: Connection
) -> None:
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


def _rows_after(
    table: str, run_id: str, after: int, limit: int, connection: Connection
) -> list[tuple[int, str]]:
    return connection.execute(
        f"SELECT number, record FROM {table} WHERE run_id = ? AND number > ?"  # noqa: S608  a name of ours
        " ORDER BY number LIMIT ?",
        (run_id, after, limit),
    ).fetchall()


def _add_call(
    run_id: str, call: CallRecord, max_calls: int, max_bytes: int, connection: Connection
) -> None:
    record = _CALL.dump_json(call).decode()
    connection.execute(
        "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)",
        (run_id, call.number, len(record), record),
    )
    # The newest call stays even when it alone is over the limit: it is the one looked for.
    connection.execute(
        "DELETE FROM calls WHERE run_id = ? AND number <= ("
        " SELECT max(number) FROM (SELECT number, row_number() OVER newest AS position,"
        " sum(bytes) OVER newest AS total FROM calls WHERE run_id = ?"
        " WINDOW newest AS (ORDER BY number DESC))"
        " WHERE position > 1 AND (position > ? OR total > ?))",
        (run_id, run_id, max_calls, max_bytes),
    )


def _last_call_number(run_id: str, connection: Connection) -> int:
    row = connection.execute("SELECT max(number) FROM calls WHERE run_id = ?", (run_id,)).fetchone()
    return int(row[0] or 0)


def _add_proposal(proposal: StoredProposal, keep: int, connection: Connection) -> None:
    connection.execute(
        "DELETE FROM proposals WHERE run_id = ? AND decision IS NOT NULL AND id NOT IN ("
        " SELECT id FROM proposals WHERE run_id = ? AND decision IS NOT NULL"
        " ORDER BY json_extract(content, '$.asked_at') DESC LIMIT ?)",
        (proposal.run_id, proposal.run_id, keep),
    )
    connection.execute(
        f"INSERT OR IGNORE INTO proposals ({_PROPOSAL_COLUMNS}) VALUES"  # noqa: S608  names of ours
        " (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            proposal.id,
            proposal.run_id,
            proposal.kind,
            json.dumps(proposal.content),
            proposal.decision,
            proposal.decided_by,
            proposal.reason,
            _optional_text(proposal.edited),
        ),
    )


def _decide_proposal(decided: StoredProposal, connection: Connection) -> StoredProposal:
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
    standing = _proposal(decided.id, connection)
    if standing is None:
        raise NotFoundError(f"there is no proposal {decided.id}")
    return standing


def _proposal(proposal_id: str, connection: Connection) -> StoredProposal | None:
    row = connection.execute(
        f"SELECT {_PROPOSAL_COLUMNS} FROM proposals WHERE id = ?",  # noqa: S608  names of ours
        (proposal_id,),
    ).fetchone()
    return None if row is None else _stored_proposal(row)


def _proposals(run_id: str, connection: Connection) -> list[StoredProposal]:
    rows = connection.execute(
        f"SELECT {_PROPOSAL_COLUMNS} FROM proposals WHERE run_id = ?"  # noqa: S608  names of ours
        " ORDER BY json_extract(content, '$.asked_at')",
        (run_id,),
    )
    return [_stored_proposal(row) for row in rows.fetchall()]


def _stored_proposal(row: tuple[Any, ...]) -> StoredProposal:
    id_, run_id, kind, content, decision, decided_by, reason, edited = row
    return StoredProposal(
        id=id_,
        run_id=run_id,
        kind=kind,
        content=_json(content),
        decision=decision,
        decided_by=decided_by,
        reason=reason,
        edited=None if edited is None else _json(edited),
    )


def _optional_text(value: Json | None) -> str | None:
    return None if value is None else json.dumps(value)


def _json(text: str) -> Json:
    value: Json = json.loads(text)
    return value
