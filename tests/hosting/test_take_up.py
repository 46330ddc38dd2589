"""Runs after a restart of the server: what is there, what is asked, what is not done twice."""

import asyncio
import contextlib

import nbformat
import pytest

from notebook_bcc_ext.engine.approval import decision_on
from notebook_bcc_ext.hosting.headless import FolderWorkplace
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.protocol.browser.facts import Answered
from notebook_bcc_ext.protocol.browser.runs import Command, RunRequest
from notebook_bcc_ext.settings.names import Settings
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 40
STEPS = {"stage_id": "a", "updated_steps": [{"id": "s1"}, {"id": "more"}, {"id": "s2"}]}


@contextlib.asynccontextmanager
async def server(folder, planner, **options):
    """A life of the server: the same folder and store, a new process as far as runs can tell."""
    settings = Settings(dslc_base_url=planner.url, retry_wait=0.01, **options)
    storage = await Storage.open(folder / "runs.db", place=str(folder), settings=settings)
    manager = RunManager(
        storage, FolderWorkplace(folder, storage), lambda _: settings, PlaybookLibrary()
    )
    await manager.open()
    try:
        yield manager
    finally:
        await manager.close()


async def begin(manager, planner, **fields):
    address = {"kind": "http", "url": planner.url}
    request = {"notebook": "run.ipynb", "planner": address, **fields}
    return await manager.create(RunRequest.model_validate(request))


async def until(condition):
    async with asyncio.timeout(HANG_GUARD):
        while not condition():  # noqa: ASYNC110  a state of the engine, not an event
            await asyncio.sleep(0.02)


async def command(run, name, **fields):
    await run.command(Command(command=name, **fields), "Ann")


def sources(folder):
    notebook = nbformat.read(folder / "run.ipynb", as_version=4)
    nbformat.validate(notebook)
    return [cell.source for cell in notebook.cells]


def plan(scripted, *, proposal=False):
    scripted.workflow({"a": ["s1", "s2"]})
    update = [{"action": "update_stage_steps", **STEPS}] if proposal else []
    scripted.step("s1", behaviors=[[say("one"), *update, say("two")]])
    scripted.step("s2", behaviors=[[say("three")]])
    scripted.step("more", behaviors=[[say("more")]])


async def test_u2_after_a_restart_actions_are_asked_for_in_behavior_running(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner)
        async with server(tmp_path, planner, interactive_mode=True) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "paused")
            assert run.world.state.state == "action_completed"
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await command(again, "resume")
            await until(lambda: again.status == "done")
        assert sources(tmp_path) == ["one", "two", "three"]
        assert [seen.state for seen in planner.seen("/generating")] == ["BEHAVIOR_RUNNING"] * 3


async def test_a_pending_proposal_outlives_the_server(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner, proposal=True)
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "waiting")
            asked = run.view().pending
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await until(lambda: again.status == "waiting")
            assert again.world.state.state == "step_update_pending"
            assert again.view().pending == asked
            await command(again, "confirm", proposal_id=asked.id)
            await until(lambda: again.status == "done")
            assert sources(tmp_path) == ["one", "two", "more", "three"]
            rows = await manager.transitions(again.id, 0, 1000)
            events = [row["event"] for row in rows]
            assert events.count("UPDATE_STEP") == 1
            assert events[-1] == "COMPLETE_WORKFLOW"


async def test_an_answer_stored_just_before_the_end_is_not_asked_again(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner, proposal=True)
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "waiting")
            pending = run.view().pending
            ledger = run.world.ledger
            ledger.record(Answered(decision=decision_on(pending, "confirmed", by="Bo")))
            await ledger.stored()
        async with server(tmp_path, planner) as manager:
            await until(lambda: manager.get(run.id).status == "done")
            assert sources(tmp_path) == ["one", "two", "more", "three"]


async def test_a_paused_run_goes_on_where_it_was(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner)
        planner.step("s1", behaviors=[[say("one"), say("two")]])
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            run.world.gate.pause()
            await command(run, "step")
            await until(lambda: run.world.state.counts.actions_succeeded == 1)
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            view = again.view()
            assert (view.status, view.status_reason) == ("paused", "restart")
            assert view.allowed_commands == ["resume", "step", "cancel"]
            await command(again, "resume")
            await until(lambda: again.status == "done")
            assert sources(tmp_path) == ["one", "two", "three"]
            assert again.view().counts.actions == 3


async def test_the_tree_outlives_the_server_and_grows_on(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner, proposal=True)
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "waiting")
            before = manager.activity(run.id, 0, 1000)
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await until(lambda: again.status == "waiting")
            after = manager.activity(run.id, 0, 1000)
            # Browsers that knew the tree of the earlier server ask for all of it.
            assert after["epoch"] != before["epoch"]
            written = {node["key"]: node for node in after["nodes"]}
            known = {node["key"]: node for node in before["nodes"]}
            assert written.keys() == known.keys()
            first = "a/s1/1/action-1"
            assert written[first]["started_at"] == known[first]["started_at"]
            assert written[first]["cell_id"] is not None
            assert written[first]["cell_id"] == known[first]["cell_id"]
            await command(again, "confirm", proposal_id=again.view().pending.id)
            await until(lambda: again.status == "done")
            nodes = (manager.activity(run.id, 0, 1000))["nodes"]
            assert {node["status"] for node in nodes} == {"done"}
            assert {node["attempts"] for node in nodes} == {1}
            assert "a/more/1" in {node["key"] for node in nodes}


@pytest.mark.parametrize("answer", ["confirm", "reject"])
async def test_code_that_may_have_run_is_asked_about(tmp_path, answer):
    ran = tmp_path / "ran.txt"
    file = repr(str(ran))
    code = (
        f"import time\n_ = open({file}, 'a').write('x')\n"
        f"time.sleep(60 if len(open({file}).read()) < 2 else 0)"
    )
    async with ScriptedPlanner() as planner:
        plan(planner)
        planner.step("s1", behaviors=[[say("one"), add(code), RUN, say("two")]])
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(ran.exists)
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await command(again, "resume")
            await until(lambda: again.status == "waiting")
            assert again.view().pending.kind == "code"
            await command(again, answer)
            await until(lambda: again.status in ("done", "failed"))
            assert again.status == "done", again.view().error
            assert sources(tmp_path) == ["one", code, "two", "three"]
            assert ran.read_text() == ("xx" if answer == "confirm" else "x")


async def test_a_lost_kernel_is_rebuilt_only_on_request(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner)
        planner.step("s1", behaviors=[[add("x = 41"), RUN]])
        planner.step("s2", behaviors=[[add("print('x' in globals())"), RUN]])
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner, approval="behaviors")
            await until(lambda: run.status == "waiting")
            await command(run, "confirm")
            await until(
                lambda: run.status == "waiting" and run.world.state.progress.step_id == "s2"
            )
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await command(again, "resume")
            await until(lambda: again.status == "waiting")
            pending = again.view().pending
            assert (pending.kind, len(pending.content["cell_ids"])) == ("rebuild", 1)
            await command(again, "reject")
            await until(lambda: again.status == "paused")
            assert again.view().status_reason == "kernel"
            await command(again, "resume")
            await until(lambda: again.status == "waiting")
            await command(again, "confirm")
            await until(
                lambda: again.status == "waiting" and again.view().pending.kind == "behavior"
            )
            await command(again, "confirm")
            await until(lambda: again.status == "done")
            notebook = nbformat.read(tmp_path / "run.ipynb", as_version=4)
            assert notebook.cells[1].outputs[0].text == "True\n"


async def test_c6_a_reset_that_was_cut_short_is_finished_by_the_next_life(tmp_path, monkeypatch):
    async with ScriptedPlanner() as planner:
        plan(planner)
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "done")
            asked = asyncio.Event()

            async def never(*_):
                asked.set()
                await asyncio.Event().wait()

            monkeypatch.setattr(run.world.notebook, "remove_cells", never)
            order = asyncio.create_task(command(run, "reset"))
            await asked.wait()
        order.cancel()
        assert sources(tmp_path) == ["one", "two", "three"]
        async with server(tmp_path, planner) as manager:
            again = manager.get(run.id)
            await until(lambda: again.world.state.replaces is None)
            await again.finished()
            assert (again.status, again.allowed_commands) == ("cancelled", ["restart"])
            assert sources(tmp_path) == []


async def test_finished_runs_stay_to_be_looked_at(tmp_path):
    async with ScriptedPlanner() as planner:
        plan(planner)
        async with server(tmp_path, planner) as manager:
            run = await begin(manager, planner)
            await until(lambda: run.status == "done")
            before = run.view()
        async with server(tmp_path, planner) as manager:
            [view] = await manager.views()
            assert (view.id, view.status, view.counts) == (run.id, "done", before.counts)
            assert view.created_at == before.created_at
            assert view.allowed_commands == ["reset"]
            assert await manager.calls(run.id, 0, 10)


async def test_a_run_that_cannot_be_read_does_not_keep_the_others(tmp_path, caplog):
    async with ScriptedPlanner() as planner:
        plan(planner)
        async with server(tmp_path, planner) as manager:
            await manager.storage.runs.add_run("broken", {"id": "broken"})
            run = await begin(manager, planner)
            await until(lambda: run.status == "done")
        async with server(tmp_path, planner) as manager:
            assert [view.id for view in await manager.views()] == [run.id]
            assert "broken" in caplog.text
