"""What the store drops when its limits are reached, and what it never drops."""

from __future__ import annotations

import sqlite3

import pytest

from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.owner_mark import OwnerMark
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore
from notebook_bcc_ext.adapters.store.upkeep import DAY_SECONDS, Retention, StoreUpkeep
from notebook_bcc_ext.protocol.browser.facts import EffectAdded
from notebook_bcc_ext.protocol.browser.notebook_ops import SetSource
from notebook_bcc_ext.protocol.states import State

MIB = 1024 * 1024
DONE = State.WORKFLOW_COMPLETED
PLACE = "/notebooks"


class Store:
    """A store with one server's runs in it."""

    def __init__(self, database: Database, owner: str) -> None:
        self.database = database
        self.runs = SqliteRunStore(database, place=PLACE, owner=owner)
        self.upkeep = StoreUpkeep(database, PLACE, owner)

    async def add(
        self, run_id: str, state: State = DONE, size: int = 0, notebook: str = "a.ipynb"
    ) -> None:
        await self.runs.add_run(run_id, {"notebook": notebook})
        facts = [EffectAdded(text="x" * size)]
        await self.runs.committed(self.runs.post_facts(run_id, 1, facts, state, notebook))

    async def make_older(self, run_id: str, days: float) -> None:
        def change(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE runs SET updated_at = updated_at - ? WHERE run_id = ?",
                (days * DAY_SECONDS, run_id),
            )

        await self.database.write(change)

    async def kept(self) -> list[str]:
        return [run.run_id for run in await self.runs.runs()]


@pytest.fixture
def store(database):
    return Store(database, "1-me")


async def test_of_the_runs_at_rest_the_newest_stay(store):
    for number in range(5):
        await store.add(f"r{number}")
    assert sorted(await store.upkeep.tidy(Retention(runs=2))) == ["r0", "r1", "r2"]
    assert await store.kept() == ["r4", "r3"]


async def test_a_run_that_is_not_at_rest_stays_however_many_there_are(store):
    for state in (State.IDLE, State.STEP_RUNNING, State.WORKFLOW_UPDATE_PENDING):
        await store.add(state, state)
    await store.add("done")
    assert await store.upkeep.tidy(Retention(runs=1)) == []


async def test_what_is_done_and_was_not_touched_for_long_goes(store):
    await store.add("old and done")
    await store.add("young")
    await store.make_older("old and done", 31)
    await store.make_older("young", 29)
    assert await store.upkeep.tidy(Retention(days=30)) == ["old and done"]
    assert await store.kept() == ["young"]


class TestTheClockJumps:
    """A machine without a battery, or a suspended one, may wake up in another year."""

    days = 0.0

    @pytest.fixture
    def database(self, tmp_path, jp_asyncio_loop):
        async def make():
            return Database(tmp_path / "runs.db", clock=lambda: self.days * DAY_SECONDS)

        made = jp_asyncio_loop.run_until_complete(make())
        yield made
        jp_asyncio_loop.run_until_complete(made.close())

    async def test_s8_a_run_that_does_not_rest_stays(self, store):
        await store.add("waiting", State.WORKFLOW_UPDATE_PENDING)
        await store.add("done")
        self.days = 200
        assert await store.upkeep.tidy(Retention(days=180)) == ["done"]
        assert await store.kept() == ["waiting"]

    async def test_s8_a_run_that_cannot_be_read_goes_with_its_age(self, store, database):
        await store.add("broken", State.STEP_RUNNING)
        await database.write(
            lambda connection: connection.execute("UPDATE runs SET snapshot = 'not JSON'")
        )
        assert await store.upkeep.tidy(Retention(days=180)) == []
        self.days = 200
        assert await store.upkeep.tidy(Retention(days=180)) == ["broken"]

    async def test_s8_a_log_stays_while_its_file_lacks_some_of_it(self, store, database):
        log = OperationLog(database)
        behind, level = await log.start("/b/behind.ipynb"), await log.start("/b/level.ipynb")
        for state in (behind, level):
            await log.append(state.log_id, [SetSource(cell_id="c", source="text")])
        await log.record_flush(level.log_id, 1)
        self.days = 200
        await store.upkeep.tidy(Retention(days=180))
        assert await log.find(log_id=level.log_id) is None
        assert await log.find(log_id=behind.log_id) is not None

    async def test_s8_the_log_of_a_notebook_stays_while_its_run_does(self, store, database):
        log = OperationLog(database)
        state = await log.start(f"{PLACE}/a.ipynb")
        await store.add("r", State.STEP_RUNNING, notebook="a.ipynb")
        self.days = 200
        await store.upkeep.tidy(Retention(days=180))
        assert await log.find(log_id=state.log_id) is not None


async def test_a_store_that_is_too_large_loses_its_oldest_runs_at_rest(store):
    await store.add("waiting", State.WORKFLOW_UPDATE_PENDING, size=MIB)
    for number in range(6):
        await store.add(f"r{number}", size=MIB)
    assert await store.upkeep.tidy(Retention(bytes=4 * MIB)) == ["r0", "r1", "r2", "r3"]
    assert await store.kept() == ["r5", "r4", "waiting"]


async def test_the_space_of_what_went_is_used_again(store, database):
    for number in range(20):
        await store.add(f"r{number}", size=MIB)
        await store.upkeep.tidy(Retention(bytes=3 * MIB))
    assert database.path.stat().st_size < 6 * MIB


async def test_the_runs_of_another_living_server_are_not_touched(store, database):
    other = OwnerMark(database.path)
    await store.add("before")
    other.take()
    try:
        theirs = Store(database, other.id)
        await theirs.add("theirs", size=2 * MIB)
        await store.make_older("theirs", 1000)
        await store.add("mine")
        await store.upkeep.tidy(Retention(runs=1, days=1, bytes=MIB))
        assert await theirs.kept() == ["theirs"]
    finally:
        other.drop()
    await store.upkeep.tidy(Retention(days=1))
    assert await theirs.kept() == []
