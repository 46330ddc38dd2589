"""One lock per notebook path around the contents manager.

jupyter_server writes a notebook in place. A reader that meets half a file takes it for damaged,
renames it to `.invalid` and puts an older copy in its place; a writer that reads, changes and
saves may overwrite what somebody else saved in between. `install_path_locks` therefore makes
every get, save, rename, delete and checkpoint of one manager object take the lock of its path, no
matter who calls: the server's own handlers, other extensions, or this product.

The lock is re-entrant, because a save calls get. It belongs to a *call chain*, not to a thread or
a task: a context variable carries it, so that the calls a locked section makes find it held.

The same lock serves plain and `async` managers, on the event loop and in worker threads. With a
plain manager, a call on the event loop that meets a held lock blocks until the holder (a worker
thread) is done, as long as the save it waits for would have blocked the loop itself. So nobody
may hold a plain manager's path across an `await` on the event loop; `ContentsAccess` does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import threading
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from notebook_bcc_ext.adapters.notebook.paths import normal_path


class _Lock:
    """First come, first served, for threads and tasks alike: who leaves hands it to the next."""

    def __init__(self) -> None:
        self.users = 0
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[Future[None]] = deque()

    def enter(self) -> Future[None] | None:
        """None when the lock is ours now; else a future that is done when it is."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return None
            turn: Future[None] = Future()
            self._waiting.append(turn)
            return turn

    def leave(self) -> None:
        with self._guard:
            turn = self._next_in_line()
            self._taken = turn is not None
        if turn is not None:
            turn.set_result(None)

    def _next_in_line(self) -> Future[None] | None:
        while self._waiting:
            turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                return turn
        return None


class _Hold:
    """A path held by a call chain. Tasks started meanwhile inherit it, so it has to expire."""

    def __init__(self, locks: PathLocks, path: str) -> None:
        self.key = (locks, path)
        self.active = True


_held: ContextVar[tuple[_Hold, ...]] = ContextVar("notebook_bcc_held_paths", default=())


class PathLocks:
    def __init__(self, *, one_for_all: bool = False) -> None:
        """`one_for_all`: never two calls at a time, for managers that may not bear threads."""
        self.one_for_all = one_for_all
        self._guard = threading.Lock()
        self._locks: dict[str, _Lock] = {}

    @contextlib.asynccontextmanager
    async def hold(self, *paths: str) -> AsyncIterator[None]:
        wanted = self._wanted(paths)
        with contextlib.ExitStack() as stack:
            for lock in self._each(wanted, stack):
                turn = lock.enter()
                if turn is not None:
                    await _await_turn(lock, turn)
                stack.callback(lock.leave)
            stack.enter_context(self._marked(wanted))
            yield

    @contextlib.contextmanager
    def hold_blocking(self, *paths: str) -> Iterator[None]:
        wanted = self._wanted(paths)
        with contextlib.ExitStack() as stack:
            for lock in self._each(wanted, stack):
                turn = lock.enter()
                if turn is not None:
                    turn.result()
                stack.callback(lock.leave)
            stack.enter_context(self._marked(wanted))
            yield

    def _wanted(self, paths: tuple[str, ...]) -> list[str]:
        """The paths this call chain does not hold yet, in an order all callers agree upon."""
        names = {"" if self.one_for_all else normal_path(path) for path in paths}
        held = {hold.key for hold in _held.get() if hold.active}
        return sorted(name for name in names if (self, name) not in held)

    def _each(self, paths: list[str], stack: contextlib.ExitStack) -> Iterator[_Lock]:
        return (stack.enter_context(self._used(path)) for path in paths)

    @contextlib.contextmanager
    def _used(self, path: str) -> Iterator[_Lock]:
        with self._guard:
            lock = self._locks.setdefault(path, _Lock())
            lock.users += 1
        try:
            yield lock
        finally:
            with self._guard:
                lock.users -= 1
                if not lock.users:
                    del self._locks[path]

    @contextlib.contextmanager
    def _marked(self, paths: list[str]) -> Iterator[None]:
        holds = tuple(_Hold(self, path) for path in paths)
        before = _held.get()
        _held.set(before + holds)
        try:
            yield
        finally:
            for hold in holds:
                hold.active = False
            _held.set(before)


async def _await_turn(lock: _Lock, turn: Future[None]) -> None:
    try:
        await asyncio.wrap_future(turn)
    except asyncio.CancelledError:
        if not turn.cancel():
            # The lock had been handed to us before we were told to stop.
            lock.leave()
        raise


# -- the contents manager ---------------------------------------------------------------------

# Each method with the positions and names of its path arguments.
_LOCKED_METHODS: dict[str, tuple[tuple[int, str], ...]] = {
    "get": ((0, "path"),),
    "save": ((1, "path"),),
    "delete": ((0, "path"),),
    "rename": ((0, "old_path"), (1, "new_path")),
    "create_checkpoint": ((0, "path"),),
    "restore_checkpoint": ((1, "path"),),
}

_installed: weakref.WeakKeyDictionary[Any, PathLocks] = weakref.WeakKeyDictionary()


def install_path_locks(contents_manager: Any, *, one_for_all: bool = False) -> PathLocks:
    """Make this manager object lock the path in each call that reads or writes content.

    Doing it twice does no harm: the same locks come back.
    """
    locks = _installed.get(contents_manager)
    if locks is None:
        locks = _installed[contents_manager] = PathLocks(one_for_all=one_for_all)
        for name, arguments in _LOCKED_METHODS.items():
            method = getattr(contents_manager, name)
            paths_of = functools.partial(_paths_of, arguments)
            needs_lock = _reads_content if name == "get" and not one_for_all else _always
            setattr(contents_manager, name, _locked(method, locks, paths_of, needs_lock))
    return locks


def _locked(
    method: Callable[..., Any],
    locks: PathLocks,
    paths_of: Callable[..., list[str]],
    needs_lock: Callable[..., bool],
) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def locked_async(*args: Any, **kwargs: Any) -> Any:
            if not needs_lock(*args, **kwargs):
                return await method(*args, **kwargs)
            async with locks.hold(*paths_of(args, kwargs)):
                return await method(*args, **kwargs)

        return locked_async

    @functools.wraps(method)
    def locked(*args: Any, **kwargs: Any) -> Any:
        if not needs_lock(*args, **kwargs):
            return method(*args, **kwargs)
        with locks.hold_blocking(*paths_of(args, kwargs)):
            return method(*args, **kwargs)

    return locked


def _paths_of(
    arguments: tuple[tuple[int, str], ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    return [
        str(args[position] if position < len(args) else kwargs.get(name, ""))
        for position, name in arguments
    ]


def _always(*_args: Any, **_kwargs: Any) -> bool:
    return True


def _reads_content(*args: Any, **kwargs: Any) -> bool:
    """A get of the date and size alone cannot meet half a file, and need not wait for a save."""
    content = args[1] if len(args) > 1 else kwargs.get("content", True)
    return bool(content or kwargs.get("require_hash") or len(args) > 4)  # noqa: PLR2004
