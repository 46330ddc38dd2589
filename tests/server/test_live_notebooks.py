"""An attached tab hears of everything, and what it saves is merged with the log."""

from __future__ import annotations

import asyncio
import json

import pytest
from jupyter_server.auth import Authorizer
from tornado.httpclient import HTTPClientError

from notebook_bcc_ext.protocol.notebook_ops import METADATA_KEY, InsertCell, SetExecution
from notebook_bcc_ext.server import live
from notebook_bcc_ext.server.handlers import HOST_SETTING

API = "notebook-bcc/api"
PATH = "a.ipynb"
HANG_GUARD = 20


def cell(cell_id, source="", **fields):
    return {"id": cell_id, "cell_type": "markdown", "metadata": {}, "source": source, **fields}


def notebook(*cells):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}


class Socket:
    def __init__(self, socket):
        self._socket = socket

    async def next(self, kind):
        """The next message of that type; others are skipped."""
        async with asyncio.timeout(HANG_GUARD):
            while True:
                text = await self._socket.read_message()
                assert text is not None, "the socket was closed"
                message = json.loads(text)
                if message["type"] == kind:
                    return message

    async def send(self, **message):
        await self._socket.write_message(json.dumps(message))

    async def closed(self):
        async with asyncio.timeout(HANG_GUARD):
            while await self._socket.read_message() is not None:
                pass
        return self._socket.close_code


@pytest.fixture
async def host(jp_serverapp):
    return jp_serverapp.web_app.settings[HOST_SETTING]


@pytest.fixture
async def document(host, jp_serverapp):
    """A document with one cell of a person, as a run has it open."""
    workplace = await host.workplace()
    model = {"type": "notebook", "content": notebook(cell("own", "mine"))}
    await jp_serverapp.contents_manager.save(model, PATH)
    document = workplace.notebook(PATH)
    await document.open()
    yield document
    await document.close()


@pytest.fixture
async def connect(jp_ws_fetch, host):
    opened = []

    async def connect():
        raw = await jp_ws_fetch(API, "live")
        opened.append(raw)
        socket = Socket(raw)
        await socket.next("hello")
        return socket

    yield connect
    for raw in opened:
        raw.close()


@pytest.fixture
def post(jp_fetch):
    async def post(name, **body):
        response = await jp_fetch(API, "notebooks", name, method="POST", body=json.dumps(body))
        return json.loads(response.body)

    return post


async def insert(host, document, *ids):
    manager = await host.manager()
    ops = [InsertCell(cell=cell(cell_id, cell_id), after_id="own") for cell_id in ids]
    await manager.storage.log.append(document.log_id, ops)


async def on_disk(jp_serverapp, path=PATH):
    model = await jp_serverapp.contents_manager.get(path, content=True, type="notebook")
    return [entry["id"] for entry in model["content"]["cells"]]


# -- operations -------------------------------------------------------------------------------


async def test_a_tab_gets_what_it_missed_and_what_comes(connect, document, host):
    await insert(host, document, "a", "b")
    socket = await connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=1)
    attached = await socket.next("attached")
    assert (attached["log_id"], attached["head_seq"]) == (document.log_id, 2)
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [2]
    await insert(host, document, "c")
    message = await socket.next("ops")
    assert [entry["op"]["cell"]["id"] for entry in message["ops"]] == ["c"]


async def test_a_tab_that_was_there_before_the_log_hears_of_its_beginning(connect, host):
    socket = await connect()
    await socket.send(type="attach", path="new.ipynb", log_id=None, applied_seq=0)
    assert (await socket.next("attached"))["log_id"] is None
    document = (await host.workplace()).notebook("new.ipynb")
    await document.open()
    await insert(host, document, "a")
    assert (await socket.next("attached"))["log_id"] == document.log_id
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [1]
    await document.close()


async def test_a_tab_that_is_too_far_behind_has_to_read_the_notebook(
    connect, document, host, monkeypatch
):
    manager = await host.manager()
    monkeypatch.setattr(manager.storage.log, "_keep_operations", 1)
    await insert(host, document, *[f"c{number}" for number in range(5)])
    await document.flush()
    notebooks = await host.notebooks()
    notebooks._recent.clear()
    socket = await connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    assert (await socket.next("resync"))["path"] == PATH
    await insert(host, document, "later")
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [6]


async def test_a_slow_tab_holds_nothing_in_memory(document, host):
    notebooks = await host.notebooks()
    taken = asyncio.Event()

    class Slow:
        messages: list[str] = []

        async def send(self, message):
            self.messages.append(message)
            await taken.wait()

    slow = Slow()
    attach = live.Attach(path=PATH, log_id=document.log_id, applied_seq=0)
    tab = notebooks.attach(slow, attach)
    for number in range(20):
        await insert(host, document, *[f"c{number}-{part}" for part in range(50)])
    assert len(slow.messages) <= 1
    assert len(notebooks._recent[document.log_id]) <= 500
    taken.set()
    async with asyncio.timeout(HANG_GUARD):
        while '"seq":1000' not in slow.messages[-1]:
            await asyncio.sleep(0.01)
    seqs = [
        entry["seq"]
        for message in map(json.loads, slow.messages)
        if message["type"] == "ops"
        for entry in message["ops"]
    ]
    assert seqs == list(range(1, 1001))
    await notebooks.detach(tab)


async def test_tabs_are_told_who_saved(connect, document, host, post):
    socket = await connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    await socket.next("attached")
    await insert(host, document, "a")
    await document.flush()
    flushed = await socket.next("disk")
    assert (flushed["by"], flushed["seq"]) == ("run", 1)
    pulled = await post("pull", path=PATH)
    assert pulled["hash"] == flushed["hash"]
    await post(
        "save",
        path=PATH,
        content=pulled["content"],
        base_hash=pulled["hash"],
        log_id=pulled["log_id"],
        applied_seq=pulled["seq"],
    )
    assert (await socket.next("disk"))["by"] == "tab"


async def test_tabs_and_documents_follow_a_rename(connect, document, host, jp_serverapp):
    socket = await connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    await socket.next("attached")
    await jp_serverapp.contents_manager.rename(PATH, "b.ipynb")
    moved = await socket.next("moved")
    assert (moved["path"], moved["new_path"]) == (PATH, "b.ipynb")
    assert document.path == "b.ipynb"
    await insert(host, document, "a")
    await document.flush()
    assert await on_disk(jp_serverapp, "b.ipynb") == ["own", "a"]
    await jp_serverapp.contents_manager.delete("b.ipynb")
    assert (await socket.next("moved"))["new_path"] is None


# -- limits -----------------------------------------------------------------------------------


async def test_a_browser_that_talks_too_much_is_sent_away(connect, monkeypatch):
    monkeypatch.setattr(live, "MESSAGES_AT_ONCE", 5)
    socket = await connect()
    for _ in range(20):
        await socket.send(type="ack", path=PATH, seq=1)
    assert await socket.closed() == 1008


async def test_a_huge_message_is_refused(connect):
    socket = await connect()
    await socket.send(type="detach", path="x" * 100_000)
    assert await socket.closed() is not None


class NoContents(Authorizer):
    def is_authorized(self, _handler, _user, _action, resource):
        return resource != "contents"


class TestWithoutPermissionForContents:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["ServerApp"]["authorizer_class"] = NoContents
        return jp_server_config

    @pytest.mark.parametrize("name", ["check", "pull", "save"])
    async def test_no_notebook_is_read_or_written(self, name, post):
        with pytest.raises(HTTPClientError) as caught:
            await post(name, path=PATH)
        assert caught.value.code == 403

    async def test_no_tab_is_attached(self, connect, host):
        socket = await connect()
        await socket.send(type="attach", path=PATH, log_id=None, applied_seq=0)
        await asyncio.sleep(0.1)
        assert not (await host.notebooks())._tabs


# -- saving -----------------------------------------------------------------------------------


async def test_operations_a_tab_has_not_seen_are_added_to_its_save(
    document, host, post, jp_serverapp
):
    pulled = await post("pull", path=PATH)
    await insert(host, document, "a")
    await document.flush()
    content = pulled["content"]
    content["cells"].append(cell("typed"))
    saved = await post(
        "save",
        path=PATH,
        content=content,
        base_hash=pulled["hash"],
        log_id=pulled["log_id"],
        applied_seq=pulled["seq"],
    )
    assert saved["seq"] == 1
    assert await on_disk(jp_serverapp) == ["own", "a", "typed"]


async def test_a_cell_of_ours_that_the_person_deleted_stays_deleted(
    document, host, post, jp_serverapp
):
    await insert(host, document, "a", "b")
    pulled = await post("pull", path=PATH)
    content = pulled["content"]
    content["cells"] = [entry for entry in content["cells"] if entry["id"] != "a"]
    base = {"base_hash": pulled["hash"], "log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    await post("save", path=PATH, content=content, **base)
    await insert(host, document, "c")
    await document.flush()
    assert await on_disk(jp_serverapp) == ["own", "c", "b"]


async def test_a_base_from_before_another_tabs_save_is_refused(document, post, jp_serverapp):
    first = await post("pull", path=PATH)
    base = {"base_hash": first["hash"], "log_id": first["log_id"], "applied_seq": first["seq"]}
    content = first["content"]
    content["cells"].append(cell("typed"))
    await post("save", path=PATH, content=content, **base)
    assert not (await post("check", path=PATH, base_hash=first["hash"]))["current"]
    with pytest.raises(HTTPClientError) as caught:
        await post("save", path=PATH, content=notebook(), **base)
    assert caught.value.code == 409
    assert json.loads(caught.value.response.body)["error"] == "StaleBaseError"
    assert await on_disk(jp_serverapp) == ["own", "typed"]


async def test_our_own_flushes_leave_a_base_current(document, host, post):
    pulled = await post("pull", path=PATH)
    await insert(host, document, "a")
    await document.flush()
    checked = await post("check", path=PATH, base_hash=pulled["hash"])
    assert checked["current"]
    assert checked["hash"] != pulled["hash"]


async def test_a_client_without_our_provider_keeps_what_it_does_not_know(
    document, host, jp_serverapp
):
    model = await jp_serverapp.contents_manager.get(PATH, content=True, type="notebook")
    await insert(host, document, "a")
    await document.flush()
    model["content"]["cells"].append(cell("typed"))
    await jp_serverapp.contents_manager.save(
        {"type": "notebook", "content": model["content"]}, PATH
    )
    assert await on_disk(jp_serverapp) == ["own", "a", "typed"]
    # Also one that read the notebook before there was a log.
    await jp_serverapp.contents_manager.save(
        {"type": "notebook", "content": notebook(cell("own"), cell("typed"))}, PATH
    )
    assert await on_disk(jp_serverapp) == ["own", "a", "typed"]


async def test_a_missing_notebook_is_a_404(post):
    for name in ("check", "pull", "save"):
        body = {"content": notebook()} if name == "save" else {}
        with pytest.raises(HTTPClientError) as caught:
            await post(name, path="nowhere.ipynb", **body)
        assert caught.value.code == 404


async def test_only_what_a_run_executed_becomes_trusted(document, host, post, jp_serverapp):
    html = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b>x</b>"}}
    code = {"cell_type": "code", "execution_count": None}
    manager = await host.manager()
    await manager.storage.log.append(
        document.log_id,
        [
            InsertCell(cell=cell("ran", **code, outputs=[]), after_id="own"),
            SetExecution(cell_id="ran", state="running"),
            SetExecution(cell_id="ran", state="idle", execution_count=1),
        ],
    )
    pulled = await post("pull", path=PATH)
    content = pulled["content"]
    content["cells"].append(cell("pasted", **code, outputs=[html]))
    base = {"base_hash": pulled["hash"], "log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    await post("save", path=PATH, content=content, **base)
    model = await jp_serverapp.contents_manager.get(PATH, content=True, type="notebook")
    pasted = model["content"]["cells"][-1]
    assert pasted["id"] == "pasted"
    assert not pasted["metadata"].get("trusted")
    assert model["content"]["metadata"][METADATA_KEY]["log_id"] == document.log_id
