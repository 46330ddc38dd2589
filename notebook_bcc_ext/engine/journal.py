"""Transitions on their way to the run store.

Firing an event is synchronous (F3), storing is not: records wait here and are written in order
before the run does anything else that matters.
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
        self._writing = asyncio.Lock()

    def note(self, record: TransitionRecord) -> None:
        self._waiting.append(record)

    async def flush(self) -> None:
        async with self._writing:
            records, self._waiting = self._waiting, []
            await self._store.add_transitions(self._run_id, records)
