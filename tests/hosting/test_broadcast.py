"""A slow browser never slows a run, and never eats memory."""

from __future__ import annotations

import asyncio
import json

from notebook_bcc_ext.hosting.broadcast import EVENTS_WAITING, Broadcaster
from notebook_bcc_ext.protocol.browser.facts import CellRunning

HANG_GUARD = 20


class Browser:
    def __init__(self):
        self.messages = []
        self.ready = asyncio.Event()

    async def send(self, message):
        self.messages.append(json.loads(message))
        await self.ready.wait()

    def of(self, kind):
        return [message for message in self.messages if message["type"] == kind]

    async def until(self, condition):
        async with asyncio.timeout(HANG_GUARD):
            while not condition():  # noqa: ASYNC110  no event tells it
                await asyncio.sleep(0.01)


async def test_a_browser_that_does_not_take_its_messages_loses_the_oldest_and_is_told():
    broadcaster = Broadcaster(lambda _run_id: None)
    slow, quick = Browser(), Browser()
    quick.ready.set()
    subscriptions = [broadcaster.subscribe(browser) for browser in (slow, quick)]
    for subscription in subscriptions:
        subscription.begin()
    count = 3 * EVENTS_WAITING
    for number in range(count):
        broadcaster.publish("run", CellRunning(cell_id=str(number)))
        if number % 500 == 0:
            await asyncio.sleep(0)
    await quick.until(lambda: quick.of("event")[-1:] and quick.of("event")[-1]["seq"] == count)
    assert len(slow.messages) <= 1
    assert len(subscriptions[0]._events) <= EVENTS_WAITING
    slow.ready.set()

    def lost():
        return sum(message["count"] for message in slow.of("events_lost"))

    await slow.until(lambda: lost() + len(slow.of("event")) == count)
    assert slow.of("event")[-1]["seq"] == count
    assert lost() >= count - EVENTS_WAITING - 1
    for subscription in subscriptions:
        await broadcaster.unsubscribe(subscription)


async def test_what_happens_while_a_browser_is_greeted_is_told_after_the_greeting():
    broadcaster = Broadcaster(lambda _run_id: None)
    browser = Browser()
    browser.ready.set()
    subscription = broadcaster.subscribe(browser)
    broadcaster.publish("run", CellRunning(cell_id="a"))
    await asyncio.sleep(0.05)
    await browser.send('{"type": "hello"}')
    subscription.begin()
    await browser.until(lambda: browser.of("event"))
    assert [message["type"] for message in browser.messages] == ["hello", "event"]
    await broadcaster.unsubscribe(subscription)
