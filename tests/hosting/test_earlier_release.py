"""A store that an earlier release left behind: its runs are there, and can be gone on with.

`earlier_release.json` holds the rows and the notebooks of three runs as release 0.1.0 stored them.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from notebook_bcc_ext.adapters.store.schema import MIGRATIONS, migrate
from tests.hosting.test_take_up import command, plan, server, sources, until
from tests.support.planner_server import ScriptedPlanner

STORES = json.loads((Path(__file__).parent / "earlier_release.json").read_text("utf-8"))
ITS_SCHEMA = MIGRATIONS[:3]


def left_behind(name: str, folder: Path, planner: str) -> None:
    text = json.dumps(STORES[name]).replace("{folder}", str(folder)).replace("{planner}", planner)
    stored = json.loads(text)
    (folder / "run.ipynb").write_text(json.dumps(stored["notebook"]), "utf-8")
    connection = sqlite3.connect(folder / "runs.db", isolation_level=None)
    migrate(connection, ITS_SCHEMA)
    for table, content in stored["tables"].items():
        marks = ", ".join("?" * len(content["columns"]))
        names = ", ".join(content["columns"])
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608  of our own file
        connection.executemany(statement, content["rows"])
    connection.close()


@pytest.mark.parametrize(
    ("name", "to_go_on", "cells", "actions"),
    [
        ("paused", "resume", ["one", "two", "three"], 3),
        ("waiting", "confirm", ["one", "two", "more", "three"], 5),
        ("done", None, ["one", "two", "three"], 3),
    ],
)
async def test_a_run_of_an_earlier_release_goes_on(tmp_path, name, to_go_on, cells, actions):
    async with ScriptedPlanner() as planner:
        plan(planner, proposal=name == "waiting")
        left_behind(name, tmp_path, planner.url)
        async with server(tmp_path, planner) as manager:
            [view] = await manager.views()
            run = manager.get(view.id)
            await until(lambda: run.status == name)
            assert len(run.world.ledger.activity.nodes()) >= 4
            if to_go_on is not None:
                await command(run, to_go_on)
            await until(lambda: run.status == "done")
            assert (sources(tmp_path), run.view().counts.actions) == (cells, actions)
            rows = await manager.transitions(run.id, 0, 1000)
            assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
        async with server(tmp_path, planner) as manager:
            [again] = await manager.views()
            assert (again.status, again.counts) == ("done", run.view().counts)
