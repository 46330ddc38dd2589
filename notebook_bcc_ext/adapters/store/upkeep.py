"""Which runs of the store are this server's, and which have been kept long enough.

Never dropped, whatever the clock says: a run that is not at rest, and the log of a notebook whose
file lacks some of it. Never touched: a run whose server is alive.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from notebook_bcc_ext.adapters.notebook.paths import same_file
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.file import Connection
from notebook_bcc_ext.adapters.store.operation_rows import forget_unused
from notebook_bcc_ext.adapters.store.owner_mark import is_alive, process_of
from notebook_bcc_ext.adapters.store.schema import field_of, is_json
from notebook_bcc_ext.protocol.states import State

DAY_SECONDS = 86_400
_AT_REST = (State.ERROR, State.CANCELLED, State.WORKFLOW_COMPLETED)
_RUN_TABLES = ("runs", "facts", "calls", "trails", "transitions", "proposals", "activity")
# Runs of earlier releases have them in what was stored of them.
_KNOWN = f"ifnull(state, {field_of('ifnull(latest, snapshot)', 'state')})"
# None where the request cannot be read: nobody goes on with such a run.
_STATE = f"CASE WHEN {is_json('snapshot')} THEN {_KNOWN} END"
_NOTEBOOK = f"ifnull(notebook, {field_of('snapshot', 'request.notebook')})"


@dataclass(frozen=True)
class Retention:
    """How much is kept. A run counts as old by its last change."""

    runs: int = 100
    days: float = 180.0
    bytes: int = 500_000_000


class StoreUpkeep:
    def __init__(self, database: Database, place: str, owner: str) -> None:
        self._database = database
        self._place = place
        self._owner = owner

    async def claim(self) -> list[str]:
        """Make the runs of this place ours whose servers are gone; their ids."""
        alive = await self._live_owners()
        return await self._database.write(partial(_claim, self._place, self._owner, alive))

    async def other_server(self, place: str) -> str | None:
        """The process of another live server that has an unfinished run in the notebook there."""
        alive = await self._live_owners() - {self._owner}
        if not alive:
            return None
        found = await self._database.read(partial(_owner_of, place, alive))
        return None if found is None else process_of(found)

    async def tidy(self, retention: Retention) -> list[str]:
        """Drop what is beyond the limits; the ids of the runs that went."""
        alive = await self._live_owners() - {self._owner}
        return await self._database.write(partial(_tidy, retention, alive, self._database.now()))

    async def _live_owners(self) -> set[str]:
        owners = await self._database.read(_owners)
        store = self._database.path
        return {owner for owner in owners if owner == self._owner or is_alive(store, owner)}


# -- jobs of the database thread --------------------------------------------------------------


def forget_run(run_id: str, connection: Connection) -> None:
    for table in _RUN_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))  # noqa: S608  ours


def _owners(connection: Connection) -> list[str]:
    rows = connection.execute("SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL")
    return [owner for (owner,) in rows]


def _claim(place: str, me: str, alive: Collection[str], connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT run_id, owner FROM runs WHERE place IS NULL OR place = ?", (place,)
    ).fetchall()
    mine = [run_id for run_id, owner in rows if owner not in alive]
    connection.executemany(
        "UPDATE runs SET owner = ?, place = ? WHERE run_id = ?",
        [(me, place, run_id) for run_id in mine],
    )
    return mine


def _owner_of(place: str, alive: Collection[str], connection: Connection) -> str | None:
    rows = connection.execute(
        f"SELECT owner, {_STATE}, place || '/' || {_NOTEBOOK}"  # noqa: S608  names of ours
        f" FROM runs WHERE place IS NOT NULL AND {_NOTEBOOK} IS NOT NULL"
    )
    for owner, state, there in rows:
        if owner in alive and not _rests(state) and same_file(there, place):
            return str(owner)
    return None


def _tidy(
    retention: Retention, alive: Collection[str], now: float, connection: Connection
) -> list[str]:
    oldest = now - retention.days * DAY_SECONDS
    rows = connection.execute(
        f"SELECT run_id, owner, updated_at < ?, {_STATE}, place || '/' || {_NOTEBOOK}"  # noqa: S608  ours
        " FROM runs ORDER BY number DESC",
        (oldest,),
    ).fetchall()
    forget_unused(
        oldest, {place for _, _, _, state, place in rows if not _rests(state)}, connection
    )
    free = [row for row in rows if row[1] not in alive]
    resting = [
        (position, run_id, is_old)
        for position, (run_id, _, is_old, state, _) in enumerate(free)
        if _rests(state)
    ]
    gone: list[str] = []
    for position, run_id, is_old in resting:
        if is_old or position >= retention.runs:
            forget_run(run_id, connection)
            gone.append(run_id)
    for _, run_id, _ in reversed(resting):
        if _used_bytes(connection) <= retention.bytes:
            break
        if run_id not in gone:
            forget_run(run_id, connection)
            gone.append(run_id)
    return gone


def _rests(state: object) -> bool:
    """Also where the state cannot be read: nobody can go on with such a run."""
    return state in _AT_REST or state is None


def _used_bytes(connection: Connection) -> int:
    [[pages], [free], [size]] = [
        connection.execute(f"PRAGMA {name}").fetchone()
        for name in ("page_count", "freelist_count", "page_size")
    ]
    return int((pages - free) * size)
