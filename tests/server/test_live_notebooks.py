"""An attached tab hears of everything, and what it saves is merged with the log."""

from __future__ import annotations

import asyncio
import json

import pytest
from tornado.httpclient import HTTPClientError

from notebook_bcc_ext.protocol.browser.live import Attach
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY, InsertCell, SetExecution
from notebook_bcc_ext.server import live
from tests.server.live_worlds import HANG_GUARD, PATH, cell, notebook

# -- operations -------------------------------------------------------------------------------


async def test_a_tab_gets_what_it_missed_and_what_comes(world):
    document = await world.document()
    await world.insert(document, "a", "b")
    socket = await world.connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=1)
    attached = await socket.next("attached")
    assert (attached["log_id"], attached["head_seq"]) == (document.log_id, 2)
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [2]
    await world.insert(document, "c")
    message = await socket.next("ops")
    assert [entry["op"]["cell"]["id"] for entry in message["ops"]] == ["c"]


async def test_a_tab_that_was_there_before_the_log_hears_of_its_beginning(world):
    socket = await world.connect()
    await socket.send(type="attach", path="new.ipynb", log_id=None, applied_seq=0)
    assert (await socket.next("attached"))["log_id"] is None
    document = await world.document("new.ipynb")
    await world.insert(document, "a")
    assert (await socket.next("attached"))["log_id"] == document.log_id
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [1]


async def test_a_tab_that_is_too_far_behind_has_to_read_the_notebook(world, monkeypatch):
    document = await world.document()
    manager = await world.host.manager()
    monkeypatch.setattr(manager.storage.log, "_keep_operations", 1)
    await world.insert(document, *[f"c{number}" for number in range(5)])
    await document.flush()
    notebooks = await world.host.notebooks()
    notebooks._recent.clear()
    socket = await world.connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    assert (await socket.next("resync"))["path"] == PATH
    await world.insert(document, "later")
    assert [entry["seq"] for entry in (await socket.next("ops"))["ops"]] == [6]


async def test_a_slow_tab_holds_nothing_in_memory(world):
    document = await world.document()
    notebooks = await world.host.notebooks()
    taken = asyncio.Event()

    class Slow:
        def __init__(self):
            self.messages = []

        async def send(self, message):
            self.messages.append(message)
            await taken.wait()

    slow = Slow()
    attach = Attach(path=PATH, log_id=document.log_id, applied_seq=0)
    tab = notebooks.attach(slow, attach)
    for number in range(20):
        await world.insert(document, *[f"c{number}-{part}" for part in range(50)])
    assert len(slow.messages) <= 1
    assert len(notebooks._recent[document.log_id]) <= 500
    taken.set()
    async with asyncio.timeout(HANG_GUARD):
        while '"seq":1000' not in slow.messages[-1]:  # noqa: ASYNC110  no event tells it
            await asyncio.sleep(0.01)
    seqs = [
        entry["seq"]
        for message in map(json.loads, slow.messages)
        if message["type"] == "ops"
        for entry in message["ops"]
    ]
    assert seqs == list(range(1, 1001))
    await notebooks.detach(tab)


async def test_tabs_are_told_who_saved(world, post):
    document = await world.document()
    socket = await world.connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    await socket.next("attached")
    await world.insert(document, "a")
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


async def test_tabs_and_documents_follow_a_rename(world):
    document = await world.document()
    socket = await world.connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    await socket.next("attached")
    await world.contents.rename(PATH, "b.ipynb")
    moved = await socket.next("moved")
    assert (moved["path"], moved["new_path"]) == (PATH, "b.ipynb")
    assert document.path == "b.ipynb"
    await world.insert(document, "a")
    await document.flush()
    assert await world.on_disk("b.ipynb") == ["own", "a"]
    await socket.send(type="attach", path="b.ipynb", log_id=document.log_id, applied_seq=1)
    await socket.next("attached")
    await world.contents.delete("b.ipynb")
    assert (await socket.next("moved"))["new_path"] is None


# -- limits -----------------------------------------------------------------------------------


async def test_a_browser_that_talks_too_much_is_sent_away(world, monkeypatch):
    monkeypatch.setattr(live, "MESSAGES_AT_ONCE", 5)
    socket = await world.connect()
    for _ in range(20):
        await socket.send(type="ack", path=PATH, seq=1)
    assert await socket.closed() == 1008


async def test_a_huge_message_is_refused(world):
    socket = await world.connect()
    await socket.send(type="detach", path="x" * 100_000)
    assert await socket.closed() is not None


# -- saving -----------------------------------------------------------------------------------


async def test_operations_a_tab_has_not_seen_are_added_to_its_save(world, post):
    document = await world.document()
    pulled = await post("pull", path=PATH)
    await world.insert(document, "a")
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
    assert await world.on_disk() == ["own", "a", "typed"]


async def test_a_cell_of_ours_that_the_person_deleted_stays_deleted(world, post):
    document = await world.document()
    await world.insert(document, "a", "b")
    pulled = await post("pull", path=PATH)
    content = pulled["content"]
    content["cells"] = [entry for entry in content["cells"] if entry["id"] != "a"]
    base = {"base_hash": pulled["hash"], "log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    await post("save", path=PATH, content=content, **base)
    await world.insert(document, "c")
    await document.flush()
    assert await world.on_disk() == ["own", "c", "b"]


async def test_a_base_from_before_another_tabs_save_is_refused(world, post):
    await world.document()
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
    assert await world.on_disk() == ["own", "typed"]


async def test_our_own_flushes_leave_a_base_current(world, post):
    document = await world.document()
    pulled = await post("pull", path=PATH)
    await world.insert(document, "a")
    await document.flush()
    checked = await post("check", path=PATH, base_hash=pulled["hash"])
    assert checked["current"]
    assert checked["hash"] != pulled["hash"]


async def test_a_client_without_our_provider_keeps_what_it_does_not_know(world):
    document = await world.document()
    model = await world.contents.get(PATH, content=True, type="notebook")
    await world.insert(document, "a")
    await document.flush()
    model["content"]["cells"].append(cell("typed"))
    await world.contents.save({"type": "notebook", "content": model["content"]}, PATH)
    assert await world.on_disk() == ["own", "a", "typed"]
    # Also one that read the notebook before there was a log.
    await world.contents.save(
        {"type": "notebook", "content": notebook(cell("own"), cell("typed"))}, PATH
    )
    assert await world.on_disk() == ["own", "a", "typed"]


async def test_a_missing_notebook_is_a_404(world, post):
    for name in ("check", "pull", "save"):
        body = {"content": notebook()} if name == "save" else {}
        with pytest.raises(HTTPClientError) as caught:
            await post(name, path="nowhere.ipynb", **body)
        assert caught.value.code == 404


async def test_only_what_a_run_executed_becomes_trusted(world, post):
    document = await world.document()
    html = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b>x</b>"}}
    code = {"cell_type": "code", "execution_count": None}
    await world.append(
        document,
        InsertCell(cell=cell("ran", outputs=[]) | code, after_id="own"),
        SetExecution(cell_id="ran", state="running"),
        SetExecution(cell_id="ran", state="idle", execution_count=1),
    )
    pulled = await post("pull", path=PATH)
    content = pulled["content"]
    content["cells"].append(cell("pasted", outputs=[html]) | code)
    base = {"base_hash": pulled["hash"], "log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    await post("save", path=PATH, content=content, **base)
    model = await world.contents.get(PATH, content=True, type="notebook")
    pasted = model["content"]["cells"][-1]
    assert pasted["id"] == "pasted"
    assert not pasted["metadata"].get("trusted")
    assert model["content"]["metadata"][METADATA_KEY]["log_id"] == document.log_id
