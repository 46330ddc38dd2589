"""Transitions on their way to the run store.

Firing an event is synchronous (F3), storing is not: records wait here and are written in order,
beside the run, and at the latest before it moves on from one behavior to the next.
"""

from __future__ import annotations

import asyncio

from notebook_bcc_ext.ports import RunStore
from notebook_bcc_ext.protocol.observation import TransitionRecord


class Journal:
    def __init__(self, run_id: str, store: RunStore) -> None:
        self._run_id = run_id
        self._store = store
        self._waiting: list[TransitionRecord] = []
        self._writing: asyncio.Task[None] | None = None

    def note(self, record: TransitionRecord) -> None:
        self._waiting.append(record)

    def write_soon(self) -> None:
        """Write what waits, without waiting for it: an action is durable with its notebook
        operations, its transitions may follow."""
        if self._waiting and (self._writing is None or self._writing.done()):
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def flush(self) -> None:
        """Everything noted so far is stored; raises when it cannot be."""
        while self._waiting or (self._writing is not None and not self._writing.done()):
            self.write_soon()
            if self._writing is not None:
                await asyncio.shield(self._writing)
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()

    async def _write(self) -> None:
        while self._waiting:
            records = tuple(self._waiting)
            await self._store.add_transitions(self._run_id, records)
            del self._waiting[: len(records)]
