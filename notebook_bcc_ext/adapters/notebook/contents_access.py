"""The contents manager, off the event loop and under path locks.

Reading, validating, signing and writing a notebook takes a third of a second per thousand cells,
and jupyter_server does most of it in the caller's thread, also in its `async` manager. So the
managers of jupyter_server and all plain (not async) ones are called in a worker thread, which
runs the coroutine on a short-lived loop of its own. An async manager from elsewhere stays on the
server's loop: it may own connections bound to it, and has promised not to block.

What makes that safe for a manager that was written for one thread: its paths are locked, so that
no two calls meet on one notebook (a plain manager from elsewhere gets one lock for all paths: never
two threads in it at a time), and those of its parts that belong to one thread are set free of it.
Both are changes of the manager object: see `jupyter_patches`.

A manager with other thread-bound parts can be kept on the loop with `own_thread=False`.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.fileio import FileManagerMixin
from tornado.web import HTTPError

from notebook_bcc_ext.adapters.jupyter_patches.contents_manager import patch_contents
from notebook_bcc_ext.adapters.notebook.paths import allowed_path, normal_path, path_for_run
from notebook_bcc_ext.adapters.notebook.saved_states import SavedStates
from notebook_bcc_ext.adapters.short_tasks import in_short_task
from notebook_bcc_ext.errors import NotebookError

T = TypeVar("T")
Json = dict[str, Any]

_NOT_FOUND = 404
_BAD_REQUEST = 400


class MissingFileError(NotebookError):
    """There is nothing at the path."""


class UnreadableFileError(NotebookError):
    """There is something, and it is no notebook."""


@dataclass(frozen=True)
class FileStamp:
    """Tells one saved state of a file from another without reading it."""

    last_modified: Any
    size: Any
    hash: Any = field(compare=False)
    """Known where the content was read or written; a look at the date alone does not have it."""

    @property
    def token(self) -> str:
        """A name of this state of the file."""
        return str(self.hash or self.modified_at)

    @property
    def modified_at(self) -> str:
        """The date as jupyter_server writes it: a browser knows the state by this name too."""
        moment = self.last_modified
        if isinstance(moment, datetime):
            return moment.isoformat().replace("+00:00", "Z")
        return str(moment)

    @classmethod
    def of(cls, model: Json) -> FileStamp:
        return cls(model.get("last_modified"), model.get("size"), model.get("hash"))


class FlushPace:
    """Background writing of all notebooks together takes at most this share of the time."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._one_at_a_time = asyncio.Lock()
        self._free_at = 0.0

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until there is time for a background flush."""
        async with self._one_at_a_time:
            # Again after the wait: an explicit flush may have used up the time meanwhile.
            while (wait := self._free_at - time.monotonic()) > 0:  # noqa: ASYNC110
                await asyncio.sleep(wait)
            yield

    @contextlib.contextmanager
    def spent(self) -> Iterator[None]:
        """Count what is done inside, also when it could not wait for its turn."""
        started = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            self._free_at = max(self._free_at, now + (now - started) * (1 / self._share - 1))


class _BriskSwitching:
    """While a notebook is read or written, Python's threads take turns every millisecond.

    That work computes for long stretches, and with the usual five milliseconds everybody else
    pays them at each step that lets another thread in: a single append makes ten such steps.
    """

    def __init__(self) -> None:
        self._users = 0
        self._usual = sys.getswitchinterval()

    def __enter__(self) -> None:
        if self._users == 0:
            self._usual = sys.getswitchinterval()
            sys.setswitchinterval(min(self._usual, 0.001))
        self._users += 1

    def __exit__(self, *_: object) -> None:
        self._users -= 1
        if self._users == 0:
            sys.setswitchinterval(self._usual)


class ContentsAccess:
    """Make it on the event loop, one per contents manager; notebooks share it."""

    def __init__(
        self,
        contents_manager: Any,
        *,
        own_thread: bool | None = None,
        flush_share: float = 0.05,
    ) -> None:
        self._manager = contents_manager
        self.root = place_of(contents_manager)
        is_async = inspect.iscoroutinefunction(contents_manager.get)
        # jupyter_server's own get keeps no state between calls; a subclass may override save only.
        self._is_stock = all(
            getattr(type(contents_manager), name).__module__.startswith("jupyter_server.")
            for name in ("get", "save")
        )
        self.in_threads = (self._is_stock or not is_async) if own_thread is None else own_thread
        one_for_all = self.in_threads and not self._is_stock
        loop = asyncio.get_running_loop() if self.in_threads else None
        self.locks = patch_contents(contents_manager, one_for_all=one_for_all, threads_of=loop)
        self._hashes = "require_hash" in inspect.signature(contents_manager.get).parameters
        self.states = SavedStates()
        self.pace = FlushPace(flush_share)
        self._brisk = _BriskSwitching()
        self._stamps: dict[str, tuple[tuple[int, ...], FileStamp]] = {}
        # Two, so that a reader need not wait for another notebook's flush.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="notebook-bcc-contents")

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run work that calls the manager, where such work belongs."""
        if not self.in_threads:
            return await in_short_task(work())
        loop = asyncio.get_running_loop()
        with self._brisk:
            return await loop.run_in_executor(self._threads, lambda: asyncio.run(work()))

    def run_blocking(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """`run` for a caller that cannot await: a method of a plain (not async) manager.

        The work never waits for the caller's event loop, so that one may stand still meanwhile.
        """
        return self._threads.submit(lambda: asyncio.run(work())).result()

    async def compute(self, function: Callable[[], T]) -> T:
        """Inside of `run`: work that grows with the notebook, not on the server's loop."""
        return function() if self.in_threads else await asyncio.to_thread(function)

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    # -- names --------------------------------------------------------------------------------

    def place(self, path: str) -> str:
        """A name of the notebook that no server with another root folder gives to another one."""
        return f"{self.root}/{normal_path(path)}"

    def path_of(self, place: str) -> str | None:
        """The path of a place; None when it is not within reach of this manager."""
        root = f"{self.root}/"
        return place.removeprefix(root) if place.startswith(root) else None

    async def allowed(self, path: str) -> str:
        """The one spelling of a path; NotebookPathError where its user has no business."""
        return await allowed_path(self._manager, path)

    async def for_run(self, path: str) -> str:
        """The same for a notebook that a run is to work in."""
        return await path_for_run(self._manager, path)

    # -- calls, to be made inside of `run` ----------------------------------------------------

    async def get(self, path: str) -> Json:
        return await self._get(path, content=True)

    async def text(self, path: str) -> str | None:
        """The file as plain text; None where that cannot be had."""
        try:
            model = await ensure_async(self._manager.get(path, type="file", format="text"))
        except Exception:  # noqa: BLE001  whatever it is, the file is then treated with care
            return None
        return str(model["content"])

    async def small_text(self, path: str, most_bytes: int) -> str | None:
        """A file that its user may read, as text; None where there is none, or too large a one."""
        try:
            allowed = await self.allowed(path)
            model = await ensure_async(self._manager.get(allowed, content=False, type="file"))
        except Exception:  # noqa: BLE001  whatever it is, there is nothing to read
            return None
        size = model.get("size")
        return None if size is None or size > most_bytes else await self.text(allowed)

    async def file_names(self, folder: str) -> list[str]:
        """The files of a folder that its user may see."""
        try:
            allowed = await self.allowed(folder) if folder else ""
            model = await ensure_async(self._manager.get(allowed, type="directory"))
        except Exception:  # noqa: BLE001  whatever it is, there is nothing to see
            return []
        return [one["name"] for one in model["content"] if one["type"] == "file"]

    async def state(self, path: str) -> FileStamp:
        """The file as it is now, with its hash where the manager knows hashes."""
        return FileStamp.of(await self._get(path, content=False))

    async def _get(self, path: str, *, content: bool) -> Json:
        wanted: Json = {"require_hash": True} if self._hashes else {}
        try:
            model: Json = await ensure_async(
                self._manager.get(path, content=content, type="notebook", **wanted)
            )
        except Exception as error:
            raise _explained(error, path, "read") from error
        return model

    async def save(self, path: str, notebook: Json) -> FileStamp:
        model = {"type": "notebook", "format": "json", "content": notebook}
        try:
            with self.states.own_write():
                saved = await ensure_async(self._manager.save(model, path))
        except Exception as error:
            raise _explained(error, path, "saved") from error
        return await self.state(path) if self._hashes else FileStamp.of(saved)

    async def exists(self, path: str) -> bool:
        return bool(await ensure_async(self._manager.file_exists(path)))

    async def delete(self, path: str) -> None:
        try:
            await ensure_async(self._manager.delete(path))
        except Exception as error:
            raise _explained(error, path, "deleted") from error

    async def rename(self, old_path: str, new_path: str) -> None:
        try:
            await ensure_async(self._manager.rename(old_path, new_path))
        except Exception as error:
            raise _explained(error, old_path, "renamed") from error

    def mark_trusted_cells(self, path: str, notebook: Json) -> None:
        """Trust the cells if this very content has been signed on this machine."""
        self._manager.mark_trusted_cells(notebook, path)

    # -- for the event loop -------------------------------------------------------------------

    async def stamp(self, path: str) -> FileStamp:
        """Date and size of the file as it is now; no content is read."""
        status = self._file_status(path)
        known = self._stamps.get(path)
        if known is not None and status is not None and known[0] == status:
            return known[1]
        stamp = await self._ask_for_stamp(path)
        if status is not None:
            self._stamps[path] = (status, stamp)
        return stamp

    def _file_status(self, path: str) -> tuple[int, ...] | None:
        """A quick look for a manager that would do many slower ones; None if it keeps no files."""
        if not self._is_stock or not isinstance(self._manager, FileManagerMixin):
            return None
        try:
            status = Path(self.root, path).stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    async def _ask_for_stamp(self, path: str) -> FileStamp:

        async def ask() -> Json:
            model: Json = await ensure_async(
                self._manager.get(path, content=False, type="notebook")
            )
            return model

        try:
            # A stock manager only asks for the file's status: quicker than a thread.
            return FileStamp.of(await (in_short_task(ask()) if self._is_stock else self.run(ask)))
        except Exception as error:
            raise _explained(error, path, "read") from error


def place_of(contents_manager: Any) -> str:
    """A name of the manager's root folder that no other server gives to another one."""
    is_file_based = isinstance(contents_manager, FileManagerMixin)
    kind = type(contents_manager).__name__
    return str(contents_manager.root_dir).rstrip("/") if is_file_based else f"{kind}:"


def _explained(error: Exception, path: str, verb: str) -> NotebookError:
    if isinstance(error, NotebookError):
        return error
    status = error.status_code if isinstance(error, HTTPError) else None
    detail = (error.log_message if isinstance(error, HTTPError) else None) or str(error)
    if status == _NOT_FOUND:
        return MissingFileError(f"the notebook {path} does not exist: {detail}")
    message = f"the notebook {path} cannot be {verb}: {detail}"
    if verb == "saved":
        message += ". Nothing is lost, the run's log has it: cure this, then retry."
    if status == _BAD_REQUEST and verb == "read":
        return UnreadableFileError(message)
    return NotebookError(message)
