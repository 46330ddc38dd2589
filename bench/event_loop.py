"""How long an event loop is kept from doing anything else."""

from __future__ import annotations

import asyncio
import time
from typing import Self

TICK_SECONDS = 0.001


class LongestBlock:
    """A heartbeat on the loop; the longest time it was late."""

    longest_ms = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            late = (time.perf_counter() - began - TICK_SECONDS) * 1000
            self.longest_ms = max(self.longest_ms, late)
