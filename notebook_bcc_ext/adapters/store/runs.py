"""Runs, transitions, planner calls and proposals, in the same database as the operation log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.adapters.store import run_rows as rows
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.file import Connection
from notebook_bcc_ext.adapters.store.upkeep import forget_run
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.ports import ActivityChanges, CallRecord, StoredProposal
from notebook_bcc_ext.protocol.browser.runs import ActivityNode
from notebook_bcc_ext.protocol.plain import json_text, model_text, plain
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord

Json = dict[str, Any]

log = logging.getLogger(__name__)

NO_ACTIVITY = ActivityChanges()
_CALL: TypeAdapter[CallRecord] = TypeAdapter(CallRecord)
T = TypeVar("T")
# Whatever a damaged row, or one of another release, makes of its reading.
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


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
        self.limits = limits or StoreLimits()
        self._home = (place, owner)
        self.unreadable: dict[str, str] = {}
        """Runs that cannot be read, and what to say of them."""

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
        entries = [json_text(entry) for entry in trail]

        def save(connection: Connection) -> None:
            rows.save_step(run_id, changed, entries, connection)
            rows.save_activity(run_id, activity, connection)

        return self._post(save)

    def post_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = NO_ACTIVITY
    ) -> Future[None]:
        return self._post(self._saving(run_id, snapshot, activity))

    def _saving(
        self, run_id: str, snapshot: Json, activity: ActivityChanges
    ) -> Callable[[Connection], None]:
        text, now = json_text(snapshot), self._database.now()

        def save(connection: Connection) -> None:
            rows.save_run(run_id, text, self._home, now, connection)
            rows.save_activity(run_id, activity, connection)

        return save

    async def activity(self, run_id: str) -> list[ActivityNode]:
        texts = await self._database.read(partial(rows.activity, run_id))
        return self._all_readable(run_id, "activity", texts, ActivityNode.model_validate)

    def post_intent(self, run_id: str, intent: Json) -> Future[None]:
        return self._post(partial(rows.save_intent, run_id, json_text(intent)))

    def _post(self, job: Callable[[Connection], None]) -> Future[None]:
        future = self._database.post(job)
        future.add_done_callback(_log_failure)
        return future

    async def intent(self, run_id: str) -> Json | None:
        text = await self._database.read(partial(rows.intent, run_id))
        return None if text is None else _json(text)

    async def load_run(self, run_id: str) -> Json | None:
        stored = await self._database.read(partial(rows.load_run, run_id))
        if stored is None:
            return None
        try:
            return _whole(stored)
        except _UNREADABLE as error:
            raise StoreError(f"the run {run_id} cannot be read from the run store") from error

    async def list_runs(self) -> list[Json]:
        """Without those that cannot be read: they are `set_aside`."""
        found: list[Json] = []
        for stored in await self._database.read(partial(rows.list_runs, self._home[1])):
            try:
                found.append({"id": stored.run_id, **_whole(stored)})
            except _UNREADABLE as error:
                self.set_aside(stored.run_id, error)
        return found

    def set_aside(self, run_id: str, error: Exception) -> None:
        """This run cannot be gone on with; the person is told, and nobody else is held up."""
        self.unreadable[run_id] = (
            f"the run {run_id} cannot be read from the run store ({type(error).__name__}) and was "
            "set aside. Its cells are in its notebook; start a new run to go on"
        )
        sentence = self.unreadable[run_id]
        self._database.tell(f"{sentence[0].upper()}{sentence[1:]}.")

    def _all_readable(
        self, run_id: str, what: str, texts: Sequence[Any], parse: Callable[[Any], T]
    ) -> list[T]:
        found: list[T] = []
        for text in texts:
            try:
                found.append(parse(json.loads(text)))
            except _UNREADABLE:
                self._database.tell(
                    f"A part of the {what} of the run {run_id} cannot be read from the run store "
                    "and was left out."
                )
        return found

    async def delete_run(self, run_id: str) -> None:
        await self._database.write(partial(forget_run, run_id))

    # -- transitions --------------------------------------------------------------------------

    def post_transitions(self, run_id: str, records: Sequence[TransitionRecord]) -> Future[None]:
        texts = [model_text(record, by_alias=True) for record in records]
        keep = self.limits.transitions
        return self._database.post(partial(rows.add_transitions, run_id, texts, keep))

    async def keep_transitions(self, run_id: str, count: int) -> None:
        await self._database.write(partial(rows.keep_transitions, run_id, count))

    async def transitions(
        self, run_id: str, *, after: int = 0, limit: int = 1000
    ) -> list[tuple[int, TransitionRecord]]:
        stored = await self._database.read(
            partial(rows.rows_after, "transitions", run_id, after, limit)
        )
        return [
            (number, record)
            for number, text in stored
            for record in self._all_readable(
                run_id, "transitions", [text], TransitionRecord.model_validate
            )
        ]

    # -- planner calls ------------------------------------------------------------------------

    async def add_call(self, run_id: str, call: CallRecord) -> None:
        limits = self.limits.calls, self.limits.call_bytes
        try:
            record = _CALL.dump_json(call).decode()
        except (PydanticSerializationError, UnicodeError):
            record = json_text(_CALL.dump_python(call))
        await self._database.write(partial(rows.add_call, run_id, call.number, record, limits))

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]:
        stored = await self._database.read(partial(rows.rows_after, "calls", run_id, after, limit))
        texts = [text for _, text in stored]
        return self._all_readable(run_id, "calls", texts, _CALL.validate_python)

    async def last_call_number(self, run_id: str) -> int:
        return await self._database.read(partial(rows.last_call_number, run_id))

    # -- proposals ----------------------------------------------------------------------------

    async def add_proposal(self, proposal: StoredProposal) -> None:
        keep = self.limits.decided_proposals
        await self._database.write(partial(rows.add_proposal, _encodable(proposal), keep))

    async def decide_proposal(self, decided: StoredProposal) -> StoredProposal:
        if decided.decision is None:
            raise StoreError(f"proposal {decided.id}: a decision is missing")
        row = await self._database.write(partial(rows.decide_proposal, _encodable(decided)))
        return _stored_proposal(row)

    async def proposal(self, proposal_id: str) -> StoredProposal | None:
        row = await self._database.read(partial(rows.proposal, proposal_id))
        return None if row is None else _stored_proposal(row)

    async def proposals(self, run_id: str) -> list[StoredProposal]:
        found: list[StoredProposal] = []
        for row in await self._database.read(partial(rows.proposals, run_id)):
            try:
                found.append(_stored_proposal(row))
            except StoreError as error:
                self._database.tell(str(error))
        return found


def _log_failure(future: Future[None]) -> None:
    if not future.cancelled() and future.exception() is not None:
        log.error("a run could not be stored: %s", future.exception())


def _whole(stored: rows.StoredRun) -> Json:
    """The snapshot with what the actions since have changed."""
    whole = _json(stored.snapshot)
    if stored.latest is not None:
        whole |= _json(stored.latest)
        whole["trail"] = [json.loads(entry) for entry in stored.trail]
    return whole


def _stored_proposal(row: tuple[Any, ...]) -> StoredProposal:
    id_, run_id, kind, content, decision, decided_by, reason, edited = row
    try:
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
    except _UNREADABLE as error:
        raise StoreError(f"the proposal {id_} cannot be read from the run store") from error


def _encodable(proposal: StoredProposal) -> StoredProposal:
    """What a person typed goes into columns of its own, which take UTF-8 only."""
    return replace(proposal, reason=plain(proposal.reason), decided_by=plain(proposal.decided_by))


def _json(text: Any) -> Json:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"an object was stored, and {type(value).__name__} is there")
    return value
