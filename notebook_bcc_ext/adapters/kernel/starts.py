"""Turns at starting kernels.

A starting kernel takes a processor for a second or two. Fifty that start together would leave none
for the server, which would then answer nobody; one after the other they are ready no later. And a
run whose kernel has just started has work for the server, which comes before the next kernel.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# A kernel that takes longer waits for something else than a processor: others may begin.
_LONGEST_TURN_S = 10.0
# The server is calm when it was not late for several looks in a row; that is not awaited for ever.
_LOOK_EVERY_S = 0.01
_CALM_LOOKS = 3
_LATE_S = 0.005
_LONGEST_REST_S = 1.0


class KernelStarts:
    """Shared by the runs of one server."""

    def __init__(
        self,
        at_once: int | None = None,
        *,
        longest_turn_s: float = _LONGEST_TURN_S,
        longest_rest_s: float = _LONGEST_REST_S,
    ) -> None:
        self._free = asyncio.Semaphore(at_once or max(1, (os.cpu_count() or 1) // 2))
        self._longest_turn_s = longest_turn_s
        self._longest_rest_s = longest_rest_s
        self._busy_until = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        await self._free.acquire()
        try:
            if loop.time() < self._busy_until:
                await self._until_calm()
        except asyncio.CancelledError:
            self._free.release()
            raise
        over = loop.call_later(self._longest_turn_s, self._free.release)
        try:
            yield
        finally:
            self._busy_until = loop.time() + self._longest_rest_s
            if loop.time() < over.when():
                over.cancel()
                self._free.release()

    async def _until_calm(self) -> None:
        loop = asyncio.get_running_loop()
        rested = loop.time() + self._longest_rest_s
        calm = 0
        while calm < _CALM_LOOKS and loop.time() < rested:
            due = loop.time() + _LOOK_EVERY_S
            await asyncio.sleep(_LOOK_EVERY_S)
            calm = calm + 1 if loop.time() < due + _LATE_S else 0
