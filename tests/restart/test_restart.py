"""A real server is killed or stopped, and started again: what a person finds and can do."""

from __future__ import annotations

from contextlib import asynccontextmanager

import nbformat
import pytest

from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import TOKEN, RealServer

NOTEBOOK = "run.ipynb"


def request(planner, **fields):
    return {"notebook": NOTEBOOK, "planner": {"kind": "http", "url": planner.url}, **fields}


def sources(server, name=NOTEBOOK):
    notebook = nbformat.read(server.notebooks / name, as_version=4)
    nbformat.validate(notebook)
    return [cell.source for cell in notebook.cells]


def two_steps(planner):
    planner.workflow({"a": ["s1", "s2"]})
    planner.step("s1", behaviors=[[add("x = 41", store_id="first"), RUN]])
    planner.step("s2", behaviors=[[add("print('x' in globals())", store_id="second"), RUN]])


@asynccontextmanager
async def both(folder):
    async with ScriptedPlanner() as planner, RealServer(folder) as server:
        yield server, planner


def names(activity, field):
    return [node[field] for node in activity["nodes"]]


async def restart(server, how):
    if how == "kill":
        server.kill()
    await server.stop()
    await server.start()


async def to_the_second_step(server, planner):
    """A run with one cell executed, waiting before the next behavior."""
    two_steps(planner)
    run = await server.start_run(request(planner, approval="behaviors"))
    waiting = await server.until(run["id"], "waiting")
    await server.command(run["id"], "confirm", proposal_id=waiting["pending"]["id"])
    while waiting["location"]["step_id"] != "s2":
        waiting = await server.until(run["id"], "waiting")
    return waiting


@pytest.mark.parametrize("how", ["kill", "stop"])
@pytest.mark.parametrize("answer", ["confirm", "reject", "cancel"])
async def test_a_pending_proposal_is_there_and_can_be_answered(tmp_path, how, answer):
    async with both(tmp_path) as (server, planner):
        planner.workflow({"a": ["s1"]})
        update = {
            "action": "update_stage_steps",
            "stage_id": "a",
            "updated_steps": [{"id": "s1"}, {"id": "more"}],
        }
        planner.step("s1", behaviors=[[say("one"), update, say("two")]])
        planner.step("more", behaviors=[[say("more")]])
        run = await server.start_run(request(planner))
        before = await server.until(run["id"], "waiting")
        activity = await server.get(f"runs/{run['id']}/activity")
        await restart(server, how)
        after = await server.until(run["id"], "waiting")
        assert after["pending"] == before["pending"]
        assert {"confirm", "reject", "cancel"} <= set(after["allowed_commands"])
        kept = await server.get(f"runs/{run['id']}/activity")
        # What is open comes last again: that it rested meanwhile is a change of it.
        assert sorted(names(kept, "key")) == sorted(names(activity, "key"))
        told = await server.command(run["id"], answer, proposal_id=after["pending"]["id"])
        assert told.status_code == 200, told.text
        expected = {"confirm": "done", "reject": "failed", "cancel": "cancelled"}[answer]
        await server.until(run["id"], expected)
        texts = {"confirm": ["one", "two", "more"], "reject": ["one"], "cancel": ["one"]}[answer]
        assert sources(server) == texts


@pytest.mark.parametrize("how", ["kill", "stop"])
@pytest.mark.parametrize("answer", ["confirm", "reject", "cancel"])
async def test_a_lost_kernel_is_rebuilt_or_the_run_rests(tmp_path, how, answer):
    async with both(tmp_path) as (server, planner):
        run_id = (await to_the_second_step(server, planner))["id"]
        await restart(server, how)
        paused = await server.view(run_id)
        assert (paused["status"], paused["status_reason"]) == ("paused", "restart")
        assert {"resume", "cancel"} <= set(paused["allowed_commands"])
        await server.command(run_id, "resume")
        asked = (await server.until(run_id, "waiting"))["pending"]
        assert (asked["kind"], asked["content"]["cell_ids"]) == ("rebuild", ["first"])
        await server.command(run_id, answer, proposal_id=asked["id"])
        if answer == "cancel":
            await server.until(run_id, "cancelled")
            return
        if answer == "reject":
            rests = await server.until(run_id, "paused")
            assert (rests["status_reason"], rests["error"]) == ("kernel", None)
            await server.command(run_id, "resume")
            again = (await server.until(run_id, "waiting"))["pending"]
            assert again["kind"] == "rebuild"
            await server.command(run_id, "confirm", proposal_id=again["id"])
        waiting = await server.until(run_id, "waiting")
        while waiting["pending"]["kind"] == "rebuild":
            waiting = await server.until(run_id, "waiting")
        await server.command(run_id, "confirm", proposal_id=waiting["pending"]["id"])
        await server.until(run_id, "done")
        notebook = nbformat.read(server.notebooks / NOTEBOOK, as_version=4)
        assert [cell.source for cell in notebook.cells] == ["x = 41", "print('x' in globals())"]
        assert notebook.cells[1].outputs[0].text == "True\n"


async def test_a_paused_run_goes_on_after_a_restart_with_its_tree(tmp_path):
    async with both(tmp_path) as (server, planner):
        run_id = (await to_the_second_step(server, planner))["id"]
        before = await server.get(f"runs/{run_id}/activity")
        await restart(server, "kill")
        after = await server.get(f"runs/{run_id}/activity")
        # Browsers that knew the tree of the earlier server ask for all of it.
        assert after["epoch"] != before["epoch"]
        # What came after the last snapshot is done again.
        assert set(names(after, "name")) <= set(names(before, "name"))
        done = [node for node in after["nodes"] if node["status"] == "done"]
        assert "action" in {node["level"] for node in done}


async def test_a_renamed_notebook_is_followed_over_a_restart(tmp_path):
    async with both(tmp_path) as (server, planner):
        run_id = (await to_the_second_step(server, planner))["id"]
        moved = await server.ask("PATCH", f"/api/contents/{NOTEBOOK}", {"path": "other.ipynb"})
        assert moved.status_code == 200, moved.text
        view = await server.view(run_id)
        assert view["notebook"] == "other.ipynb"
        await restart(server, "stop")
        assert (await server.view(run_id))["notebook"] == "other.ipynb"
        await server.command(run_id, "resume")
        await finish(server, run_id)
        assert sources(server, "other.ipynb") == ["x = 41", "print('x' in globals())"]
        assert not (server.notebooks / NOTEBOOK).exists()


async def finish(server, run_id):
    while True:
        view = await server.until(run_id, "waiting", "done", "failed")
        if view["status"] != "waiting":
            assert view["status"] == "done", view["error"]
            return
        await server.command(run_id, "confirm", proposal_id=view["pending"]["id"])


async def test_a_notebook_deleted_meanwhile_is_not_begun_anew(tmp_path):
    async with both(tmp_path) as (server, planner):
        run_id = (await to_the_second_step(server, planner))["id"]
        server.kill()
        await server.stop()
        file = server.notebooks / NOTEBOOK
        content = file.read_bytes()
        file.unlink()
        await server.start()
        await server.command(run_id, "resume")
        failed = await server.until(run_id, "paused", "failed")
        while failed["error"] is None:
            failed = await server.until(run_id, "paused", "failed")
        assert "was deleted or moved" in failed["error"]["message"]
        assert "retry" in failed["allowed_commands"]
        assert not file.exists()
        file.write_bytes(content)
        await server.command(run_id, "retry")
        await finish(server, run_id)
        assert sources(server) == ["x = 41", "print('x' in globals())"]


async def test_a_kernel_that_outlived_the_server_is_used_again(tmp_path):
    """Kernels behind a gateway do not end with the server; nothing is lost, so nothing is asked."""
    async with RealServer(tmp_path / "gateway") as gateway, ScriptedPlanner() as planner:
        address = (
            f"--GatewayClient.url={gateway.client.base_url}",
            f"--GatewayClient.auth_token={TOKEN}",
        )
        async with RealServer(tmp_path / "server", arguments=address) as server:
            run_id = (await to_the_second_step(server, planner))["id"]
            [before] = (await gateway.ask("GET", "/api/kernels")).json()
            await restart(server, "kill")
            await server.command(run_id, "resume")
            waiting = await server.until(run_id, "waiting")
            assert waiting["pending"]["kind"] == "behavior"
            await server.command(run_id, "confirm", proposal_id=waiting["pending"]["id"])
            await server.until(run_id, "done")
            notebook = nbformat.read(server.notebooks / NOTEBOOK, as_version=4)
            assert notebook.cells[1].outputs[0].text == "True\n"
            [after] = (await gateway.ask("GET", "/api/kernels")).json()
            assert after["id"] == before["id"]
