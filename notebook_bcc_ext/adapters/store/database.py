"""The one SQLite file of the product, owned by one thread.

Why a thread: a commit is quick, a checkpoint of the write-ahead log is not, and the event loop
must wait for neither. Jobs that arrive while a transaction runs share the next one, so a hundred
appends cost one commit.

Why `synchronous = NORMAL`: in WAL mode a commit is then in the operating system's hands, which
survives a killed process without an fsync per commit. After a power cut the newest commits may be
missing, but the file stays sound; `OperationLog.advance` copes with a log that lost its tail.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from notebook_bcc_ext.adapters.store.file import Connection, explained, open_file
from notebook_bcc_ext.errors import StoreError

T = TypeVar("T")

log = logging.getLogger(__name__)

# Bounds the time one transaction holds the write lock, and the work redone when a job in it fails.
_JOBS_PER_TRANSACTION = 500
# How long a posted job waits for one that somebody awaits, to share its transaction.
_HOLD_SECONDS = 0.005
_BUSY_TIMEOUT_S = 5.0
_MOST_NOTICES = 20


class _Job(NamedTuple):
    run: Callable[[Connection], Any]
    future: Future[Any]
    writes: bool
    thread: int
    """Where it was asked for."""


class _Answer(NamedTuple):
    job: _Job
    result: Any = None
    error: BaseException | None = None


def call_on(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *given: Any) -> None:
    """On that loop; at once where this is its thread."""
    try:
        is_here = asyncio.get_running_loop() is loop
    except RuntimeError:
        is_here = False
    if is_here:
        function(*given)
        return
    # A loop that is closed has nobody left who waits.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *given)


async def committed(future: Future[T]) -> T:
    """What a job returned, once it is on disk. Whoever is cancelled meanwhile stops waiting; the
    job is done all the same. One turn of the event loop, where `asyncio.wrap_future` and `shield`
    take three: a run waits here for each cell."""
    if future.done():
        return future.result()
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    future.add_done_callback(lambda _: call_on(loop, wake))
    await waiter
    return future.result()


class Database:
    """Runs functions of a connection, in the order they were given, each group in a transaction."""

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_s: float = _BUSY_TIMEOUT_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`clock` says what is old; a machine's own may jump."""
        self._path = path
        self.now = clock
        self._busy_timeout_s = busy_timeout_s
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._held: list[_Job] = []
        self._releases = 0
        self._gathering = 0
        self._wanted = False
        """Somebody waits for what is being gathered."""
        self._state_lock = threading.Lock()
        self._closed = False
        self._loop, self._loop_thread = asyncio.get_running_loop(), threading.get_ident()
        self._failure: Exception | None = None
        """Why nothing can be written, until the event loop has heard of it."""
        self.notices: list[str] = []
        """What the person should know about this file, e.g. that a damaged one was set aside."""
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._serve, name="notebook-bcc-store", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        return self._path

    def tell(self, notice: str) -> None:
        """Have the person know, and the log."""
        if notice not in self.notices and len(self.notices) < _MOST_NOTICES:
            self.notices.append(notice)
            log.warning(notice)

    async def open(self) -> None:
        """Wait until the file is usable; StoreError says why it is not."""
        await asyncio.shield(asyncio.wrap_future(self._opened))

    def submit(self, job: Callable[[Connection], T], *, writes: bool = True) -> Future[T]:
        """Queue a job. The future is done once its transaction is committed."""
        future: Future[T] = Future()
        with self._state_lock:
            if not self._refuses(future, writes=writes):
                self._held.append(_Job(job, future, writes=writes, thread=threading.get_ident()))
                self._release()
        return future

    def post(self, job: Callable[[Connection], T]) -> Future[T]:
        """Queue a job that nobody waits for, on the event loop. In order with all others; it goes
        with the next of them, so that waking this thread and committing are paid once."""
        future: Future[T] = Future()
        with self._state_lock:
            if not self._refuses(future):
                if not self._held:
                    loop = asyncio.get_running_loop()
                    loop.call_later(_HOLD_SECONDS, self.release_held, self._releases)
                self._held.append(_Job(job, future, writes=True, thread=self._loop_thread))
        return future

    def _refuses(self, future: Future[Any], *, writes: bool = True) -> bool:
        if self._closed:
            future.set_exception(StoreError(f"the run store {self._path} is closed"))
        elif self._failure is not None and writes:
            future.set_exception(self._explained(self._failure))
        else:
            return False
        return True

    def amend(self, posted: Future[Any], change: Callable[[], None]) -> bool:
        """Change a posted job while it is held; False when it has gone its way."""
        with self._state_lock:
            is_held = any(job.future is posted for job in self._held)
            if is_held:
                change()
        return is_held

    def release_held(self, since: int | None = None) -> None:
        """Somebody waits for what was posted. `since`: unless there was a release meanwhile."""
        with self._state_lock:
            if since is None or since == self._releases:
                self._release()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is posted meanwhile, on the event loop and without waiting, is one transaction."""
        with self._state_lock:
            self._gathering += 1
        try:
            yield
        finally:
            with self._state_lock:
                self._gathering -= 1
                if self._wanted:
                    self._release()

    def _release(self, *, gathered: bool = False) -> None:
        """`gathered`: also what is not yet complete."""
        self._wanted = bool(self._gathering)
        if self._held and (gathered or not self._gathering):
            self._releases += 1
            self._jobs.put(self._held)
            self._held = []

    async def write(self, job: Callable[[Connection], T]) -> T:
        """A caller that is cancelled stops waiting; what it asked for is still done."""
        return await committed(self.submit(job))

    async def read(self, job: Callable[[Connection], T]) -> T:
        return await committed(self.submit(job, writes=False))

    async def close(self) -> None:
        """Finish what was queued and close the file."""
        with self._state_lock:
            already = self._closed
            self._closed = True
            if not already:
                self._release()
                self._jobs.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    # -- the owning thread --------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            connection, notice = open_file(self._path, self._busy_timeout_s)
        except StoreError as error:
            self._opened.set_exception(error)
            self._refuse_all(error)
            return
        if notice is not None:
            self.tell(notice)
        self._opened.set_result(None)
        try:
            while batch := self._next_batch():
                self._run_batch(connection, batch)
        finally:
            connection.close()

    def _next_batch(self) -> list[_Job]:
        """Everything that waits, at least one job; empty when the database is being closed."""
        first = self._jobs.get()
        return [] if first is None else [*first, *self._queued(_JOBS_PER_TRANSACTION)]

    def _queued(self, most: float) -> list[_Job]:
        batch: list[_Job] = []
        while len(batch) < most:
            try:
                jobs = self._jobs.get_nowait()
            except queue.Empty:
                break
            if jobs is None:
                self._jobs.put(None)
                break
            batch.extend(jobs)
        return batch

    def _refuse_all(self, error: StoreError) -> None:
        while jobs := self._jobs.get():
            for job in jobs:
                if job.future.set_running_or_notify_cancel():
                    job.future.set_exception(error)

    def _run_batch(self, connection: Connection, batch: list[_Job]) -> None:
        batch = [job for job in batch if job.future.set_running_or_notify_cancel()]
        try:
            results = self._transaction(connection, batch)
        except BaseException as error:  # noqa: BLE001  whatever it is belongs to the job's caller
            if isinstance(error, sqlite3.OperationalError) and any(job.writes for job in batch):
                self._fail_all(connection, batch, error)
            elif len(batch) == 1:
                self._answer([_Answer(batch[0], error=self._explained(error))])
            else:
                # One bad job must not fail its neighbours: give each a transaction of its own.
                self._answer([self._run_alone(connection, job) for job in batch])
            return
        self._answer([_Answer(*pair) for pair in zip(batch, results, strict=True)])

    def _fail_all(self, connection: Connection, batch: list[_Job], error: Exception) -> None:
        """The file is locked or full. It may be free again in a moment; yet nothing may be stored
        that was written in the belief that something before it was. So all writes fail that were
        given, and that are given before the event loop has heard of it."""
        with self._state_lock:
            self._failure = error
            # What is being gathered too; the rest of it is refused.
            self._release(gathered=True)
        waiting = self._queued(math.inf)
        jobs = [*batch, *(job for job in waiting if job.future.set_running_or_notify_cancel())]
        self._answer(
            [
                _Answer(job, error=self._explained(error))
                if job.writes
                else self._run_alone(connection, job)
                for job in jobs
            ],
            heard=True,
        )

    def _run_alone(self, connection: Connection, job: _Job) -> _Answer:
        try:
            [result] = self._transaction(connection, [job])
        except BaseException as error:  # noqa: BLE001  as above
            return _Answer(job, error=self._explained(error))
        return _Answer(job, result)

    @staticmethod
    def _transaction(connection: Connection, batch: list[_Job]) -> list[Any]:
        # IMMEDIATE takes the write lock first: upgrading a read lock later cannot wait its turn.
        writes = any(job.writes for job in batch)
        connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        try:
            results = [job.run(connection) for job in batch]
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return results

    # -- answering ----------------------------------------------------------------------------

    def _answer(self, answers: list[_Answer], *, heard: bool = False) -> None:
        """Once per transaction for all who asked on the event loop, and there: they hear of a
        failure in one go, and whoever asks next knows of it."""
        on_loop = [answer for answer in answers if answer.job.thread == self._loop_thread]
        try:
            self._loop.call_soon_threadsafe(self._settle, on_loop, heard)
        except RuntimeError:  # the loop is closed
            self._settle(on_loop, heard)
        # Whoever asked elsewhere may do so while the event loop stands still.
        self._settle([answer for answer in answers if answer.job.thread != self._loop_thread])

    def _settle(self, answers: list[_Answer], heard: bool = False) -> None:  # noqa: FBT001, FBT002
        if heard:
            with self._state_lock:
                self._failure = None
        for answer in answers:
            if answer.error is not None:
                answer.job.future.set_exception(answer.error)
            else:
                answer.job.future.set_result(answer.result)

    def _explained(self, error: BaseException) -> BaseException:
        return explained(self._path, error)
