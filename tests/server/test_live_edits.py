"""A run executes a cell as the person sees it, saved or not; nobody can hold it up for long."""

from __future__ import annotations

import asyncio

from notebook_bcc_ext.server import live_notebooks
from tests.server.live_worlds import HANG_GUARD, PATH


async def attached(world, document):
    socket = await world.connect()
    await socket.send(type="attach", path=PATH, log_id=document.log_id, applied_seq=0)
    await socket.next("attached")
    return socket


async def edits_known(world, cell_id):
    notebooks = await world.host.notebooks()
    async with asyncio.timeout(HANG_GUARD):
        while not any(cell_id in tab._edited for tab in notebooks._tabs[PATH]):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_run_reads_what_a_tab_saves_when_it_is_asked_to(world, post):
    document = await world.document()
    await world.insert(document, "a")
    socket = await attached(world, document)
    await socket.send(type="edited", path=PATH, cell_ids=["a"])
    await edits_known(world, "a")
    reading = asyncio.create_task(document.text_of("a"))
    assert (await socket.next("wanted"))["cell_id"] == "a"
    pulled = await post("pull", path=PATH)
    pulled["content"]["cells"][1]["source"] = "as the person sees it"
    base = {"base_hash": pulled["hash"], "log_id": pulled["log_id"], "applied_seq": pulled["seq"]}
    await post("save", path=PATH, content=pulled["content"], **base)
    assert not reading.done()
    await socket.send(type="settled", path=PATH, cell_id="a")
    async with asyncio.timeout(HANG_GUARD):
        assert (await reading)[:2] == ("markdown", "as the person sees it")


async def test_a_tab_without_an_edit_of_the_cell_is_not_waited_for(world, monkeypatch):
    monkeypatch.setattr(live_notebooks, "SETTLE_SECONDS", 10 * HANG_GUARD)
    document = await world.document()
    await world.insert(document, "a", "b")
    socket = await attached(world, document)
    await socket.send(type="edited", path=PATH, cell_ids=["b"])
    await edits_known(world, "b")
    async with asyncio.timeout(HANG_GUARD):
        assert (await document.text_of("a"))[:2] == ("markdown", "a")


async def test_a_tab_that_does_not_save_holds_up_the_run_once(world, monkeypatch):
    monkeypatch.setattr(live_notebooks, "SETTLE_SECONDS", 0.05)
    document = await world.document()
    await world.insert(document, "a")
    socket = await attached(world, document)
    await socket.send(type="edited", path=PATH, cell_ids=["a"])
    await edits_known(world, "a")
    assert (await document.text_of("a"))[:2] == ("markdown", "a")
    monkeypatch.setattr(live_notebooks, "SETTLE_SECONDS", 10 * HANG_GUARD)
    async with asyncio.timeout(HANG_GUARD):
        assert (await document.text_of("a"))[:2] == ("markdown", "a")


async def test_a_tab_that_goes_away_is_not_waited_for(world, monkeypatch):
    monkeypatch.setattr(live_notebooks, "SETTLE_SECONDS", 10 * HANG_GUARD)
    document = await world.document()
    await world.insert(document, "a")
    socket = await attached(world, document)
    await socket.send(type="edited", path=PATH, cell_ids=["a"])
    await edits_known(world, "a")
    reading = asyncio.create_task(document.text_of("a"))
    await socket.next("wanted")
    await socket.send(type="detach", path=PATH)
    async with asyncio.timeout(HANG_GUARD):
        assert (await reading)[:2] == ("markdown", "a")
