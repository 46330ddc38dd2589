"""The run store fails for a while: nothing is lost, nothing is done twice, no code runs unnoted."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import asynccontextmanager

from notebook_bcc_ext.engine.factory import default_registry
from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.protocol.browser.facts import Transitioned
from tests.engine.harness import HANG_GUARD, lab
from tests.support.planner_answers import RUN, add, say

LOCK = {"action": "lock"}
"""Locks the store once everything before it is stored."""
LOCK_AT_ONCE = {"action": "lock_at_once"}
"""While the cell before it is still on its way."""


class Lock:
    """Another process that stopped in the middle of a write."""

    def __init__(self, folder):
        self._connection = sqlite3.connect(
            folder / "store.db", isolation_level=None, check_same_thread=False
        )

    def take(self):
        self._connection.execute("BEGIN IMMEDIATE")

    def release(self):
        self._connection.execute("ROLLBACK")
        self._connection.close()


@asynccontextmanager
async def lab_with_lock(folder, stages=None, **settings):
    """A run that knows the actions `lock` and `lock_at_once`, and the lock they take."""
    registry = default_registry()
    async with lab(folder, stages, registry=registry, store_patience_s=0.1, **settings) as room:
        lock = Lock(folder)

        async def lock_then(_context, _action):
            await room.run.world.notebook.stored()
            lock.take()

        async def lock_at_once(_context, _action):
            lock.take()

        registry.register_handler("lock", lock_then)
        registry.register_handler("lock_at_once", lock_at_once)
        yield room, lock


async def until(condition):
    async with asyncio.timeout(HANG_GUARD):
        while not condition():  # noqa: ASYNC110  no event tells it
            await asyncio.sleep(0.01)


async def test_what_could_not_be_stored_after_an_action_is_stored_after_the_next(tmp_path, caplog):
    unlocked, never = asyncio.Event(), asyncio.Event()
    async with lab_with_lock(tmp_path) as (room, lock):
        script = [say("a"), LOCK, unlocked, say("b"), say("c"), never]
        room.planner.step("read", behaviors=[script])
        room.run.start()
        await until(lambda: "could not be stored" in caplog.text)
        lock.release()
        unlocked.set()
        world = room.run.world
        await room.events.until(lambda: world.state.counts.actions_succeeded == 4)
        await until(lambda: len(world.state.lines_done) == 4)
        await world.ledger.stored()
        assert fold(await world.store.facts("run-1")) == world.state


async def test_a_cell_that_could_not_be_stored_is_tried_again_and_none_before_it(tmp_path):
    async with lab_with_lock(tmp_path, on_action_error="continue") as (room, lock):
        room.planner.step("read", behaviors=[[say("a"), LOCK, say("b"), say("c")]])
        await room.go()
        assert room.state == "error"
        assert "another process keeps it locked" in room.run.world.state.error.message
        lock.release()
        await room.command("retry")
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        assert await room.sources() == ["a", "b", "c"]


async def test_a_cell_on_its_way_is_not_lost_and_comes_once(tmp_path):
    never = asyncio.Event()
    async with lab_with_lock(tmp_path) as (room, lock):
        script = [say("a"), say("b"), LOCK_AT_ONCE, never]
        room.planner.step("read", behaviors=[script])
        await room.go()
        assert room.state == "error"
        assert "another process keeps it locked" in room.run.world.state.error.message
        lock.release()
        assert await told_cells(room) == await stored_cells(room)
        never.set()
        await room.command("retry")
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        assert await room.sources() == ["a", "b"]


async def test_code_on_its_way_runs_once(tmp_path):
    async with lab_with_lock(tmp_path) as (room, lock):
        script = [say("a"), add("print('once')"), LOCK_AT_ONCE, RUN, say("b")]
        room.planner.step("read", behaviors=[script])
        await room.go()
        assert room.state == "error"
        assert "another process keeps it locked" in room.run.world.state.error.message
        lock.release()
        assert await told_cells(room) == await stored_cells(room)
        await room.command("retry")
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        assert await room.sources() == ["a", "print('once')", "b"]
        [_, cell, _] = await room.cells()
        assert ([output.text for output in cell.outputs], cell.execution_count) == (["once\n"], 1)


async def test_a_run_goes_on_when_the_store_works_again(tmp_path, caplog):
    unlocked = asyncio.Event()
    async with lab_with_lock(tmp_path) as (room, lock):
        script = [add("print('once')"), LOCK, unlocked, RUN]
        room.planner.step("read", behaviors=[script])
        room.run.start()
        await until(lambda: "could not be stored" in caplog.text)
        lock.release()
        unlocked.set()
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        [cell] = await room.cells()
        assert [output.text for output in cell.outputs] == ["once\n"]


async def test_no_code_runs_that_the_store_does_not_know_of(tmp_path):
    async with lab_with_lock(tmp_path) as (room, lock):
        world, known = room.run.world, []
        run_code = world.runner.run

        async def known_to_the_store():
            facts = await world.store.facts("run-1")
            return any(fact.kind == "action_began" and fact.type == "exec" for fact in facts)

        async def unlock_too_late(_context, _action):
            world.ledger.post()
            # A read comes after all that was posted.
            assert not await known_to_the_store()
            lock.release()

        async def run_and_look(*given):
            known.append(await known_to_the_store())
            return await run_code(*given)

        world.runner.run = run_and_look
        world.registry.before(unlock_too_late, "exec")
        room.planner.step(
            "read", behaviors=[[add("print('once')"), LOCK, {**RUN, "auto_debug": True}]]
        )
        await room.go()
        await room.run.finished()
        assert known == [True], "it was given to the store again, and then the code ran"
        assert fold(await world.store.facts("run-1")) == world.state


async def test_a_behavior_that_ended_is_not_done_again_and_the_next_is_whole(tmp_path):
    async with lab_with_lock(tmp_path) as (room, lock):
        room.planner.step("read", behaviors=[[say("a"), LOCK], [say("a"), say("b")]])
        await room.go()
        assert room.state == "error"
        assert "another process keeps it locked" in room.run.world.state.error.message
        await room.run.finished()
        assert "not stored yet" in room.warnings()[-1]
        lock.release()
        await room.command("retry")
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        assert await room.sources() == ["a", "a", "b"]
        assert [record.event for record in await stored_transitions(room)] == room.path()


async def test_between_two_steps_a_run_waits_where_it_is(tmp_path):
    async with lab_with_lock(tmp_path, {"load": ["read", "look"]}) as (room, lock):
        room.planner.step("read", behaviors=[[add("print('once')"), RUN, LOCK]])
        room.planner.step("look", behaviors=[[say("end")]])
        await room.go()
        assert (room.run.status, room.state) == ("paused", "step_completed")
        lock.release()
        await room.command("retry")
        await room.to_rest()
        assert room.run.status == "done", room.run.world.state.error
        assert await room.sources() == ["print('once')", "end"]


async def stored_transitions(room):
    await room.run.world.ledger.stored()
    facts = await room.run.world.store.facts("run-1")
    return [fact for fact in facts if isinstance(fact, Transitioned)]


async def told_cells(room):
    """How many cells a process would take for written that takes up the run now."""
    return fold(await room.run.world.store.facts("run-1")).counts.cells_added


async def stored_cells(room):
    """How many cells it would find in the notebook and its log."""
    world = room.run.world
    logged = await world.notebook._log.since(world.notebook.log_id, 0)
    return sum(entry.op.op == "insert" for entry in logged)
