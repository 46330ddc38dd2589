"""Keeps the shared document of one notebook, while there is one, at the head of its log."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.ports import CellText
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp

Json = dict[str, Any]

# A room saves a second after its last change; one that people told not to save may never do.
SAVES_WITHIN_S = 10.0


class Room(Protocol):
    @property
    def is_loaded(self) -> bool: ...

    def position(self, log_id: str, otherwise: int) -> int: ...

    def text_of(self, cell_id: str) -> CellText | None: ...

    @property
    def title(self) -> object:
        """Of the notebook's metadata."""

    def cells(self) -> list[Json]:
        """All of them, without what they put out."""

    def apply(self, log_id: str, ops: list[LoggedOp], position: int) -> int: ...


class Rooms(Protocol):
    async def find(self, path: str) -> Room | None: ...


class NoRooms:
    """A server without jupyter-collaboration."""

    async def find(self, path: str) -> Room | None:  # noqa: ARG002  there is none for any path
        return None


class RoomMirror:
    def __init__(self, rooms: Rooms, log: OperationLog) -> None:
        self._rooms = rooms
        self._log = log
        self._task: asyncio.Task[None] | None = None
        self._more = False

    async def is_live(self, path: str) -> bool:
        """Whether there is a room, be it one that is still being made."""
        return await self._rooms.find(path) is not None

    async def up_to_date(self, path: str, log_id: str) -> Room | None:
        """The room, at the head of the log; None when there is none, or none with content yet."""
        room = await self._rooms.find(path)
        if room is None or not room.is_loaded:
            return None
        state = await self._log.find(log_id=log_id)
        on_disk = state.flushed_seq if state else 0
        ops = await self._log.since(log_id, room.position(log_id, on_disk))
        # The place is read again: while we waited, another task may have brought it on.
        room.apply(log_id, ops or [], room.position(log_id, on_disk))
        return room

    def wake(self, path: str, log_id: str) -> None:
        """The log has grown; people in a room are to see it now, not at the next save."""
        self._more = True
        if not isinstance(self._rooms, NoRooms) and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._catch_up(path, log_id))

    async def _catch_up(self, path: str, log_id: str) -> None:
        while self._more:
            self._more = False
            await self.up_to_date(path, log_id)

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
