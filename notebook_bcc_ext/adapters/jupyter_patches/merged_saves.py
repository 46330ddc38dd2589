"""Saves of other writers, merged with the operation log under the lock of the path.

A tab (or any other client of the contents manager) saves a whole notebook that may lack the
newest operations. They are replayed on top; a cell of ours that is absent although its operation
was applied was deleted by the person, and stays deleted. Against other people's saves the tab
merges itself, because only it knows what its user changed: a base that is more than our own
flushes behind the file is refused.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from jupyter_core.utils import ensure_async

from notebook_bcc_ext.adapters.notebook.apply import (
    log_position,
    make_current,
    replay,
    set_log_position,
)
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess, FileStamp
from notebook_bcc_ext.adapters.notebook.file import without_trust
from notebook_bcc_ext.adapters.notebook.logs import NotebookLogs
from notebook_bcc_ext.adapters.notebook.paths import normal_path
from notebook_bcc_ext.adapters.notebook.shape import fault_of, refuse_malformed
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.adapters.store.operation_text import pack_image
from notebook_bcc_ext.errors import StaleBaseError, StoreError
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp

Json = dict[str, Any]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Base:
    """What a tab's content is based on."""

    hash: str | None
    log_id: str | None
    applied_seq: int


@dataclass(frozen=True)
class SavedNotebook:
    stamp: FileStamp
    log_id: str | None
    seq: int
    current: bool = True
    """Whether only the log lies between the asker's base and the file."""
    content: Json | None = None


class MergedSaves:
    """Coroutines for the event loop; the work is done where the contents manager lives."""

    def __init__(self, manager: Any, access: ContentsAccess, log: OperationLog) -> None:
        self._manager = manager
        self._access = access
        self._log = log
        self.logs = NotebookLogs(access, log)

    # -- tabs -----------------------------------------------------------------------------------

    async def check(self, path: str, base_hash: str | None) -> SavedNotebook:
        """The file as it is, and whether a tab with that base may save."""

        async def look() -> SavedNotebook:
            async with self._access.locks.hold(path):
                stamp = await self._access.state(path)
                state = await self.logs.at(path)
            return SavedNotebook(
                stamp,
                state.log_id if state else None,
                state.head_seq if state else 0,
                self._access.states.same(path, base_hash, stamp.token),
            )

        return await self._access.run(look)

    async def pull(self, path: str) -> SavedNotebook:
        """The file with the whole log on top, for a tab to merge; nothing is written."""

        async def read() -> SavedNotebook:
            async with self._access.locks.hold(path):
                model = await self._access.get(path)
                notebook: Json = model["content"]
                refuse_malformed(path, notebook)
                state = await self.logs.at(path)
                if state is not None:
                    state = await self.logs.of_content(path, notebook, state)
                await self._access.compute(lambda: make_current(notebook))
                seq = await self._bring_up(notebook, state, _position(notebook, state))
            stamp = FileStamp.of(model)
            return SavedNotebook(stamp, state.log_id if state else None, seq, content=notebook)

        return await self._access.run(read)

    async def save(self, path: str, content: Json, base: Base) -> SavedNotebook:
        async def write() -> SavedNotebook:
            async with self._access.locks.hold(path):
                return await self._save(path, content, base)

        return await self._access.run(write)

    async def _save(self, path: str, content: Json, base: Base) -> SavedNotebook:
        refuse_malformed(path, content)
        found = await self._access.state(path)
        if not self._access.states.same(path, base.hash, found.token):
            raise StaleBaseError(
                f"{path} was changed by somebody else since this tab read it: merge, then save"
            )
        # A tab that knows of no log was opened before there was one, or has another file.
        find = self.logs.at if base.log_id is not None else self.logs.of_file
        state = await find(path)
        await self._access.compute(lambda: make_current(content))
        seq = await self._bring_up(content, state, (base.log_id, base.applied_seq), strict=True)
        stamp = await self._write(path, content, state, seq)
        self._access.states.saved(path, stamp, seq, "tab")
        return SavedNotebook(stamp, state.log_id if state else None, seq)

    async def _write(
        self, path: str, notebook: Json, state: LogState | None, seq: int
    ) -> FileStamp:
        if state is None:
            return await self._access.save(path, notebook)
        image = await self._access.compute(lambda: pack_image(without_trust(notebook)))
        await self._log.renew_image(state.log_id, seq, image)
        stamp = await self._access.save(path, notebook)
        await self._log.record_flush(state.log_id, seq)
        return stamp

    # -- everybody else -------------------------------------------------------------------------

    def install(self) -> None:
        """Make the manager's own methods merge too, for clients that know nothing of the log."""
        manager = self._manager
        is_async = inspect.iscoroutinefunction(manager.save)
        if hasattr(manager.save, "notebook_bcc_merging") or not (
            is_async or self._access.in_threads
        ):
            return
        manager.save = self._replacing(manager.save, self._save_of_others)
        manager.restore_checkpoint = self._replacing(manager.restore_checkpoint, self._restore)

    def _replacing(
        self, method: Callable[..., Any], merged: Callable[..., Coroutine[Any, Any, Any]]
    ) -> Callable[..., Any]:
        """`merged(method, …)` in place of `method`: awaited where that one was, else waited for."""

        def is_none_of_ours(*args: Any, **kwargs: Any) -> bool:
            model = kwargs.get("model", args[0] if args else None)
            is_other_file = isinstance(model, dict) and model.get("type") != "notebook"
            return is_other_file or self._access.states.is_own_write

        @functools.wraps(method)
        async def in_turn(*args: Any, **kwargs: Any) -> Any:
            if is_none_of_ours(*args, **kwargs):
                return await method(*args, **kwargs)
            return await self._access.run(lambda: merged(method, *args, **kwargs))

        @functools.wraps(method)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            if is_none_of_ours(*args, **kwargs):
                return method(*args, **kwargs)
            return self._access.run_blocking(lambda: merged(method, *args, **kwargs))

        replacement = in_turn if inspect.iscoroutinefunction(method) else blocking
        setattr(replacement, "notebook_bcc_merging", True)  # noqa: B010  a mark on a function
        return replacement

    async def _save_of_others(self, save: Callable[..., Any], model: Json, path: str = "") -> Any:
        name = normal_path(path)
        async with self._access.locks.hold(name):
            seq = await self._merged(name, model.get("content"))
            saved = await ensure_async(save(model, path))
            self._access.states.saved(name, await self._access.state(name), seq, "other")
            return saved

    async def _merged(self, path: str, content: Any) -> int:
        """Bring what somebody else saves up to the log, if it has one; the seq it is at now.

        Jupyter's own saves never fail for what is wrong with our store.
        """
        if isinstance(content, dict):
            content.setdefault("metadata", {})
        try:
            state = None if fault_of(content) else await self.logs.at(path)
            if state is not None:
                state = await self.logs.of_save(path, content, state)
            if state is None:
                return 0
            make_current(content)
            return await self._bring_up(content, state, log_position(content))
        except StoreError as error:
            logger.warning("%s was saved without what its log may have: %s", path, error)
            return 0

    async def _restore(self, restore: Callable[..., Any], checkpoint_id: str, path: str) -> Any:
        """An older version is what the person wants: what the log has by now is not added to it."""
        name = normal_path(path)
        async with self._access.locks.hold(name):
            with self._access.states.own_write():
                restored = await ensure_async(restore(checkpoint_id, path))
            state = await self.logs.at(name)
            if state is not None:
                notebook: Json = (await self._access.get(name))["content"]
                refuse_malformed(name, notebook)
                make_current(notebook)
                set_log_position(notebook, state.log_id, state.head_seq)
                stamp = await self._write(name, notebook, state, state.head_seq)
                self._access.states.saved(name, stamp, state.head_seq, "other")
            return restored

    # -- the log --------------------------------------------------------------------------------

    async def log_of(self, path: str) -> LogState | None:
        """The log that a tab of this notebook is to follow."""

        async def look() -> LogState | None:
            async with self._access.locks.hold(path):
                return await self.logs.of_file(path)

        return await self._access.run(look)

    async def _bring_up(
        self,
        notebook: Json,
        state: LogState | None,
        position: tuple[str | None, int],
        *,
        strict: bool = False,
    ) -> int:
        """Replay on a notebook what it lacks of the log; the seq it is at now."""
        if state is None:
            return 0
        log_id, seq = position
        if log_id is None:
            seq = 0  # It was read before the log began.
        elif log_id != state.log_id:
            if strict:
                raise StaleBaseError("the notebook was replaced by another one: merge, then save")
            return seq
        # What claims to be further than the log has been cannot have seen what comes next.
        seq = min(seq, state.head_seq)
        ops = await self._log.since(state.log_id, seq)
        if ops is None and strict:
            raise StaleBaseError("the tab is too far behind the log: merge, then save")
        missing: list[LoggedOp] = ops or []

        def apply() -> int:
            reached = max(replay(notebook, missing, seq), state.flushed_seq if ops is None else 0)
            set_log_position(notebook, state.log_id, reached)
            return reached

        return await self._access.compute(apply)


def _position(file: Json, state: LogState | None) -> tuple[str | None, int]:
    """Where the file itself is. Without a claim: it has all that was ever flushed, or a tool or
    a person took that out on purpose."""
    log_id, seq = log_position(file)
    return (log_id, seq) if log_id or state is None else (state.log_id, state.flushed_seq)
