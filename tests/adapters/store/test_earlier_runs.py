"""Runs that an earlier release left behind, as it stored them: they can be gone on with."""

from __future__ import annotations

import copy
import json
import sqlite3
from pathlib import Path

import pytest

from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore
from notebook_bcc_ext.adapters.store.schema import MIGRATIONS, migrate
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.protocol.states import State

EARLIER = json.loads((Path(__file__).parent / "earlier_runs.json").read_text(encoding="utf-8"))
"""The tables of three stores: a question was open, a cell had failed, and a process was killed
while a cell ran."""


@pytest.fixture
def opened(tmp_path, jp_asyncio_loop):
    """Makes a store of the earlier release and opens it with this one."""
    databases = []

    def make(tables):
        path = tmp_path / f"{len(databases)}.db"
        connection = sqlite3.connect(path, isolation_level=None)
        migrate(connection, MIGRATIONS[:3])
        for table, rows in tables.items():
            for row in rows:
                kept = {
                    k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()
                }
                marks = ", ".join("?" * len(kept))
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(kept)}) VALUES ({marks})",  # noqa: S608
                    list(kept.values()),
                )
        connection.close()

        database = Database(path)
        databases.append(database)
        return SqliteRunStore(database)

    yield make
    for database in databases:
        jp_asyncio_loop.run_until_complete(database.close())


async def taken_up(store):
    [run] = await store.runs()
    assert run.request["notebook"] == "run.ipynb"
    [summed] = await store.facts(run.run_id)
    state, log = fold([summed]), ActivityLog()
    log.note(summed, state)
    assert state.facts == 1
    return state, {node.key: node.status for node in log.nodes()}


async def test_a_question_is_still_asked(opened):
    state, tree = await taken_up(opened(EARLIER["pending"]))
    assert state.state is State.STEP_UPDATE_PENDING
    assert state.pending is not None
    assert state.pending.kind == "steps"
    action = state.under_way
    assert action is not None
    assert (action.number, action.type) == (4, "update_stage_steps")
    assert tree[f"load/read/1/{action.action_id}"] == "running", "the tree knows it by that name"
    assert (state.counts.actions, state.tally.executed) == (4, 4)
    assert len(state.lines_done) == 3
    assert state.cell_named("n") == "n"
    assert [record.event for record in state.history][-1] == "UPDATE_STEP"


async def test_a_failure_can_be_tried_again(opened):
    state, tree = await taken_up(opened(EARLIER["failed"]))
    assert state.state is State.ERROR
    assert state.error is not None
    assert "division by zero" in state.error.message
    assert state.under_way is None
    assert tree["load/read"] == "failed"
    assert (state.progress.stage_id, state.progress.step_id) == ("load", "read")
    assert state.effects.texts() == ["ZeroDivisionError: division by zero"]


def in_doubt(tables):
    """The process that came after the killed one stored the doubt with what it knew."""
    changed = copy.deepcopy(tables)
    [run] = changed["runs"]
    intent, run["intent"] = run["intent"], None
    part = run["latest"] or run["snapshot"]
    part["memory"]["in_doubt"] = intent
    return changed


@pytest.mark.parametrize("stored", [EARLIER["killed"], in_doubt(EARLIER["killed"])])
async def test_a_cell_that_may_have_run_is_still_in_doubt(opened, stored):
    state, _ = await taken_up(opened(stored))
    action = state.under_way
    assert action is not None
    assert (action.type, action.number) == ("exec", 5)
    assert action.cell_id == state.last_code_cell
    assert action.ran is None
    assert len(state.lines_done) == 4
    assert state.executed_cells == ("n",)
    assert state.counts.actions == 5


async def test_it_is_read_once(opened):
    store = opened(EARLIER["pending"])
    first = await taken_up(store)
    assert await taken_up(store) == first
    assert len(await store.facts("run-1")) == 1


async def test_one_that_cannot_be_read_is_set_aside(opened):
    broken = copy.deepcopy(EARLIER["failed"])
    del broken["runs"][0]["snapshot"]["memory"]
    store = opened(broken)
    assert await store.runs() == []
    assert "run-1" in store.unreadable
