"""Transitions on their way to the run store.

Firing an event is synchronous (F3), storing is not. Records are handed over before each side effect
and stored together with it, in order; between two behaviors the run waits until they are.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from notebook_bcc_ext.ports import RunStore
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord

_Posted = tuple[tuple[TransitionRecord, ...], Future[None]]


class Journal:
    def __init__(self, run_id: str, store: RunStore) -> None:
        self._run_id = run_id
        self._store = store
        self._waiting: list[TransitionRecord] = []
        self._posted: list[_Posted] = []

    def note(self, record: TransitionRecord) -> None:
        self._waiting.append(record)

    def hand_over(self) -> None:
        """Have what waits stored with the next write, without waiting for it."""
        posted, self._posted = self._posted, []
        lost: list[TransitionRecord] = []
        for records, future in posted:
            if not future.done():
                self._posted.append((records, future))
            elif not _is_stored(future):
                lost.extend(records)
        self._waiting[:0] = lost
        if self._waiting:
            records, self._waiting = tuple(self._waiting), []
            future = self._store.post_transitions(self._run_id, records)
            self._posted.append((records, future))

    async def flush(self) -> None:
        """Everything noted so far is stored. What could not be is tried once more, then raised."""
        if any(await self._store_all()):
            for trouble in filter(None, await self._store_all()):
                raise trouble

    async def _store_all(self) -> list[BaseException | None]:
        """What came of each write."""
        self.hand_over()
        return await asyncio.gather(
            *(asyncio.shield(asyncio.wrap_future(future)) for _, future in self._posted),
            return_exceptions=True,
        )


def _is_stored(future: Future[None]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
