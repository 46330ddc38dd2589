"""The lines of a planner's stream, read ahead of the actions.

In the background, because a long cell or a pending question must not make the planner's connection
time out; bounded, so that a runaway planner is slowed down.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.ports import ActionStream
from notebook_bcc_ext.protocol.planner.ndjson import BadLine

Line = dict[str, Any] | BadLine

LINES_READ_AHEAD = 1_000
# Most lines follow at once; what was posted is then stored with what the next one does.
_NEXT_LINE_SECONDS = 0.005
_LEFT_LINES_SECONDS = 1.0


class LinesAhead:
    def __init__(self, stream: ActionStream, while_waiting: Callable[[], Awaitable[None]]) -> None:
        """`while_waiting` is done where the next line keeps people waiting; should it fail, its
        error is what comes next."""
        self._stream = stream
        self._while_waiting = while_waiting
        self._queue: asyncio.Queue[Line | BccError | None] = asyncio.Queue(LINES_READ_AHEAD)
        self._reading: asyncio.Task[None] = asyncio.create_task(self._read())
        self._waiting = False
        self._timer: asyncio.TimerHandle | None = None
        self._meanwhile: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[Line]:
        while True:
            if self._queue.empty() and self._timer is None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(_NEXT_LINE_SECONDS, self._use_the_time)
            self._waiting = True
            item = await self._queue.get()
            self._waiting = False
            if item is None:
                return
            if isinstance(item, BccError):
                raise item
            yield item

    async def left(self) -> int:
        """How many actions are still to come, as far as the planner sends them without delay."""
        count = 0
        with suppress(TimeoutError, BccError):
            async with asyncio.timeout(_LEFT_LINES_SECONDS):
                async for line in self:
                    count += not isinstance(line, BadLine)
        return count

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        tasks = [task for task in (self._reading, self._meanwhile) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self) -> None:
        ending: BccError | None = None
        try:
            async for line in self._stream:
                await self._queue.put(line)
        except BccError as error:
            ending = error
        await self._queue.put(ending)

    def _use_the_time(self) -> None:
        self._timer = None
        if self._waiting and (self._meanwhile is None or self._meanwhile.done()):
            self._meanwhile = asyncio.create_task(self._work())

    async def _work(self) -> None:
        try:
            await self._while_waiting()
        except BccError as error:
            await self._queue.put(error)


@asynccontextmanager
async def reading_ahead(
    stream: ActionStream, while_waiting: Callable[[], Awaitable[None]]
) -> AsyncIterator[LinesAhead]:
    lines = LinesAhead(stream, while_waiting)
    try:
        yield lines
    finally:
        await lines.close()
