"""The one SQLite file of the product, owned by one thread.

Why a thread: a commit is quick, a checkpoint of the write-ahead log is not, and the event loop
must wait for neither. Jobs that arrive while a transaction runs share the next one, so a hundred
appends cost one commit.

Why `synchronous = NORMAL`: in WAL mode a commit is then in the operating system's hands, which
survives a killed process without an fsync per commit. After a power cut the newest commits may be
missing, but the file stays sound; `OperationLog.attach` copes with a log that lost its tail.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from notebook_bcc_ext.adapters.sqlite_schema import migrate
from notebook_bcc_ext.errors import StoreError

T = TypeVar("T")
Connection = sqlite3.Connection

log = logging.getLogger(__name__)

# Bounds the time one transaction holds the write lock, and the work redone when a job in it fails.
_JOBS_PER_TRANSACTION = 500
# How long a posted job waits for one that somebody awaits, to share its transaction.
_HOLD_SECONDS = 0.002
_BUSY_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class _Job:
    run: Callable[[Connection], Any]
    future: Future[Any]
    writes: bool


async def committed(future: Future[T]) -> T:
    """What a job returned, once it is on disk. Whoever is cancelled meanwhile stops waiting; the
    job is done all the same. One turn of the event loop, where `asyncio.wrap_future` and `shield`
    take three: a run waits here several times for each cell."""
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def from_its_thread(_: Future[T]) -> None:
        # A loop that is closed has nobody left who waits.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    future.add_done_callback(from_its_thread)
    await waiter
    return future.result()


class Database:
    """Runs functions of a connection, in the order they were given, each group in a transaction."""

    def __init__(self, path: Path, *, busy_timeout_s: float = _BUSY_TIMEOUT_S) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._held: list[_Job] = []
        self._state_lock = threading.Lock()
        self._closed = False
        self.notice: str | None = None
        """What the person should know about this file, e.g. that a damaged one was set aside."""
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._serve, name="notebook-bcc-store", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        return self._path

    async def open(self) -> None:
        """Wait until the file is usable; StoreError says why it is not."""
        await asyncio.shield(asyncio.wrap_future(self._opened))

    def submit(self, job: Callable[[Connection], T], *, writes: bool = True) -> Future[T]:
        """Queue a job. The future is done once its transaction is committed."""
        future: Future[T] = Future()
        with self._state_lock:
            if self._closed:
                self._refuse(future)
            else:
                self._held.append(_Job(job, future, writes))
                self._release()
        return future

    def post(self, job: Callable[[Connection], T]) -> Future[T]:
        """Queue a job that nobody waits for, on the event loop. In order with all others; it goes
        with the next of them, so that waking this thread and committing are paid once."""
        future: Future[T] = Future()
        with self._state_lock:
            if self._closed:
                self._refuse(future)
                return future
            if not self._held:
                asyncio.get_running_loop().call_later(_HOLD_SECONDS, self._release_held)
            self._held.append(_Job(job, future, writes=True))
        return future

    def _refuse(self, future: Future[Any]) -> None:
        future.set_exception(StoreError(f"the run store {self._path} is closed"))

    def _release_held(self) -> None:
        with self._state_lock:
            self._release()

    def _release(self) -> None:
        if self._held:
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
            connection = self._connect()
        except StoreError as error:
            self._opened.set_exception(error)
            self._refuse_all(error)
            return
        self._opened.set_result(None)
        try:
            while batch := self._next_batch():
                self._run_batch(connection, batch)
        finally:
            connection.close()

    def _next_batch(self) -> list[_Job]:
        """Everything that waits, at least one job; empty when the database is being closed."""
        first = self._jobs.get()
        if first is None:
            return []
        batch = [*first]
        while len(batch) < _JOBS_PER_TRANSACTION:
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
            # A file that is locked or full may be free again in a moment; yet nothing may be
            # stored that was written after something that was not.
            if len(batch) == 1 or isinstance(error, sqlite3.OperationalError):
                for job in batch:
                    if job.writes or len(batch) == 1:
                        job.future.set_exception(self._explained(error))
                    else:
                        self._run_alone(connection, job)
                return
            # One bad job must not fail its neighbours: give each a transaction of its own.
            for job in batch:
                self._run_alone(connection, job)
            return
        for job, result in zip(batch, results, strict=True):
            job.future.set_result(result)

    def _run_alone(self, connection: Connection, job: _Job) -> None:
        try:
            [result] = self._transaction(connection, [job])
        except BaseException as error:  # noqa: BLE001  as above
            job.future.set_exception(self._explained(error))
        else:
            job.future.set_result(result)

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

    # -- opening ------------------------------------------------------------------------------

    def _connect(self) -> Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Made before SQLite makes it: its side files take over these rights.
            self._path.touch(mode=0o600)
            self._path.chmod(0o600)
            return self._open_sound_file()
        except (OSError, sqlite3.Error) as error:
            if _is_damage(error):
                return self._connect_to_new_file(error)
            raise self._explained(error) from error

    def _open_sound_file(self) -> Connection:
        connection = sqlite3.connect(self._path, timeout=self._busy_timeout_s, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_size_limit = 8388608")
            _check(connection)
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_to_new_file(self, damage: Exception) -> Connection:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        aside = self._path.with_name(f"{self._path.name}.damaged-{stamp}")
        try:
            for suffix in ("-wal", "-shm", ""):
                part = self._path.with_name(self._path.name + suffix)
                if part.exists():
                    part.rename(aside.with_name(aside.name + suffix))
            self._path.touch(mode=0o600)
            connection = self._open_sound_file()
        except (OSError, sqlite3.Error) as error:
            raise self._explained(error) from error
        self.notice = (
            f"The run store {self._path} was damaged ({damage}). It was set aside as "
            f"{aside.name} and a new, empty one was made; earlier runs are not listed."
        )
        log.warning(self.notice)
        return connection

    def _explained(self, error: BaseException) -> BaseException:
        """SQLite's words as a sentence with a remedy; errors of ours pass."""
        if not isinstance(error, OSError | sqlite3.Error):
            return error
        text = str(error)
        if _is_damage(error):
            remedy = "it is damaged; restart the server: it will be set aside and made anew"
        elif "locked" in text or "busy" in text:
            remedy = "another process keeps it locked; close that one or choose another store file"
        elif "full" in text:
            remedy = "the disk is full; free some space and try again"
        elif "readonly" in text or _is_refused(error):
            remedy = "it cannot be written; check the rights of the file and its folder"
        else:
            remedy = "check the file and its folder"
        explained = StoreError(f"the run store {self._path} failed ({text}): {remedy}")
        explained.__cause__ = error
        return explained


def _check(connection: Connection) -> None:
    [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(f"database disk image is malformed: {verdict}")


def _is_refused(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)


def _is_damage(error: BaseException) -> bool:
    # A plain DatabaseError: its subclasses (locked, full, constraint) leave the file sound.
    text = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in text or "not a database" in text
    )
