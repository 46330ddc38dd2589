"""Brings a notebook's file up to its log in the background, a while after the last time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from notebook_bcc_ext.errors import BccError

# What arrives in quick succession after a pause shares the first flush.
FIRST_FLUSH_AFTER_S = 0.2


class LateFlush:
    def __init__(
        self,
        flush: Callable[[], Awaitable[None]],
        is_behind: Callable[[], bool],
        interval: float,
    ) -> None:
        self._flush = flush
        self._is_behind = is_behind
        self._interval = interval
        self._task: asyncio.Task[None] | None = None
        self.flushed_at = 0.0

    def soon(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _work(self) -> None:
        while self._is_behind():
            due = self.flushed_at + self._interval - time.monotonic()
            await asyncio.sleep(max(due, min(FIRST_FLUSH_AFTER_S, self._interval)))
            try:
                await self._flush()
            except BccError:
                return
