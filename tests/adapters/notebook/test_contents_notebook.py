"""The notebook behind a contents manager, and what others do to its file."""

from __future__ import annotations

import asyncio
import json

import pytest

from notebook_bcc_ext.adapters.notebook.apply import empty_notebook
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.errors import ForeignChangeError, NotebookError
from notebook_bcc_ext.ports import NewCell
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    WIDGET_STATE,
    ChangeOutputs,
    SetWidgets,
)
from tests.support.cells import insert
from tests.support.notebook_worlds import sources

# -- the file ---------------------------------------------------------------------------------


async def test_the_notebook_carries_its_place_in_the_log(world):
    document = await world.document()
    await insert(document, NewCell("code", "1"))
    await document.flush()
    ours = (await world.read())["metadata"][METADATA_KEY]
    assert ours == {"log_id": document.log_id, "applied_seq": 1}
    assert METADATA_KEY not in document.notebook_metadata()


async def test_b9_widgets_state_reaches_the_file_and_no_planner(world):
    document = await world.document()
    document.post_outputs([SetWidgets(models={"m": {"state": {"n": 1}}})])
    await document.flush()
    kept = (await world.read())["metadata"]["widgets"][WIDGET_STATE]
    assert kept == {"version_major": 2, "version_minor": 0, "state": {"m": {"state": {"n": 1}}}}
    await document.close()
    again = await world.document()
    assert "widgets" not in again.notebook_metadata()


async def test_the_file_follows_without_being_asked(world):
    document = await world.document(flush_interval=0.01)
    await insert(document, NewCell("code", "1"))
    while not (await world.read())["cells"]:  # noqa: ASYNC110  the suite's timeout bounds it
        await asyncio.sleep(0.01)


async def test_closing_writes_the_file_and_can_be_repeated(world):
    document = await world.document()
    await insert(document, NewCell("code", "1"))
    await document.close()
    await document.close()
    assert sources(await world.read()) == ["1"]
    with pytest.raises(NotebookError, match="not open"):
        await insert(document, NewCell("code", "2"))
    assert await world.log.image(json_id(await world.read())) is None


def json_id(notebook):
    return notebook["metadata"][METADATA_KEY]["log_id"]


async def test_streamed_outputs_need_not_be_awaited(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "1"))
    await document.start_execution(cell_id)
    for number in range(20):
        output = {"output_type": "stream", "name": "stdout", "text": str(number)}
        document.post_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[output])])
    document.finish_execution(cell_id, 3)
    await document.flush()
    [cell] = (await world.read())["cells"]
    assert [output["text"] for output in cell["outputs"]] == [str(n) for n in range(20)]
    assert document.summary().last_output == "".join(str(n) for n in range(20))


async def test_an_existing_notebook_is_continued_at_its_end(world):
    await world.write(
        {
            "nbformat": 4,
            "nbformat_minor": 4,
            "metadata": {"theirs": 1},
            "cells": [
                {"cell_type": "markdown", "metadata": {}, "source": "# Their report"},
                {
                    "cell_type": "code",
                    "metadata": {},
                    "source": "1 + 1",
                    "outputs": [{"output_type": "stream", "name": "stdout", "text": "2"}],
                    "execution_count": 1,
                },
            ],
        }
    )
    document = await world.document()
    summary = document.summary()
    assert (summary.title, summary.cell_count, summary.last_output) == ("Their report", 2, "2")
    assert [cell["source"] for cell in document.recent_cells(5)] == ["# Their report", "1 + 1"]
    await insert(document, NewCell("code", "ours"))
    await document.flush()
    notebook = await world.read()
    assert sources(notebook) == ["# Their report", "1 + 1", "ours"]
    assert notebook["nbformat_minor"] == 5
    assert notebook["metadata"]["theirs"] == 1
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


async def test_a_cell_that_is_no_longer_remembered_is_read_from_the_file(world):
    document = await world.document(keep_cells=3)
    mark = {METADATA_KEY: {"run": "r"}}
    ids = [await insert(document, NewCell("code", str(n), mark)) for n in range(10)]
    await document.flush()
    await document.set_source(ids[0], "changed")
    assert (await document.text_of(ids[0]))[:2] == ("code", "changed")
    assert (await document.text_of(ids[1]))[:2] == ("code", "1")
    assert len(document.recent_cells(100)) == 3


async def test_edits_and_new_cells_of_ours_meet(world):
    """A person saves a version from before our latest operations; nothing of either is lost."""
    document = await world.document()
    await insert(document, NewCell("code", "one", wanted_id="one"))
    await document.flush()
    theirs = await world.read()
    await insert(document, NewCell("code", "two", wanted_id="two"))
    await document.flush()
    theirs["cells"].insert(
        0, {"id": "mine", "cell_type": "markdown", "metadata": {}, "source": "mine"}
    )
    await world.write(theirs)
    await insert(document, NewCell("code", "three", wanted_id="three"))
    await document.flush()
    assert sources(await world.read()) == ["mine", "one", "two", "three"]


async def test_a_tool_that_strips_metadata_does_no_harm(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await world.edit(lambda notebook: notebook["metadata"].clear())
    await insert(document, NewCell("code", "two"))
    await document.flush()
    assert sources(await world.read()) == ["one", "two"]


# -- others -----------------------------------------------------------------------------------


async def test_a_deleted_notebook_is_not_silently_made_again(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "one"))
    await document.flush()
    await world.delete()
    await insert(document, NewCell("code", "two"))
    for call in (document.flush(), document.text_of(cell_id)):
        with pytest.raises(ForeignChangeError, match="deleted or moved"):
            await call
    with pytest.raises(ForeignChangeError, match="deleted or moved"):
        await insert(document, NewCell("code", "three"))
    with pytest.raises(NotebookError):
        await document._access.stamp("a.ipynb")
    await document.recreate()
    await insert(document, NewCell("code", "four"))
    await document.flush()
    assert sources(await world.read()) == ["one", "two", "four"]
    with pytest.raises(ForeignChangeError, match="exists again"):
        await document.recreate()


async def test_a_failed_background_flush_is_told_at_the_next_change(world):
    document = await world.document(flush_interval=0.01)
    await world.delete()
    await insert(document, NewCell("code", "one"))
    await document.stored()
    await document._late._task
    with pytest.raises(ForeignChangeError):
        await insert(document, NewCell("code", "two"))


async def test_another_notebook_in_its_place_is_not_overwritten(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await world.edit(
        lambda notebook: notebook["metadata"].update(
            {METADATA_KEY: {"log_id": "another", "applied_seq": 3}}
        )
    )
    before = await world.read()
    with pytest.raises(ForeignChangeError, match="replaced by another notebook"):
        await document.flush()
    assert await world.read() == before


async def test_a_renamed_notebook_is_followed(file_world):
    document = await file_world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await document._access.rename("a.ipynb", "b.ipynb")
    await document.follow_rename("b.ipynb")
    await insert(document, NewCell("code", "two"))
    await document.close()
    assert sources(await file_world.read("b.ipynb")) == ["one", "two"]
    assert not (file_world.root / "a.ipynb").exists()


async def test_a_notebook_renamed_while_nobody_looked_keeps_its_log(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.close()
    await world.access.rename("a.ipynb", "b.ipynb")
    moved = await world.document("b.ipynb")
    assert moved.log_id == json_id(await world.read("b.ipynb"))
    await insert(moved, NewCell("code", "two"))
    await moved.flush()
    assert sources(await world.read("b.ipynb")) == ["one", "two"]


async def test_a_copy_gets_a_log_of_its_own(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await world.write(await world.read(), "copy.ipynb")
    copied = await world.document("copy.ipynb")
    assert copied.log_id != document.log_id
    await insert(copied, NewCell("code", "in the copy"))
    await copied.flush()
    await insert(document, NewCell("code", "two"))
    await document.flush()
    assert sources(await world.read()) == ["one", "two"]
    assert sources(await world.read("copy.ipynb")) == ["one", "in the copy"]


async def test_a_notebook_deleted_between_runs_begins_anew(world):
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.close()
    await world.delete()
    again = await world.document()
    await insert(again, NewCell("code", "new"))
    await again.flush()
    assert sources(await world.read()) == ["new"]


async def test_a_folder_that_does_not_exist_is_an_error(file_world):
    with pytest.raises(NotebookError, match=r"no/such/folder\.ipynb cannot be saved"):
        await file_world.document("no/such/folder.ipynb")


async def test_a_manager_that_fails_to_save_loses_nothing(world):
    document = await world.document()
    save = world.manager.save

    def fail(*_args, **_kwargs):
        raise OSError("no space left on device")

    world.manager.save = fail
    await insert(document, NewCell("code", "one"))
    with pytest.raises(NotebookError, match="no space left"):
        await document.flush()
    with pytest.raises(NotebookError, match="no space left"):
        await insert(document, NewCell("code", "two"))
    world.manager.save = save
    await insert(document, NewCell("code", "three"))
    await document.flush()
    assert sources(await world.read()) == ["one", "three"]


async def test_servers_with_other_folders_share_a_store_without_mixing(file_world, tmp_path):
    document = await file_world.document(flush_interval=1000)
    await insert(document, NewCell("code", "here"))
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = type(file_world.manager)(root_dir=str(other))
    access = ContentsAccess(elsewhere)
    for _ in range(2):
        # The second time the notebook exists, and no longer says which log it belongs to.
        stranger = ContentsNotebook("a.ipynb", access, file_world.log)
        await stranger.open()
        assert stranger.summary().cell_count == 0
        await stranger.close()
        (other / "a.ipynb").write_text(json.dumps(empty_notebook({})))
    access.close()
    await document.flush()
    assert sources(await file_world.read()) == ["here"]


async def test_an_edit_saved_just_before_a_flush_is_seen_during_it(world):
    document = await world.document(flush_interval=1000)
    cell_id = await insert(document, NewCell("code", "ours"))
    await document.flush()

    def edit(notebook):
        notebook["cells"][0]["source"] = "theirs"

    await world.edit(edit)
    seen = []
    save = document._access.save

    async def look_while_saving(path, notebook):
        future = asyncio.run_coroutine_threadsafe(document.text_of(cell_id), loop)
        seen.append(await asyncio.wrap_future(future))
        return await save(path, notebook)

    loop = asyncio.get_running_loop()
    document._access.save = look_while_saving
    await insert(document, NewCell("code", "next"))
    await document.flush()
    assert [text[:2] for text in seen] == [("code", "theirs")]


async def test_a_cell_that_begins_while_the_file_is_read_is_told_with_its_output(world):
    document = await world.document()

    async def begin():
        cell_id = await insert(document, NewCell("code", "1"))
        await document.start_execution(cell_id)
        return cell_id

    async def end(cell_id, text):
        output = {"output_type": "stream", "name": "stdout", "text": text}
        document.post_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[output])])
        document.finish_execution(cell_id, 1)
        await document.stored()

    await end(await begin(), "first")
    begun = []
    get, loop = document._access.get, asyncio.get_running_loop()

    async def begin_while_reading(path):
        model = await get(path)
        future = asyncio.run_coroutine_threadsafe(begin(), loop)
        begun.append(await asyncio.wrap_future(future))
        return model

    document._access.get = begin_while_reading
    await document.flush()
    await end(begun[0], "second")
    assert document.summary().last_output == "second"
    assert document.recent_cells(1)[0]["id"] == begun[0]


# -- what the run says about it ---------------------------------------------------------------


async def test_a_deleted_and_an_edited_cell_are_told_once(world):
    document = await world.document()
    deleted = await insert(document, NewCell("code", "one"))
    edited = await insert(document, NewCell("code", "two"))
    await document.flush()
    assert document.take_notices() == []

    def change(notebook):
        del notebook["cells"][0]
        notebook["cells"][0]["source"] = "two, by a person"

    await world.edit(change)
    assert (await document.text_of(edited))[:2] == ("code", "two, by a person")
    assert document.take_notices() == [
        f"cell {deleted} was deleted from the notebook; it stays deleted",
        f"cell {edited} was edited; the edited text counts",
    ]
    assert (await document.text_of(edited))[:2] == ("code", "two, by a person")
    assert document.take_notices() == []


async def test_another_programs_write_is_told(file_world):
    document = await file_world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    file = file_world.root / "a.ipynb"
    file.write_text(file.read_text().replace('"one"', '"one, by a program"'))
    await insert(document, NewCell("code", "two"))
    await document.flush()
    assert sources(await file_world.read()) == ["one, by a program", "two"]
    assert document.take_notices() == [
        "a.ipynb was changed by another program; both changes are kept"
    ]
