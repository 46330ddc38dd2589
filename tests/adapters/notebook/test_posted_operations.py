"""Operations that nobody waited for: their order, and what becomes of them when the store fails."""

from __future__ import annotations

import asyncio
import sqlite3

import pytest

from notebook_bcc_ext.adapters.notebook.posted_operations import PostedOperations
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.browser.notebook_ops import SetSource


def text(number):
    return SetSource(cell_id="c", source=str(number))


async def stored(log, log_id):
    return [int(entry.op.source) for entry in await log.since(log_id, 0)]


@pytest.fixture
def impatient(tmp_path, jp_asyncio_loop):
    """A database that does not wait for a lock, and somebody else's connection to it."""

    async def make():
        return Database(tmp_path / "runs.db", busy_timeout_s=0.05)

    made = jp_asyncio_loop.run_until_complete(make())
    jp_asyncio_loop.run_until_complete(made.open())
    other = sqlite3.connect(made.path, isolation_level=None)
    yield made, other
    other.close()
    jp_asyncio_loop.run_until_complete(made.close())


async def test_they_keep_their_place(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    posted = PostedOperations(log)
    for number in range(10):
        posted.post(state.log_id, [text(number)])
    assert await log.append(state.log_id, [text(10)]) == 11
    posted.post(state.log_id, [text(11)])
    await posted.durable()
    assert await stored(log, state.log_id) == list(range(12))


async def test_they_are_stored_in_a_moment_when_nobody_waits(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    told = []
    log.subscribe(lambda _, logged: told.extend(logged))
    PostedOperations(log).post(state.log_id, [text(1)])
    async with asyncio.timeout(10):
        while not told:  # noqa: ASYNC110  no event tells it
            await asyncio.sleep(0.001)


async def test_what_failed_is_posted_again_in_its_order(impatient):
    database, other = impatient
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    posted = PostedOperations(log)
    posted.post(state.log_id, [text(0)])
    await posted.durable()
    other.execute("BEGIN IMMEDIATE")
    for number in range(1, 4):
        posted.post(state.log_id, [text(number)])
    with pytest.raises(StoreError, match="another process keeps it locked"):
        await posted.durable()
    with pytest.raises(StoreError, match="another process keeps it locked"):
        await posted.durable()
    other.execute("ROLLBACK")
    posted.post(state.log_id, [text(4)])
    await posted.durable()
    assert await stored(log, state.log_id) == [0, 1, 2, 3, 4]


async def test_what_came_behind_a_failure_fails_too(impatient):
    """Also what was given while the store was trying, and free again before its turn came."""
    database, other = impatient
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    other.execute("BEGIN IMMEDIATE")
    first = log.post(state.log_id, [text(1)])
    log.hurry()
    async with asyncio.timeout(10):
        while not first.running():  # noqa: ASYNC110  no event tells it
            await asyncio.sleep(0.001)
    second = log.post(state.log_id, [text(2)])
    log.hurry()
    third = log.post(state.log_id, [text(3)])
    async with asyncio.timeout(10):
        while not first.done():  # noqa: ASYNC110  no event tells it
            await asyncio.sleep(0.001)
    other.execute("ROLLBACK")
    assert [future.done() for future in (second, third)] == [True, True]
    assert isinstance(second.exception(), StoreError)
    assert isinstance(third.exception(), StoreError)
    assert await stored(log, state.log_id) == []
    assert await log.append(state.log_id, [text(4)]) == 1


async def test_an_unknown_log_is_named(database):
    posted = PostedOperations(OperationLog(database))
    posted.post("unknown", [text(1)])
    with pytest.raises(StoreError, match="operation log unknown"):
        await posted.durable()
