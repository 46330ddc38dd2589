"""A store that cannot be used is told to whoever asks; Jupyter itself is not held up."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess

import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import TOKEN, RealServer


def make_directory(store):
    store.mkdir()


def make_newer(store):
    with sqlite3.connect(store) as connection:
        connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        connection.execute("INSERT INTO schema_version VALUES (999)")


def make_file_for_folder(store):
    store.parent.write_text("a file where a folder should be")


HOPELESS = {
    "a directory in its place": (make_directory, "Is a directory"),
    "a newer release's": (make_newer, "schema version 999"),
    "no folder to be in": (make_file_for_folder, "cannot be used|failed"),
}


async def hello_of(server):
    url = f"{server.client.base_url}/notebook-bcc/api/live?token={TOKEN}"
    socket = await websocket_connect(HTTPRequest(url.replace("http://", "ws://")))
    try:
        return json.loads(await socket.read_message() or "")
    finally:
        socket.close()


async def refused(server):
    """Jupyter answers; our part says what is wrong, over REST and to the page."""
    assert (await server.ask("GET", "/api/contents")).status_code == 200
    answer = await server.ask("GET", "status")
    assert answer.status_code == 503, answer.text
    told = answer.json()
    assert told["error"] == "StoreError"
    hello = await hello_of(server)
    assert (hello["runs"], hello["trouble"]) == ([], told["message"])
    return told["message"]


@pytest.mark.parametrize("what", HOPELESS)
async def test_a_store_that_cannot_be_opened(tmp_path, what):
    spoil, words = HOPELESS[what]
    store = tmp_path / "stores" / "runs.db"
    if what != "no folder to be in":
        store.parent.mkdir()
    spoil(store)
    async with RealServer(tmp_path / "server", store=store) as server:
        message = await refused(server)
        assert str(store) in message or "schema" in message
        assert re.search(words, message), message
        assert server.log.count("Traceback") == 0, server.log


async def test_a_locked_store_is_used_as_soon_as_it_is_free(tmp_path):
    store = tmp_path / "runs.db"
    lock = sqlite3.connect(store, isolation_level=None)
    lock.execute("CREATE TABLE mine (x)")
    lock.execute("BEGIN EXCLUSIVE")
    async with RealServer(tmp_path / "server", store=store) as server:
        message = await refused(server)
        assert "another process keeps it locked" in message
        lock.close()
        assert (await server.ask("GET", "status")).status_code == 200


async def test_a_damaged_store_is_set_aside_and_said_so(tmp_path):
    store = tmp_path / "runs.db"
    store.write_bytes(b"this is no database " * 1000)
    async with RealServer(tmp_path / "server", store=store) as server:
        assert (await server.get("runs"))["runs"] == []
        hello = await hello_of(server)
        assert "was damaged" in hello["trouble"]
    [aside] = tmp_path.glob("runs.db.damaged-*")
    assert aside.read_bytes().startswith(b"this is no database")


async def test_a_read_only_folder(tmp_path):
    """Root may write everywhere, so the folder is a file system that is mounted read-only."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:  # noqa: ASYNC221
        folder.chmod(0o500)
    try:
        async with RealServer(tmp_path / "server", store=folder / "runs.db") as server:
            assert "check the rights" in await refused(server)
    finally:
        subprocess.run(["umount", str(folder)], check=False, capture_output=True)  # noqa: ASYNC221, S607


async def test_the_store_keeps_as_many_runs_as_the_settings_say(tmp_path):
    options = {"keep_runs": 2}
    async with (
        ScriptedPlanner() as planner,
        RealServer(tmp_path, options=options) as server,
    ):
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one")]])
        address = {"kind": "http", "url": planner.url}
        unfinished = await server.start_run(
            {"notebook": "0.ipynb", "planner": address, "approval": "behaviors"}
        )
        await server.until(unfinished["id"], "waiting")
        done = []
        for number in range(1, 5):
            run = await server.start_run({"notebook": f"{number}.ipynb", "planner": address})
            await server.until(run["id"], "done")
            done.append(run["id"])
        expected = [done[3], done[2], unfinished["id"]]
        await server.stop()
        await server.start()
        assert [run["id"] for run in (await server.get("runs"))["runs"]] == expected
