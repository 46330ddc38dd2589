"""Runs, their facts and their planner calls, in the same database as the operation log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.adapters.store import run_rows as rows
from notebook_bcc_ext.adapters.store.database import Database, committed
from notebook_bcc_ext.adapters.store.earlier_runs import sum_of
from notebook_bcc_ext.adapters.store.upkeep import forget_run
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.ports import CallRecord, StoredRun
from notebook_bcc_ext.protocol.browser.facts import FACTS, Fact, Summed
from notebook_bcc_ext.protocol.plain import json_text, model_text
from notebook_bcc_ext.protocol.states import State

Json = dict[str, Any]

log = logging.getLogger(__name__)

_CALL: TypeAdapter[CallRecord] = TypeAdapter(CallRecord)
T = TypeVar("T")
# Whatever a damaged row, or one of another release, makes of its reading.
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True)
class StoreLimits:
    """How much is kept of each run: the newest, within all limits."""

    calls: int = 500
    call_bytes: int = 20_000_000


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

    async def add_run(self, run_id: str, request: Json) -> None:
        text, now = json_text({"request": request}), self._database.now()
        await self._database.write(partial(rows.add_run, run_id, text, self._home, now))

    async def runs(self) -> list[StoredRun]:
        """Without those that cannot be read: they are `set_aside`."""
        found: list[StoredRun] = []
        for row in await self._database.read(partial(rows.runs, self._home[1])):
            try:
                found.append(await self._run(row))
            except _UNREADABLE as error:
                self.set_aside(row.run_id, error)
        return found

    async def run(self, run_id: str) -> StoredRun | None:
        row = await self._database.read(partial(rows.run, run_id))
        if row is None:
            return None
        try:
            return await self._run(row)
        except _UNREADABLE as error:
            raise StoreError(f"the run {run_id} cannot be read from the run store") from error

    async def _run(self, row: rows.RunRow) -> StoredRun:
        request = _json(row.snapshot)["request"]
        if row.is_of_earlier_release:
            request, summed = await self._database.read(partial(sum_of, row.run_id))
            state = State(summed.state["state"])
            stored = self.post_facts(row.run_id, 1, [summed], state, request["notebook"])
            await self.committed(stored)
        if row.notebook is not None:
            # It may have been renamed since the run began.
            request = {**request, "notebook": row.notebook}
        return StoredRun(row.run_id, request)

    def set_aside(self, run_id: str, error: Exception) -> None:
        """This run cannot be gone on with; the person is told, and nobody else is held up."""
        self.unreadable[run_id] = (
            f"the run {run_id} cannot be read from the run store ({type(error).__name__}) and was "
            "set aside. Its cells are in its notebook; start a new run to go on"
        )
        sentence = self.unreadable[run_id]
        self._database.tell(f"{sentence[0].upper()}{sentence[1:]}.")

    async def delete_run(self, run_id: str) -> None:
        await self._database.write(partial(forget_run, run_id))

    # -- facts --------------------------------------------------------------------------------

    def post_facts(
        self, run_id: str, first: int, facts: Sequence[Fact], state: State, notebook: str
    ) -> Future[None]:
        texts = [
            rows.FactRow(number, fact.kind, model_text(fact, by_alias=True))
            for number, fact in enumerate(facts, start=first)
        ]
        standing = (state.value, notebook, self._database.now())
        future = self._database.post(partial(rows.add_facts, run_id, texts, standing))
        future.add_done_callback(_log_failure)
        return future

    def post_sum(self, run_id: str, number: int, summed: Summed) -> Future[None]:
        text = model_text(summed, by_alias=True)
        return self._database.post(partial(rows.sum_up, run_id, number, text))

    def together(self) -> AbstractContextManager[None]:
        return self._database.together()

    async def committed(self, posted: Future[None]) -> None:
        self._database.release_held()
        await committed(posted)

    async def facts(self, run_id: str, *, after: int = 0) -> list[Fact]:
        stored = await self._database.read(partial(rows.facts, run_id, after))
        return [FACTS.validate_json(row.body) for row in stored]

    async def facts_of(
        self, run_id: str, kinds: Sequence[str], *, skip: int = 0, limit: int = 1000
    ) -> list[Fact]:
        page = (skip, limit)
        stored = await self._database.read(partial(rows.facts_of_kinds, run_id, kinds, page))
        return self._readable(run_id, "history", [row.body for row in stored], FACTS.validate_json)

    def _readable(
        self, run_id: str, what: str, texts: Sequence[Any], parse: Callable[[Any], T]
    ) -> list[T]:
        found: list[T] = []
        for text in texts:
            try:
                found.append(parse(text))
            except _UNREADABLE:
                self._database.tell(
                    f"A part of the {what} of the run {run_id} cannot be read from the run store "
                    "and was left out."
                )
        return found

    # -- planner calls ------------------------------------------------------------------------

    async def add_call(self, run_id: str, call: CallRecord) -> None:
        limits = self.limits.calls, self.limits.call_bytes
        try:
            record = _CALL.dump_json(call).decode()
        except (PydanticSerializationError, UnicodeError):
            record = json_text(_CALL.dump_python(call))
        await self._database.write(partial(rows.add_call, run_id, call.number, record, limits))

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]:
        texts = await self._database.read(partial(rows.calls, run_id, after, limit))
        return self._readable(run_id, "calls", texts, _CALL.validate_json)

    async def last_call_number(self, run_id: str) -> int:
        return await self._database.read(partial(rows.last_call_number, run_id))


def _log_failure(future: Future[None]) -> None:
    if not future.cancelled() and future.exception() is not None:
        log.error("a run could not be stored: %s", future.exception())


def _json(text: Any) -> Json:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"an object was stored, and {type(value).__name__} is there")
    return value
