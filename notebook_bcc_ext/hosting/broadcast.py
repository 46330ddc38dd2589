"""Tells every connected browser what happens in the runs.

A slow browser never slows a run and never eats memory: events wait in a bounded queue per
browser and are dropped when it is full, views are made anew when it is ready for one, so that
what it shows is late at worst, never wrong.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from notebook_bcc_ext.protocol.browser.facts import News
from notebook_bcc_ext.protocol.browser.live import EventsLost, RunChanged, RunEvent
from notebook_bcc_ext.protocol.browser.runs import RunView
from notebook_bcc_ext.protocol.plain import model_text

EVENTS_WAITING = 1_000
VIEW_SECONDS = 0.1
"""A run's view is sent at most this often to one browser."""


class Listener(Protocol):
    async def send(self, message: str) -> None:
        """Hand a message to the browser; returns when it can take another."""


class Subscription:
    """One browser's queue and the task that empties it."""

    def __init__(self, listener: Listener, view_of: Callable[[str], RunView | None]) -> None:
        self._listener = listener
        self._view_of = view_of
        self._events: deque[RunEvent] = deque()
        self._lost = 0
        self._changed: dict[str, None] = {}
        self._begun = asyncio.Event()
        self._wake = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._send())

    def put(self, event: RunEvent) -> None:
        if len(self._events) >= EVENTS_WAITING:
            self._events.popleft()
            self._lost += 1
        self._events.append(event)
        self._changed[event.run_id] = None
        self._wake.set()

    def begin(self) -> None:
        """The browser knows how things stood: tell it what happened since it subscribed."""
        self._begun.set()

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _send(self) -> None:
        await self._begun.wait()
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._send_waiting()
            # Whatever happens meanwhile is gathered into the next round.
            await asyncio.sleep(VIEW_SECONDS)

    async def _send_waiting(self) -> None:
        changed, self._changed = self._changed, {}
        for run_id in changed:
            view = self._view_of(run_id)
            if view is not None:
                await self._listener.send(RunChanged(run=view).model_dump_json())
        if self._lost:
            lost, self._lost = self._lost, 0
            await self._listener.send(EventsLost(count=lost).model_dump_json())
        while self._events:
            await self._listener.send(model_text(self._events.popleft(), by_alias=True))


class Broadcaster:
    """The event sink of all runs in this server."""

    def __init__(self, view_of: Callable[[str], RunView | None]) -> None:
        self._view_of = view_of
        self._subscriptions: set[Subscription] = set()
        self._seqs: dict[str, int] = {}

    def publish(self, run_id: str, news: News) -> None:
        seq = self._seqs[run_id] = self._seqs.get(run_id, 0) + 1
        if not self._subscriptions:
            return
        event = RunEvent(run_id=run_id, seq=seq, news=news)
        for subscription in self._subscriptions:
            subscription.put(event)

    def forget(self, run_id: str) -> None:
        self._seqs.pop(run_id, None)

    def subscribe(self, listener: Listener) -> Subscription:
        subscription = Subscription(listener, self._view_of)
        self._subscriptions.add(subscription)
        return subscription

    async def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)
        await subscription.close()
