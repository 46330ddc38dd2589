"""The notebook behind a contents manager: crashes, trust, and company."""

from __future__ import annotations

import asyncio
import json

import nbformat
import pytest

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.errors import NotebookError
from notebook_bcc_ext.ports import NewCell
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY, ChangeOutputs, fingerprint
from tests.support.cells import insert, show
from tests.support.notebook_worlds import execute, html, sources

# -- crashes ----------------------------------------------------------------------------------


async def test_what_was_only_in_the_log_is_there_after_a_crash(world):
    document = await world.document(flush_interval=1000)
    await insert(document, NewCell("code", "one"))
    await document.flush()
    for number in range(5):
        await insert(document, NewCell("code", str(number)))
    await world.crash()
    again = await world.document()
    await insert(again, NewCell("code", "next"))
    await again.flush()
    assert sources(await world.read()) == ["one", "0", "1", "2", "3", "4", "next"]


@pytest.mark.parametrize("left", [0, 0.5])
@pytest.mark.parametrize("with_backup", [True, False])
@pytest.mark.parametrize("foreign", ["", "not ours"])
async def test_a_save_cut_short_is_repaired(file_world, left, with_backup, foreign):
    document = await file_world.document(flush_interval=1000)
    cell_id = await insert(document, NewCell("code", "one"))
    await execute(document, cell_id, html("<b>rich</b>"))
    await document.flush()
    whole = (file_world.root / "a.ipynb").read_text()
    await insert(document, NewCell("code", "two"))
    (file_world.root / "a.ipynb").write_text(whole[: int(len(whole) * left)] + foreign)
    if with_backup:
        (file_world.root / ".~a.ipynb").write_text(whole)
    await file_world.crash()
    again = await file_world.document()
    notebook = await file_world.read()
    assert sources(notebook) == ["one", "two"]
    assert notebook["cells"][0]["metadata"]["trusted"] is True
    if not with_backup:
        assert "cut short" in again.take_notices()[0]
    # Half of our own save holds nothing to keep; anything else is kept beside the notebook.
    aside = "a.ipynb.invalid" if with_backup else "a.ipynb.damaged-1"
    left_behind = sorted(path.name for path in file_world.root.glob("a.ipynb.*"))
    assert left_behind == ([aside] if foreign else [])


async def test_a_file_that_never_was_a_notebook_is_refused(file_world):
    (file_world.root / "a.ipynb").write_text("hello")
    with pytest.raises(NotebookError, match="cannot be read"):
        await file_world.document()
    assert (file_world.root / "a.ipynb").read_text() == "hello"


async def test_a_log_that_lost_its_tail_in_a_power_cut_goes_on(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await world.edit(
        lambda notebook: notebook["metadata"][METADATA_KEY].update({"applied_seq": 50})
    )
    await world.crash()
    again = await world.document()
    await insert(again, NewCell("code", "two"))
    await again.flush()
    notebook = await world.read()
    assert sources(notebook) == ["one", "two"]
    assert notebook["metadata"][METADATA_KEY]["applied_seq"] == 51


async def test_an_old_version_restored_beyond_the_log_is_respected(world):
    await world.start(keep_operations=2)
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    old = await world.read()
    for number in range(6):
        await insert(document, NewCell("code", str(number)))
    await document.flush()
    await world.write(old)
    await insert(document, NewCell("code", "next"))
    await document.flush()
    assert sources(await world.read()) == ["one", "next"]


# -- trust ------------------------------------------------------------------------------------


async def test_cells_we_ran_are_trusted_while_they_stream_and_after(world):
    document = await world.document()
    first = await insert(document, NewCell("code", "1"))
    await execute(document, first, html("<b>1</b>"))
    second = await insert(document, NewCell("code", "2"))
    await document.start_execution(second)
    await show(document, ChangeOutputs(cell_id=second, change="append", outputs=[html("<b>2</b>")]))
    await document.flush()
    assert [c["metadata"]["trusted"] for c in (await world.read())["cells"]] == [True, True]
    document.finish_execution(second, 2)
    await document.flush()
    assert [c["metadata"]["trusted"] for c in (await world.read())["cells"]] == [True, True]


def write_foreign(world, notebook):
    """Straight into the storage, as git or a mail attachment would."""
    text = nbformat.writes(nbformat.from_dict(notebook))
    if hasattr(world.manager, "shelf"):
        world.manager.shelf.put_text("a.ipynb", text)
    else:
        (world.root / "a.ipynb").write_text(text)


async def test_a_cell_nobody_ran_never_becomes_trusted(world):
    foreign = {
        "id": "foreign",
        "cell_type": "code",
        "metadata": {"trusted": True},
        "source": "?",
        "outputs": [html("<script>bad()</script>")],
        "execution_count": 1,
    }
    write_foreign(world, {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [foreign]})
    document = await world.document()
    ours = await insert(document, NewCell("code", "1"))
    await execute(document, ours, html("<b>1</b>"))
    await document.flush()
    assert not (await world.read())["cells"][0]["metadata"]["trusted"]


async def test_outputs_swapped_by_somebody_else_lose_their_trust(world):
    document = await world.document()
    ours = await insert(document, NewCell("code", "1"))
    await document.start_execution(ours)
    await document.flush()
    notebook = await world.read()
    notebook["cells"][0]["outputs"] = [html("<script>bad()</script>")]
    write_foreign(world, notebook)
    document.finish_execution(ours, 1)
    await document.flush()
    assert not (await world.read())["cells"][0]["metadata"]["trusted"]


# -- beside a server --------------------------------------------------------------------------


async def test_events_of_the_worker_reach_listeners_on_the_loop(file_world):
    heard = []

    async def listen(logger, schema_id, data):
        heard.append((data["action"], asyncio.get_running_loop()))

    manager = file_world.manager
    manager.event_logger.add_listener(schema_id=manager.event_schema_id, listener=listen)
    document = await file_world.document()
    await insert(document, NewCell("code", "1"))
    await document.flush()
    while ("save", asyncio.get_running_loop()) not in heard:  # noqa: ASYNC110  as above
        await asyncio.sleep(0)
    assert {loop for _, loop in heard} == {asyncio.get_running_loop()}


async def test_readers_saves_and_a_run_at_once(world):
    """A person reads and saves all the time while the run writes; nothing is lost."""
    document = await world.document(flush_interval=0.01)
    done = asyncio.Event()
    count = 0

    async def person():
        nonlocal count
        while not done.is_set():
            async with world.access.locks.hold("a.ipynb"):
                notebook = await world.read()
                count += 1
                notebook["cells"].append(
                    {
                        "id": f"user-{count}",
                        "cell_type": "markdown",
                        "metadata": {},
                        "source": "mine",
                    }
                )
                await world.write(notebook)
            await asyncio.sleep(0.01)

    async def reader():
        while not done.is_set():
            await world.read()
            await asyncio.sleep(0)

    plain = not asyncio.iscoroutinefunction(world.manager.get)
    people = [asyncio.create_task(reader())]
    if not plain:
        # Nobody may hold a plain manager's path across an await on the loop.
        people.append(asyncio.create_task(person()))
    ids = [await insert(document, NewCell("code", str(n))) for n in range(60)]
    await document.flush()
    done.set()
    await asyncio.gather(*people)
    await document.flush()
    found = [cell["id"] for cell in (await world.read())["cells"]]
    assert [cell_id for cell_id in found if not cell_id.startswith("user")] == ids
    assert sum(cell_id.startswith("user") for cell_id in found) == count


async def test_a_document_that_was_not_opened_says_so(world):
    await world.start()
    document = ContentsNotebook("a.ipynb", world.access, world.log)
    for call in (document.summary, document.notebook_metadata, lambda: document.log_id):
        with pytest.raises(NotebookError, match=r"a\.ipynb is not open"):
            call()
    await document.close()


async def test_the_file_on_disk_is_plain_nbformat(file_world):
    document = await file_world.document()
    cell_id = await insert(document, NewCell("code", "1", {"notebook_bcc": {"run": "r"}}))
    await execute(document, cell_id, html("<b>1</b>"))
    await document.close()
    raw = json.loads((file_world.root / "a.ipynb").read_text())
    mark = {"run": "r", "cell": cell_id, "written": fingerprint("code", "1")}
    assert raw["cells"][0]["metadata"] == {"notebook_bcc": mark}


async def test_a_server_serves_the_notebook_while_a_run_writes_it(
    jp_serverapp, jp_fetch, jp_root_dir, tmp_path
):
    database = Database(tmp_path / "runs.db")
    access = ContentsAccess(jp_serverapp.contents_manager)
    document = ContentsNotebook("a.ipynb", access, OperationLog(database), flush_interval=0.01)
    await document.open()

    async def get():
        answer = await jp_fetch("api", "contents", "a.ipynb", params={"hash": "1"})
        return json.loads(answer.body)

    async def person():
        for number in range(15):
            model = await get()
            # Saved from what was loaded a moment ago: older than what the run has written.
            model["content"]["cells"].append(
                {"id": f"user-{number}", "cell_type": "markdown", "metadata": {}, "source": "mine"}
            )
            await jp_fetch("api", "contents", "a.ipynb", method="PUT", body=json.dumps(model))

    people = asyncio.create_task(person())
    ids = []
    while not people.done():
        ids.append(await insert(document, NewCell("code", "1", wanted_id="ours")))
        await execute(document, ids[-1], html("<b>1</b>"))
        await asyncio.sleep(0.001)
    await people
    await document.flush()
    cells = (await get())["content"]["cells"]
    found = [cell["id"] for cell in cells]
    assert [cell_id for cell_id in found if cell_id.startswith("ours")] == ids
    assert found.count("user-14") == 1
    assert all(cell["metadata"]["trusted"] for cell in cells if cell["cell_type"] == "code")
    assert not list(jp_root_dir.glob("*.invalid"))
    await document.close()
    await database.close()
    access.close()
