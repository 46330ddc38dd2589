"""Tells Jupyter that a run is at work, so that its kernel and server are not taken for idle (X4).

One that waits for its person, rests or has ended leaves no mark: what is culled then is there again
when it is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from notebook_bcc_ext.engine.run import Run

# Cullers look every few minutes, and with the shortest intervals every second.
MARK_SECONDS = 0.5


class WorkMarks:
    def __init__(self, runs: Callable[[], Iterable[Run]], mark_server: Callable[[], None]) -> None:
        self._runs = runs
        self._mark_server = mark_server
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._mark())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _mark(self) -> None:
        while True:
            working = [run for run in self._runs() if _is_work(run)]
            for run in working:
                run.world.runner.mark_used()
            if working:
                self._mark_server()
            await asyncio.sleep(MARK_SECONDS)


def _is_work(run: Run) -> bool:
    waiting_counts = run.world.settings.waiting_is_activity
    return run.status == "running" or (waiting_counts and run.status == "waiting")
