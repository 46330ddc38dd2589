"""Two servers of one user: a run belongs to one of them, a notebook to one run."""

from __future__ import annotations

from contextlib import asynccontextmanager

import nbformat
import pytest

from notebook_bcc_ext.errors import IllegalCommandError
from notebook_bcc_ext.hosting.headless import headless_run
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import Settings
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer


@asynccontextmanager
async def scripted_planner():
    async with ScriptedPlanner() as scripted:
        scripted.workflow({"a": ["s1"]})
        scripted.step("s1", behaviors=[[say("one"), say("two")]])
        yield scripted


def request(planner, **fields):
    return {"notebook": "run.ipynb", "planner": {"kind": "http", "url": planner.url}, **fields}


async def test_with_one_store_a_run_stays_with_its_server(tmp_path):
    shared = {"notebooks": tmp_path / "desk", "store": tmp_path / "runs.db"}
    async with (
        scripted_planner() as planner,
        RealServer(tmp_path / "one", **shared) as one,
        RealServer(tmp_path / "two", **shared) as two,
    ):
        run = await one.start_run(request(planner, approval="behaviors"))
        waiting = await one.until(run["id"], "waiting")
        assert (await two.get("runs"))["runs"] == []
        refused = await two.ask("POST", "runs", request(planner))
        assert refused.status_code == 409
        assert f"process {one.process.pid}" in refused.json()["message"]
        # When its server dies, the run is taken up by the other, question and all.
        one.kill()
        [taken] = (await two.get("runs"))["runs"]
        assert (taken["id"], taken["status"]) == (run["id"], "paused")
        await two.command(run["id"], "resume")
        again = await two.until(run["id"], "waiting")
        assert again["pending"]["kind"] == waiting["pending"]["kind"]
        await two.command(run["id"], "confirm", proposal_id=again["pending"]["id"])
        await two.until(run["id"], "done")
        # And stays there, when the first comes back.
        await one.start()
        assert (await one.get("runs"))["runs"] == []
    notebook = nbformat.read(tmp_path / "desk" / "run.ipynb", as_version=4)
    assert [cell.source for cell in notebook.cells] == ["one", "two"]


async def test_s11_no_other_spelling_and_no_other_root_leads_to_a_second_run(tmp_path):
    desk, store = tmp_path / "desk", tmp_path / "runs.db"
    desk.mkdir()
    (tmp_path / "link").symlink_to(desk, target_is_directory=True)
    (tmp_path / "link.ipynb").symlink_to(desk / "run.ipynb")
    async with (
        scripted_planner() as planner,
        RealServer(tmp_path / "one", notebooks=desk, store=store) as one,
        RealServer(tmp_path / "two", notebooks=tmp_path, store=store) as two,
    ):
        run = await one.start_run(request(planner, approval="behaviors"))
        await one.until(run["id"], "waiting")
        for path in ("desk/run.ipynb", "./link/../desk/run.ipynb/", "link/run.ipynb", "link.ipynb"):
            refused = await two.ask("POST", "runs", request(planner, notebook=path))
            assert refused.status_code == 409, refused.text
            assert f"process {one.process.pid}" in refused.json()["message"]


async def test_s11_the_command_line_leaves_a_notebook_to_the_server_that_works_in_it(tmp_path):
    async with scripted_planner() as planner, RealServer(tmp_path / "one") as one:
        run = await one.start_run(request(planner, approval="behaviors"))
        await one.until(run["id"], "waiting")
        file = str(one.notebooks / "sub" / ".." / "run.ipynb")
        local = RunRequest.model_validate(request(planner, notebook=file))
        with pytest.raises(IllegalCommandError, match=str(one.process.pid)):
            async with headless_run(local, Settings(), Unwatched(), store_path=one.store):
                pass


class Unwatched:
    def publish(self, run_id, news):
        pass


async def test_runs_of_another_folder_are_not_taken_up(tmp_path):
    store = tmp_path / "runs.db"
    async with scripted_planner() as planner, RealServer(tmp_path / "one", store=store) as one:
        run = await one.start_run(request(planner, approval="behaviors"))
        await one.until(run["id"], "waiting")
    async with RealServer(tmp_path / "two", store=store) as two:
        assert (await two.get("runs"))["runs"] == []
    async with RealServer(tmp_path / "one", store=store) as one:
        assert [known["id"] for known in (await one.get("runs"))["runs"]] == [run["id"]]


async def test_with_two_stores_the_second_writer_stops_the_first(tmp_path):
    """The notebook itself says whose log it follows: nothing is overwritten."""
    desk = tmp_path / "desk"
    async with (
        scripted_planner() as planner,
        RealServer(tmp_path / "one", notebooks=desk) as one,
        RealServer(tmp_path / "two", notebooks=desk) as two,
    ):
        first = await one.start_run(request(planner, approval="behaviors"))
        waiting = await one.until(first["id"], "waiting")
        second = await two.start_run(request(planner))
        await two.until(second["id"], "done")
        await one.command(first["id"], "confirm", proposal_id=waiting["pending"]["id"])
        stopped = await one.until(first["id"], "failed", "paused")
        assert "another server writes it too" in stopped["error"]["message"]
        assert "retry" in stopped["allowed_commands"]
        for server in (one, two):
            assert (await server.ask("GET", "status")).status_code == 200
    notebook = nbformat.read(desk / "run.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells] == ["one", "two"]
