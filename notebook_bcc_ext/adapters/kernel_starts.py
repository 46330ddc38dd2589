"""Turns at starting kernels.

A starting kernel takes a processor for a second or two. Fifty that start together would leave none
for the server, which would then answer nobody; one after the other they are ready no later.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# A kernel that takes longer waits for something else than a processor: others may begin.
_LONGEST_TURN_S = 10.0


class KernelStarts:
    """Shared by the runs of one server."""

    def __init__(
        self, at_once: int | None = None, *, longest_turn_s: float = _LONGEST_TURN_S
    ) -> None:
        self._free = asyncio.Semaphore(at_once or max(1, (os.cpu_count() or 1) // 2))
        self._longest_turn_s = longest_turn_s

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        await self._free.acquire()
        over = loop.call_later(self._longest_turn_s, self._free.release)
        try:
            yield
        finally:
            if loop.time() < over.when():
                over.cancel()
                self._free.release()
