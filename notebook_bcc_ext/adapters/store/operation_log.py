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
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from notebook_bcc_ext.adapters.store import operation_rows as rows
from notebook_bcc_ext.adapters.store.database import Database, call_on, committed
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.adapters.store.operation_text import (
    NOTHING,
    from_row,
    refuse_deep,
    unpack_image,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import InsertCell, LoggedOp, NotebookOp

Json = dict[str, Any]
Subscriber = Callable[[str, list[LoggedOp]], None]

# So many operations are read in less time than another thread takes to begin.
_FEW = 20


class OperationLog:
    def __init__(
        self, database: Database, *, keep_operations: int = 2_000, keep_bytes: int = 16_000_000
    ) -> None:
        self._database = database
        self._keep_operations = keep_operations
        self._keep_bytes = keep_bytes
        self._subscribers: dict[Subscriber, asyncio.AbstractEventLoop] = {}
        self._readers: dict[str, dict[str, int]] = {}
        self._unreadable: dict[str, set[int]] = {}
        self._untold: dict[str, list[str]] = {}
        self._latest: dict[str, tuple[rows.Append, Future[list[LoggedOp]]]] = {}

    # -- which log ----------------------------------------------------------------------------

    async def find(self, *, log_id: str | None = None, place: str | None = None) -> LogState | None:
        return self._sound(await self._database.read(partial(rows.find, log_id, place)))

    def _sound(self, state: LogState | None) -> LogState | None:
        if state is None or state.is_sound:
            return state
        self._database.tell(
            f"What the run store keeps of the notebook {state.place} cannot be read. It was set "
            "aside; the notebook itself is as it was last saved."
        )
        return None

    async def unflushed(self, root: str) -> list[LogState]:
        """Logs of notebooks below `root` whose files lag behind: their server was killed."""
        lagging = await self._database.read(partial(rows.unflushed, root))
        return [state for state in lagging if self._sound(state)]

    async def within(self, place: str) -> list[LogState]:
        """The logs of a notebook, or of all notebooks in a folder."""
        found = await self._database.read(partial(rows.within, place))
        return [state for state in found if self._sound(state)]

    async def start(self, place: str) -> LogState:
        """A new log for the place; an older one of that place is forgotten."""
        now = self._database.now()
        return await self._database.write(partial(rows.start, uuid.uuid4().hex, place, now))

    async def move(self, log_id: str, place: str) -> None:
        """The notebook was renamed."""
        await self._database.write(partial(rows.move, log_id, place))

    async def retire(self, log_id: str) -> None:
        """The notebook was deleted or replaced: nothing of what it held may come back."""
        await self._database.write(partial(rows.retire, log_id))

    async def put_aside(self, state: LogState) -> None:
        """The same while its run is not at rest: the log keeps what the run wrote and waits for
        its word, and whatever is put in the notebook's place has nothing to do with it."""
        aside = f"{rows.GONE}{state.log_id}:{state.place}"
        await self._database.write(partial(rows.move, state.log_id, aside))

    async def advance(self, log_id: str, seq: int) -> None:
        """Number on from `seq`: the notebook has seen operations that a power cut took from us."""
        await self._database.write(partial(rows.advance, log_id, seq))

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
        for op in ops:
            refuse_deep(op)
        earlier = self._latest.get(log_id)
        if earlier is not None:
            job, stored = earlier
            if self._database.amend(stored, partial(job.add, ops, anchor_id)):
                return stored
        job = rows.Append(log_id, ops, anchor_id, self._database.now())
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
        stored = await self._database.read(partial(rows.since, log_id, seq, limit))
        if stored is None:
            return None
        # Not in the database thread: every run waits for that.
        parse = partial(self._parsed, log_id, stored)
        return parse() if len(stored) <= _FEW else await asyncio.to_thread(parse)

    def _parsed(self, log_id: str, stored: list[tuple[int, Any]]) -> list[LoggedOp]:
        found: list[LoggedOp] = []
        for seq, body in stored:
            op = from_row(body)
            if op is None:
                self._set_aside(log_id, seq)
            found.append(LoggedOp.model_construct(seq=seq, op=op or NOTHING))
        return found

    def _set_aside(self, log_id: str, seq: int) -> None:
        aside = self._unreadable.setdefault(log_id, set())
        if seq not in aside:
            aside.add(seq)
            self._untold.setdefault(log_id, []).append(
                f"change {seq} of this notebook cannot be read from the run store and was left out"
            )
            self._database.tell(
                f"A change of a notebook (log {log_id}, number {seq}) cannot be read from the run "
                "store and was left out. The rest of it is not touched by this."
            )

    def take_notices(self, log_id: str) -> list[str]:
        """What whoever writes the notebook should know of its log; once."""
        return self._untold.pop(log_id, [])

    async def inserted(self, log_id: str) -> set[str]:
        """The cells it put into the notebook, as far as the log reaches back."""
        stored = await self._database.read(partial(rows.all_rows, log_id))
        ops = [entry.op for entry in self._parsed(log_id, stored)]
        return {str(op.cell.get("id")) for op in ops if isinstance(op, InsertCell)}

    async def head(self, log_id: str) -> int:
        state = await self.find(log_id=log_id)
        if state is None:
            raise rows.unknown_log(log_id)
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
        await self._database.write(partial(rows.record_flush, log_id, seq, free, limits))

    async def store_image(self, log_id: str, seq: int, packed: bytes) -> None:
        """Keep what is about to be saved (see `pack_image`): a save cut short can be repeated."""
        await self._database.write(partial(rows.store_image, log_id, seq, packed))

    async def renew_image(self, log_id: str, seq: int, packed: bytes) -> None:
        """The same for a save by somebody else, while a document keeps an image at all."""
        await self._database.write(
            lambda connection: connection.execute(
                "UPDATE images SET seq = ?, content = ? WHERE log_id = ?", (seq, packed, log_id)
            )
        )

    async def image(self, log_id: str) -> tuple[int, Json] | None:
        row = await self._database.read(partial(rows.image_row, log_id))
        content = None if row is None else unpack_image(row[1])
        return None if row is None or content is None else (row[0], content)

    async def drop_image(self, log_id: str) -> None:
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM images WHERE log_id = ?", (log_id,))
        )
