"""What somebody deleted or replaced does not come back, whichever way it went."""

from __future__ import annotations

import json
import shutil

import nbformat
import pytest

from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

NAME = "report.ipynb"
OF_THE_RUN = ["one", "two"]


def fresh(*texts):
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    return dict(notebook)


async def put(server, content, name=NAME):
    model = {"type": "notebook", "format": "json", "content": content}
    answer = await server.ask("PUT", f"/api/contents/{name}", model)
    assert answer.status_code < 300, answer.text


async def read(server, name=NAME):
    """As Jupyter has it, and as a tab gets it."""
    content = (await server.get(f"/api/contents/{name}?content=1"))["content"]
    pulled = await server.ask("POST", "notebooks/pull", {"path": name})
    assert pulled.status_code == 200, pulled.text
    assert sources(pulled.json()["content"]) == sources(content)
    return sources(content)


def sources(content):
    return [cell["source"] for cell in content["cells"]]


async def run_in(server, planner, name=NAME):
    planner.workflow({"a": ["s1"]})
    planner.step("s1", behaviors=[[say(text) for text in OF_THE_RUN]])
    address = {"kind": "http", "url": planner.url}
    run = await server.start_run({"notebook": name, "planner": address})
    await server.until(run["id"], "done")
    return run["id"]


async def delete(server):
    await server.ask("DELETE", f"/api/contents/{NAME}")
    await put(server, fresh("fresh"))


async def upload_over(server):
    await put(server, fresh("fresh"))


async def rename(server):
    await server.ask("PATCH", f"/api/contents/{NAME}", {"path": "elsewhere.ipynb"})
    await put(server, fresh("fresh"))


async def delete_behind_the_server(server):
    (server.notebooks / NAME).unlink()
    await put(server, fresh("fresh"))


async def replace_behind_the_server(server):
    (server.notebooks / NAME).write_text(json.dumps(fresh("fresh")))


async def replace_while_no_server_runs(server):
    await server.stop()
    (server.notebooks / NAME).write_text(json.dumps(fresh("fresh")))
    await server.start()


async def delete_while_no_server_runs(server):
    await server.stop()
    (server.notebooks / NAME).unlink()
    await server.start()
    await server.get("status")
    await put(server, fresh("fresh"))


async def copy_another_over_it(server):
    other = server.notebooks / "other.ipynb"
    other.write_text(json.dumps(fresh("fresh")))
    shutil.copy(other, server.notebooks / NAME)


WAYS = (
    delete,
    upload_over,
    rename,
    delete_behind_the_server,
    replace_behind_the_server,
    copy_another_over_it,
    replace_while_no_server_runs,
    delete_while_no_server_runs,
)


async def test_s6_deleted_content_does_not_return(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        for way in WAYS:
            await run_in(server, planner)
            await way(server)
            assert await read(server) == ["fresh"], way.__name__
            await put(server, fresh("again"))
            assert await read(server) == ["again"], way.__name__
            # A new run begins anew, below what is there.
            await run_in(server, planner)
            assert (await read(server))[:1] == ["again"], way.__name__
            assert len(await read(server)) == 1 + len(OF_THE_RUN), way.__name__
            await server.ask("DELETE", f"/api/contents/{NAME}")


async def test_s6_a_folder_takes_its_notebooks_along(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        inside = f"old/{NAME}"
        (server.notebooks / "old").mkdir()
        await run_in(server, planner, inside)
        await server.ask("PATCH", "/api/contents/old", {"path": "new"})
        (server.notebooks / "old").mkdir()
        await put(server, fresh("fresh"), inside)
        assert await read(server, inside) == ["fresh"]
        assert await read(server, f"new/{NAME}") == OF_THE_RUN
        await server.ask("DELETE", "/api/contents/new")
        (server.notebooks / "new").mkdir(exist_ok=True)
        await put(server, fresh("fresh"), f"new/{NAME}")
        assert await read(server, f"new/{NAME}") == ["fresh"]


@pytest.mark.parametrize("content", ["what it was", "blank"])
async def test_s6_an_ordinary_save_of_an_older_tab_loses_nothing(tmp_path, content):
    """A client that knows nothing of logs has had the notebook open since before the run."""
    before = fresh("mine") if content == "what it was" else fresh()
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        await put(server, before)
        await run_in(server, planner)
        tab = before if before["cells"] else fresh("")
        await put(server, tab)
        assert [text for text in await read(server) if text] == [*sources(before), *OF_THE_RUN]


async def test_s6_a_run_at_work_does_not_write_into_what_took_its_place(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        planner.workflow({"a": ["s1", "s2"]})
        planner.step("s1", behaviors=[[say("one")]])
        planner.step("s2", behaviors=[[say("two")]])
        address = {"kind": "http", "url": planner.url}
        body = {"notebook": NAME, "planner": address, "approval": "behaviors"}
        run = await server.start_run(body)
        while (view := await server.until(run["id"], "waiting"))["location"]["step_id"] == "s1":
            await server.command(run["id"], "confirm", proposal_id=view["pending"]["id"])
        await server.ask("DELETE", f"/api/contents/{NAME}")
        await put(server, fresh("fresh"))
        await server.command(run["id"], "confirm", proposal_id=view["pending"]["id"])
        failed = await server.until(run["id"], "failed", "paused")
        assert "replaced by another notebook" in failed["error"]["message"]
        assert await read(server) == ["fresh"]


@pytest.mark.parametrize("who", ["a tab", "another client", "a new run"])
async def test_an_older_version_of_the_file_stays_as_it_was_put_back(tmp_path, who):
    """As `git checkout` does it: the file names its log, and lacks what came later."""
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        await run_in(server, planner)
        older = (server.notebooks / NAME).read_bytes()
        await run_in(server, planner)
        assert await read(server) == [*OF_THE_RUN, *OF_THE_RUN]
        (server.notebooks / NAME).write_bytes(older)
        expected = OF_THE_RUN
        if who == "another client":
            await put(server, (await server.get(f"/api/contents/{NAME}?content=1"))["content"])
        elif who == "a new run":
            planner.step("s1", behaviors=[[say("three")]])
            address = {"kind": "http", "url": planner.url}
            run = await server.start_run({"notebook": NAME, "planner": address})
            await server.until(run["id"], "done")
            expected = [*OF_THE_RUN, "three"]
        assert await read(server) == expected
