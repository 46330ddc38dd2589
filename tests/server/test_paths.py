"""N4: a run works in a notebook that Jupyter itself would let its user create, and in one only."""

from __future__ import annotations

import os

import pytest
from tornado.httpclient import HTTPClientError

from tests.server.live_worlds import PATH, cell, notebook
from tests.server.test_runs import Api
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner

HIDDEN = [
    ".bashrc",
    ".ssh/authorized_keys",
    ".h.ipynb",
    "desk/.h.ipynb",
    "desk/.h/a.ipynb",
    ".ipynb",
]
OUTSIDE = ["../x.ipynb", "desk/../../x.ipynb", "/../x.ipynb"]
NO_NOTEBOOK = ["notes.txt", "notes", "notes.ipynb.txt", "desk", "/", "desk/.."]
ALIASES = [
    *("./desk/a.ipynb", "/desk/a.ipynb", "desk//a.ipynb", "desk/a.ipynb/", "desk/./a.ipynb"),
    *("desk/../desk/a.ipynb", "no/such/../../desk/a.ipynb"),
]
DOORS = ("check", "pull", "save")


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "desk").mkdir()
    return Api(jp_fetch)


def request(path):
    return {"notebook": path, "planner": {"kind": "embedded"}}


def files_below(folder):
    return {
        file: file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and "ipynb_checkpoints" not in str(file)
    }


@pytest.mark.parametrize("path", [*HIDDEN, *OUTSIDE, *NO_NOTEBOOK, "x\0.ipynb"])
async def test_s4_a_run_is_refused_where_no_notebook_may_be(path, api, jp_root_dir):
    (jp_root_dir / ".bashrc").write_text("alias ls='ls -l'\n")
    (jp_root_dir / ".ssh").mkdir()
    (jp_root_dir / ".ssh" / "authorized_keys").write_text("ssh-ed25519 AAAA me\n")
    (jp_root_dir / "notes.txt").write_text("mine")
    before = files_below(jp_root_dir)
    status, answer = await api.refusal("runs", body=request(path))
    assert status == 400
    assert answer["error"] == "NotebookPathError"
    assert "HTTPError" not in answer["message"]
    assert (await api.get("runs"))["runs"] == []
    assert files_below(jp_root_dir) == before
    assert not (jp_root_dir.parent / "x.ipynb").exists()


@pytest.mark.parametrize("path", HIDDEN)
async def test_s4_jupyter_refuses_the_same(path, api, jp_fetch):
    with pytest.raises(HTTPClientError) as refusal:
        await jp_fetch(
            "api/contents",
            path,
            method="PUT",
            body='{"type": "file", "format": "text", "content": ""}',
        )
    assert refusal.value.code == 400


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("path", [*HIDDEN, *OUTSIDE, "x\0.ipynb"])
async def test_s4_a_tab_gets_at_no_hidden_file(door, path, api, jp_root_dir):
    file = jp_root_dir / ".h.ipynb"
    file.write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}')
    body = {"path": path, **({"content": notebook()} if door == "save" else {})}
    status, answer = await api.refusal("notebooks", door, body=body)
    assert (status, answer["error"]) == (400, "NotebookPathError")


async def test_s4_a_tab_hears_nothing_of_a_hidden_file(world):
    socket = await world.connect()
    await socket.send(type="attach", path=".h.ipynb")
    await socket.send(type="attach", path="../x.ipynb")
    await socket.send(type="attach", path=PATH)
    assert (await socket.next("attached"))["path"] == PATH


class TestWhereHiddenFilesAreAllowed:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["ContentsManager"] = {"allow_hidden": True}
        return jp_server_config

    async def test_s4_a_run_may_work_in_one(self, api, jp_root_dir):
        async with ScriptedPlanner() as planner:
            planner.workflow({"load": ["read"]})
            planner.step("read", behaviors=[[say("hello")]])
            run = await api.start(planner, notebook=".hidden.ipynb")
            assert (await api.until(run["id"], "done", "paused", "failed"))["status"] == "done"
        assert (jp_root_dir / ".hidden.ipynb").exists()

    async def test_s4_but_in_a_notebook_only(self, api):
        for path in (".bashrc", ".ipynb", "../x.ipynb"):
            status, _ = await api.refusal("runs", body=request(path))
            assert status == 400


async def test_s11_one_notebook_has_one_spelling(api, jp_root_dir):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("hello")]])
        run = await api.start(planner, notebook="./desk//../desk/a.ipynb/", approval="behaviors")
        assert run["notebook"] == "desk/a.ipynb"
        await api.until(run["id"], "waiting")
        (jp_root_dir / "link.ipynb").symlink_to(jp_root_dir / "desk" / "a.ipynb")
        (jp_root_dir / "folder").symlink_to(jp_root_dir / "desk", target_is_directory=True)
        os.link(jp_root_dir / "desk" / "a.ipynb", jp_root_dir / "hard.ipynb")
        for path in [*ALIASES, "link.ipynb", "folder/a.ipynb", "hard.ipynb"]:
            status, answer = await api.refusal("runs", body=request(path))
            assert status == 409, path
            assert run["id"] in answer["message"]
        await api.post("runs", run["id"], "commands", body={"command": "cancel"})


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("alias", [f"./{PATH}", f"/{PATH}", f"{PATH}/", f"x/../{PATH}"])
async def test_s11_a_tab_may_spell_it_in_any_way(door, alias, world, post):
    document = await world.document()
    await world.insert(document, "cell-1")
    pulled = await post("pull", path=PATH)
    body = {"path": alias}
    if door == "save":
        body |= {"content": pulled["content"], "base_hash": pulled["hash"]}
        body |= {"log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    answer = await post(door, **body)
    assert (answer["path"], answer["log_id"]) == (PATH, document.log_id)


async def test_s11_a_socket_may_spell_it_in_any_way(world):
    document = await world.document()
    socket = await world.connect()
    await socket.send(type="attach", path=f"./{PATH}")
    assert (await socket.next("attached"))["log_id"] == document.log_id
    await world.insert(document, "cell-1")
    ops = await socket.next("ops")
    assert ops["path"] == PATH
    await socket.send(type="ack", path=f"/{PATH}", seq=ops["ops"][-1]["seq"])
    await socket.send(type="detach", path=f"x/../{PATH}")
    await socket.send(type="attach", path=PATH)
    assert (await socket.next("attached"))["path"] == PATH


@pytest.mark.parametrize("alias", [f"./{PATH}", f"/{PATH}/", f"x/../{PATH}"])
async def test_s11_whoever_saves_under_another_spelling_loses_no_cells(alias, world):
    document = await world.document()
    await world.insert(document, "cell-1")
    old = {"type": "notebook", "content": notebook(cell("own", "changed"))}
    await world.contents.save(old, alias)
    assert await world.on_disk() == ["own", "cell-1"]
