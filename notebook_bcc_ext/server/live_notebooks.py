"""Tabs attached to notebooks: each hears every operation of the log, in order, at its own pace.

Nothing is queued per tab. A tab has a place in the log; whenever its socket has taken the last
batch it gets what came since, from a short memory of the newest operations or from the store. A
slow tab is behind, never a burden; one that the log no longer reaches is told to read the
notebook instead (`resync`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from pydantic import BaseModel

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.saved_states import Written
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.browser.live import (
    Attach,
    Attached,
    DiskChanged,
    Moved,
    Operations,
    Resync,
    Wanted,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp

RECENT_OPERATIONS = 500
BATCH_OPERATIONS = 200
EDITED_CELLS = 5_000
SETTLE_SECONDS = 2.0
"""A tab that does not save an edit in this time cannot hold up the run; the saved text is run."""


LogOf = Callable[[str], Awaitable[LogState | None]]
"""Finds the log of the notebook at a path."""


class Listener(Protocol):
    async def send(self, message: str) -> None:
        """Hand a message to the browser; returns when it can take another."""


class Tab:
    """One notebook in one browser page, and the task that keeps it up to date."""

    def __init__(self, hub: LiveNotebooks, listener: Listener, name: str, attach: Attach) -> None:
        self.path = attach.path
        self.name = name
        self.log_id: str | None = None
        self._hub = hub
        self._listener = listener
        self._claimed = attach.log_id
        self._seq = attach.applied_seq
        self._wake = asyncio.Event()
        self._wake.set()
        self._disk: DiskChanged | None = None
        self._moved: Moved | None = None
        self._edited: dict[str, asyncio.Event] = {}
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def wake(self) -> None:
        self._wake.set()

    def tell_disk(self, written: DiskChanged) -> None:
        # What somebody else saved is not to be hidden by a flush of ours right after it.
        if self._disk is not None and self._disk.by != "run":
            written = written.model_copy(update={"by": self._disk.by})
        self._disk = written
        self._wake.set()

    def tell_moved(self, moved: Moved) -> None:
        self._moved = moved
        self._wake.set()

    # -- what its user has typed and not saved ---------------------------------------------------

    def edited(self, cell_ids: list[str]) -> None:
        for cell_id in cell_ids:
            self._edited.setdefault(cell_id, asyncio.Event())
        while len(self._edited) > EDITED_CELLS:
            del self._edited[next(iter(self._edited))]

    def settled(self, cell_id: str) -> None:
        saved = self._edited.pop(cell_id, None)
        if saved is not None:
            saved.set()

    async def settle(self, cell_id: str) -> None:
        """Have the tab save the cell, if its user has changed it."""
        saved = self._edited.get(cell_id)
        if saved is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self._send(Wanted(path=self.path, cell_id=cell_id))
                await saved.wait()
        # One that did not answer is not asked again before it says something new.
        self._edited.pop(cell_id, None)

    async def close(self) -> None:
        for cell_id in list(self._edited):
            self.settled(cell_id)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _serve(self) -> None:
        await self._greet()
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self.log_id is None:
                await self._look_for_log()
            if self.log_id is not None:
                await self._send_operations(self.log_id)
            disk, self._disk = self._disk, None
            if disk is not None:
                await self._send(disk)
            moved, self._moved = self._moved, None
            if moved is not None:
                await self._send(moved)

    async def _greet(self) -> None:
        head = await self._look_for_log(tell=False)
        await self._send(Attached(path=self.path, log_id=self.log_id, head_seq=head))

    async def _look_for_log(self, *, tell: bool = True) -> int:
        state = await self._hub.log_of(self.path)
        if state is None:
            return 0
        self.log_id = state.log_id
        if self._claimed != state.log_id:
            # It was read before the log began, or is a copy of another notebook.
            self._claimed, self._seq = state.log_id, 0
        if self._seq > state.head_seq:
            self._seq = 0
        self._hub.log.acknowledge(state.log_id, self.name, self._seq)
        if tell:
            attached = Attached(path=self.path, log_id=state.log_id, head_seq=state.head_seq)
            await self._send(attached)
        return state.head_seq

    async def _send_operations(self, log_id: str) -> None:
        while True:
            ops = await self._hub.since(log_id, self._seq)
            if ops is None:
                await self._resync(log_id)
                return
            if not ops:
                return
            batch = ops[:BATCH_OPERATIONS]
            self._seq = batch[-1].seq
            await self._send(Operations(path=self.path, log_id=log_id, ops=batch))

    async def _resync(self, log_id: str) -> None:
        try:
            self._seq = await self._hub.log.head(log_id)
        except StoreError:
            # The log was forgotten: its notebook was replaced by a new one.
            self.log_id = self._claimed = None
            self._seq = 0
        await self._send(Resync(path=self.path, reason="the tab was too far behind"))

    async def _send(self, message: BaseModel) -> None:
        await self._listener.send(message.model_dump_json())


class LiveNotebooks:
    """All attached tabs of this server."""

    def __init__(self, access: ContentsAccess, log: OperationLog, log_of: LogOf) -> None:
        self.access = access
        self.log = log
        self.log_of = log_of
        self._loop = asyncio.get_running_loop()
        self._tabs: dict[str, set[Tab]] = {}
        self._recent: dict[str, deque[LoggedOp]] = {}
        self._count = 0
        self._unsubscribe = log.subscribe(self._on_logged)
        access.states.listeners.append(self._on_written)

    def attach(self, listener: Listener, attach: Attach) -> Tab:
        self._count += 1
        tab = Tab(self, listener, f"tab-{self._count}", attach)
        self._tabs.setdefault(tab.path, set()).add(tab)
        return tab

    async def detach(self, tab: Tab) -> None:
        tabs = self._tabs.get(tab.path, set())
        tabs.discard(tab)
        if not tabs:
            self._tabs.pop(tab.path, None)
        if tab.log_id is not None:
            self.log.dismiss(tab.log_id, tab.name)
        await tab.close()

    async def settle(self, path: str, cell_id: str) -> None:
        """Returns when the cell is saved as the person sees it, in whichever tab they changed it.

        Only tabs with an edit of that cell are asked: no other tab can slow the run down.
        """
        await asyncio.gather(*[tab.settle(cell_id) for tab in self._tabs.get(path, ())])

    def acknowledge(self, tab: Tab, seq: int) -> None:
        if tab.log_id is not None:
            self.log.acknowledge(tab.log_id, tab.name, seq)

    async def since(self, log_id: str, seq: int) -> list[LoggedOp] | None:
        recent = self._recent.get(log_id)
        if recent and recent[0].seq <= seq + 1:
            return [entry for entry in recent if entry.seq > seq]
        try:
            return await self.log.since(log_id, seq)
        except StoreError:
            return None

    def close(self) -> None:
        self._unsubscribe()
        if self._on_written in self.access.states.listeners:
            self.access.states.listeners.remove(self._on_written)

    # -- what happens to notebooks --------------------------------------------------------------

    def notebook_moved(self, old_path: str, new_path: str | None) -> None:
        """`new_path` is None when it was deleted. Tabs attach anew under the new name."""
        for path in [path for path in self._tabs if within(path, old_path)]:
            there = None if new_path is None else new_path + path[len(old_path) :]
            for tab in self._tabs[path]:
                tab.tell_moved(Moved(path=path, new_path=there))

    def _on_logged(self, log_id: str, logged: list[LoggedOp]) -> None:
        if not self._tabs:
            self._recent.clear()
            return
        recent = self._recent.setdefault(log_id, deque(maxlen=RECENT_OPERATIONS))
        if recent and logged and logged[0].seq != recent[-1].seq + 1:
            recent.clear()
        recent.extend(logged)
        for tabs in self._tabs.values():
            for tab in tabs:
                if tab.log_id in (None, log_id):
                    tab.wake()

    def _on_written(self, written: Written) -> None:
        # A closed loop has no tabs any more.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell_disk, written)

    def _tell_disk(self, written: Written) -> None:
        for tab in self._tabs.get(written.path, ()):
            tab.tell_disk(
                DiskChanged(
                    path=written.path,
                    hash=written.stamp.hash,
                    last_modified=written.stamp.modified_at,
                    seq=written.seq,
                    by=written.by,
                )
            )


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
