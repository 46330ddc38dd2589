"""The durable log of operations under a notebook.

One log per notebook, with contiguous numbers. The file, the document's own view and every
open tab are mirrors of it: each knows the number it has applied and asks for what came since.
Operations leave the log once they are in the file and every reader has them; the newest are kept
a while longer for tabs that come back late.

Beside the operations the log keeps one *image*: the content of the save under way. A process
killed in the middle of a save may leave half a file, and half a file cannot be replayed upon.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.adapters.sqlite_database import Database, call_on, committed
from notebook_bcc_ext.adapters.sqlite_file import Connection
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.notebook_ops import (
    ChangeOutputs,
    LoggedOp,
    NotebookOp,
)

Json = dict[str, Any]
Subscriber = Callable[[str, list[LoggedOp]], None]

# So many operations are read in less time than another thread takes to begin.
_FEW = 20
_OPERATION: TypeAdapter[NotebookOp] = TypeAdapter(NotebookOp)


@dataclass(frozen=True)
class LogState:
    log_id: str
    place: str
    """Where the notebook is; unlike a path, unique across servers that share the store."""
    head_seq: int
    flushed_seq: int
    anchor_id: str | None
    """The last cell that was written in reading order; the next one follows it."""


class OperationLog:
    def __init__(
        self, database: Database, *, keep_operations: int = 2_000, keep_bytes: int = 16_000_000
    ) -> None:
        self._database = database
        self._keep_operations = keep_operations
        self._keep_bytes = keep_bytes
        self._subscribers: dict[Subscriber, asyncio.AbstractEventLoop] = {}
        self._readers: dict[str, dict[str, int]] = {}
        self._latest: dict[str, tuple[_Append, Future[list[LoggedOp]]]] = {}

    # -- which log ----------------------------------------------------------------------------

    async def find(self, *, log_id: str | None = None, place: str | None = None) -> LogState | None:
        return await self._database.read(partial(_find, log_id, place))

    async def unflushed(self, root: str) -> list[LogState]:
        """Logs of notebooks below `root` whose files lag behind: their server was killed."""
        return await self._database.read(partial(_unflushed, root))

    async def start(self, place: str) -> LogState:
        """A new log for the place; an older one of that place is forgotten."""
        return await self._database.write(partial(_start, uuid.uuid4().hex, place))

    async def move(self, log_id: str, place: str) -> None:
        """The notebook was renamed."""
        await self._database.write(partial(_move, log_id, place))

    async def advance(self, log_id: str, seq: int) -> None:
        """Number on from `seq`: the notebook has seen operations that a power cut took from us."""
        await self._database.write(partial(_advance, log_id, seq))

    async def forget_unused(self, days: float) -> int:
        """Drop the logs nobody wrote to for so long; how many."""
        return await self._database.write(partial(_forget_unused, time.time() - days * 86_400))

    # -- operations ---------------------------------------------------------------------------

    async def append(
        self, log_id: str, ops: Sequence[NotebookOp], *, anchor_id: str | None = None
    ) -> int:
        """Store operations, all or none; the number of the last. Durable on return."""
        stored = self.post(log_id, ops, anchor_id)
        self.hurry()
        logged = await committed(stored)
        return logged[-1].seq if logged else 0

    def post(
        self, log_id: str, ops: Sequence[NotebookOp], anchor_id: str | None = None
    ) -> Future[list[LoggedOp]]:
        """Store operations without waiting, in order with all others."""
        earlier = self._latest.get(log_id)
        if earlier is not None:
            job, stored = earlier
            if self._database.amend(stored, partial(job.add, ops, anchor_id)):
                return stored
        job = _Append(log_id, ops, anchor_id)
        stored = self._database.post(job.run)
        # Before any waiter's callback: both reach the loop in this order.
        stored.add_done_callback(partial(self._tell_subscribers, log_id))
        self._latest[log_id] = job, stored
        return stored

    def hurry(self) -> None:
        """Somebody waits for what was posted."""
        self._database.release_held()

    async def since(self, log_id: str, seq: int, limit: int | None = None) -> list[LoggedOp] | None:
        """Operations after `seq`, the first `limit` of them; None when the log no longer reaches
        back that far."""
        rows = await self._database.read(partial(_since, log_id, seq, limit))
        if rows is None:
            return None
        # Not in the database thread: every run waits for that.
        return _parsed(rows) if len(rows) <= _FEW else await asyncio.to_thread(_parsed, rows)

    async def head(self, log_id: str) -> int:
        state = await self.find(log_id=log_id)
        if state is None:
            raise _unknown(log_id)
        return state.head_seq

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call back on this event loop with what was stored, in order; a function to stop it.

        A caller of `append` finds its subscribers told when it resumes.
        """
        self._subscribers[subscriber] = asyncio.get_running_loop()

        def unsubscribe() -> None:
            self._subscribers.pop(subscriber, None)

        return unsubscribe

    def _tell_subscribers(self, log_id: str, future: Future[list[LoggedOp]]) -> None:
        if log_id in self._latest and self._latest[log_id][1] is future:
            del self._latest[log_id]
        if future.cancelled() or future.exception() is not None:
            return
        for subscriber, loop in list(self._subscribers.items()):
            call_on(loop, subscriber, log_id, future.result())

    # -- what the file and the tabs have ------------------------------------------------------

    def acknowledge(self, log_id: str, reader: str, seq: int) -> None:
        """A reader (an open tab) has everything up to `seq` and needs what follows."""
        self._readers.setdefault(log_id, {})[reader] = seq

    def dismiss(self, log_id: str, reader: str) -> None:
        self._readers.get(log_id, {}).pop(reader, None)

    async def record_flush(self, log_id: str, seq: int) -> None:
        """The file has everything up to `seq`: forget what nobody needs any more."""
        # A reader that lags behind is waited for, but not for ever; then it has to read the
        # notebook instead.
        slowest = min(self._readers.get(log_id, {}).values(), default=seq)
        free = min(seq, max(slowest, seq - 10 * self._keep_operations))
        limits = (self._keep_operations, self._keep_bytes)
        await self._database.write(partial(_record_flush, log_id, seq, free, limits))

    async def store_image(self, log_id: str, seq: int, packed: bytes) -> None:
        """Keep what is about to be saved (see `pack_image`): a save cut short can be repeated."""
        await self._database.write(partial(_store_image, log_id, seq, packed))

    async def renew_image(self, log_id: str, seq: int, packed: bytes) -> None:
        """The same for a save by somebody else, while a document keeps an image at all."""
        await self._database.write(
            lambda connection: connection.execute(
                "UPDATE images SET seq = ?, content = ? WHERE log_id = ?", (seq, packed, log_id)
            )
        )

    async def image(self, log_id: str) -> tuple[int, Json] | None:
        return await self._database.read(partial(_image, log_id))

    async def drop_image(self, log_id: str) -> None:
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM images WHERE log_id = ?", (log_id,))
        )


# -- jobs of the database thread --------------------------------------------------------------

_STATE = "SELECT log_id, place, head_seq, flushed_seq, anchor_id FROM logs "


def _unknown(log_id: str) -> StoreError:
    return StoreError(f"the operation log {log_id} is not in the run store: reopen the notebook")


def _find(log_id: str | None, place: str | None, connection: Connection) -> LogState | None:
    row = connection.execute(_STATE + "WHERE log_id = ? OR place = ?", (log_id, place)).fetchone()
    return None if row is None else LogState(*row)


def _unflushed(root: str, connection: Connection) -> list[LogState]:
    rows = connection.execute(
        _STATE + "WHERE head_seq > flushed_seq AND substr(place, 1, ?) = ?",
        (len(root) + 1, f"{root}/"),
    )
    return [LogState(*row) for row in rows]


def _start(log_id: str, place: str, connection: Connection) -> LogState:
    connection.execute("DELETE FROM logs WHERE place = ?", (place,))
    connection.execute(
        "INSERT INTO logs (log_id, place, updated_at) VALUES (?, ?, ?)",
        (log_id, place, time.time()),
    )
    return LogState(log_id, place, 0, 0, None)


def _move(log_id: str, place: str, connection: Connection) -> None:
    connection.execute("DELETE FROM logs WHERE place = ? AND log_id <> ?", (place, log_id))
    connection.execute("UPDATE logs SET place = ? WHERE log_id = ?", (place, log_id))


def _advance(log_id: str, seq: int, connection: Connection) -> None:
    connection.execute(
        "UPDATE logs SET head_seq = max(head_seq, ?), flushed_seq = max(flushed_seq, ?)"
        " WHERE log_id = ?",
        (seq, seq, log_id),
    )
    # What is left would no longer be contiguous with what comes; the notebook has it anyway.
    connection.execute("DELETE FROM operations WHERE log_id = ? AND seq <= ?", (log_id, seq))


def _forget_unused(before: float, connection: Connection) -> int:
    return connection.execute("DELETE FROM logs WHERE updated_at < ?", (before,)).rowcount


class _Append:
    """One write to a log; what is to follow it may be added until it is taken up."""

    def __init__(self, log_id: str, ops: Sequence[NotebookOp], anchor_id: str | None) -> None:
        self._log_id = log_id
        self._ops = list(ops)
        self._anchor_id = anchor_id

    def add(self, ops: Sequence[NotebookOp], anchor_id: str | None) -> None:
        self._ops.extend(ops)
        self._anchor_id = anchor_id or self._anchor_id

    def run(self, connection: Connection) -> list[LoggedOp]:
        row = connection.execute(
            "SELECT head_seq FROM logs WHERE log_id = ?", (self._log_id,)
        ).fetchone()
        if row is None:
            raise _unknown(self._log_id)
        logged: list[LoggedOp] = []
        rows: list[tuple[str, int, int, str]] = []
        for seq, op in enumerate(self._ops, start=row[0] + 1):
            stored, body = _serialised(op, seq)
            logged.append(LoggedOp.model_construct(seq=seq, op=stored))
            rows.append((self._log_id, seq, len(body), body))
        connection.executemany("INSERT INTO operations VALUES (?, ?, ?, ?)", rows)
        connection.execute(
            "UPDATE logs SET head_seq = ?, anchor_id = ifnull(?, anchor_id), updated_at = ?"
            " WHERE log_id = ?",
            (row[0] + len(rows), self._anchor_id, time.time(), self._log_id),
        )
        return logged


def _serialised(op: NotebookOp, seq: int) -> tuple[NotebookOp, str]:
    if isinstance(op, ChangeOutputs):
        op = op.model_copy(update={"revision": seq})
    try:
        return op, op.model_dump_json()
    except PydanticSerializationError:
        # Half of a surrogate pair (a kernel can print one) fits neither UTF-8 nor the file.
        clean: NotebookOp = _OPERATION.validate_python(_encodable(op.model_dump()))
        return clean, clean.model_dump_json()


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value


def _since(
    log_id: str, seq: int, limit: int | None, connection: Connection
) -> list[tuple[int, str]] | None:
    row = connection.execute(
        "SELECT head_seq, (SELECT min(seq) FROM operations WHERE log_id = logs.log_id)"
        " FROM logs WHERE log_id = ?",
        (log_id,),
    ).fetchone()
    if row is None:
        raise _unknown(log_id)
    head, oldest = row
    if seq >= head:
        return []
    if oldest is None or seq < oldest - 1:
        return None
    return connection.execute(
        "SELECT seq, body FROM operations WHERE log_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (log_id, seq, -1 if limit is None else limit),
    ).fetchall()


def _parsed(rows: list[tuple[int, str]]) -> list[LoggedOp]:
    return [
        LoggedOp.model_construct(seq=seq, op=_OPERATION.validate_json(body)) for seq, body in rows
    ]


def _record_flush(
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


def pack_image(notebook: Json) -> bytes:
    """Work that grows with the notebook: not for the event loop, nor for the database thread.

    Cell by cell, because encoding all of it at once would let no other thread run meanwhile.
    """
    packer = zlib.compressobj(level=1)
    rest = {key: value for key, value in notebook.items() if key != "cells"}
    begin = json.dumps(rest)[:-1] + (', "cells": [' if rest else '"cells": [')
    packed = [packer.compress(begin.encode())]
    for number, cell in enumerate(notebook["cells"]):
        text = json.dumps(cell)
        packed.append(packer.compress(f"{', ' if number else ''}{text}".encode()))
    packed += [packer.compress(b"]}"), packer.flush()]
    return b"".join(packed)


def _store_image(log_id: str, seq: int, packed: bytes, connection: Connection) -> None:
    connection.execute("INSERT OR REPLACE INTO images VALUES (?, ?, ?)", (log_id, seq, packed))


def _image(log_id: str, connection: Connection) -> tuple[int, Json] | None:
    row = connection.execute(
        "SELECT seq, content FROM images WHERE log_id = ?", (log_id,)
    ).fetchone()
    if row is None:
        return None
    content: Json = json.loads(zlib.decompress(row[1]))
    return int(row[0]), content
