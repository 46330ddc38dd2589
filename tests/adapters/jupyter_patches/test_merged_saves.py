"""Whoever saves through the contents manager, async or plain: nothing of the log gets lost, and
nothing that a person put away comes back."""

from __future__ import annotations

import asyncio

import pytest
from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.filecheckpoints import (
    AsyncGenericFileCheckpoints,
    GenericFileCheckpoints,
)

from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import MergedSaves
from notebook_bcc_ext.adapters.notebook.apply import log_position
from notebook_bcc_ext.ports import NewCell
from tests.support.cells import insert

PATH = "a.ipynb"


async def started(world):
    await world.start()
    MergedSaves(world.manager, world.access, world.log).install()


def sources(notebook):
    return [cell["source"] for cell in notebook["cells"]]


async def test_a_save_that_lacks_operations_gets_them(world):
    await started(world)
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    read_before = await world.read()
    await insert(document, NewCell("code", "two"))
    await document.flush()
    read_before["cells"][0]["source"] = "one, edited"
    await world.write(read_before)
    saved = await world.read()
    assert sources(saved) == ["one, edited", "two"]
    assert log_position(saved) == (document.log_id, 2)


async def test_what_the_person_deleted_stays_deleted(world):
    await started(world)
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await insert(document, NewCell("code", "two"))
    await document.flush()
    await world.edit(lambda notebook: notebook["cells"].pop(0))
    await insert(document, NewCell("code", "three"))
    await document.flush()
    assert sources(await world.read()) == ["two", "three"]


async def test_other_files_are_none_of_our_business(file_world):
    await started(file_world)
    model = {"type": "file", "format": "text", "content": "plain"}
    await ensure_async(file_world.manager.save(model, "notes.txt"))
    assert (file_world.root / "notes.txt").read_text() == "plain"


async def test_saves_during_a_run_never_wait_for_each_other_in_a_circle(world):
    await started(world)
    document = await world.document(flush_interval=0.0)
    async with asyncio.timeout(60):
        for number in range(30):
            await insert(document, NewCell("code", str(number)))
            if number % 3 == 0:
                await world.write(await world.read())
        await document.flush()
    assert sources(await world.read()) == [str(number) for number in range(30)]


# -- older versions and copies ----------------------------------------------------------------


def generic(world):
    is_async = asyncio.iscoroutinefunction(world.manager.get)
    kind = AsyncGenericFileCheckpoints if is_async else GenericFileCheckpoints
    world.manager.checkpoints_class = kind
    world.manager.checkpoints_kwargs = {"root_dir": str(world.root)}


@pytest.mark.parametrize("kind", ["copied", "saved"])
async def test_a_restored_checkpoint_stays_as_it_was_restored(file_world, kind):
    if kind == "saved":
        # Checkpoints of this kind are restored by a save through the manager.
        generic(file_world)
    await started(file_world)
    document = await file_world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    manager = file_world.manager
    checkpoint = await ensure_async(manager.create_checkpoint(PATH))
    await insert(document, NewCell("code", "two"))
    await document.flush()
    await insert(document, NewCell("code", "only in the log yet"))
    await ensure_async(manager.restore_checkpoint(checkpoint["id"], PATH))
    assert sources(await file_world.read()) == ["one"]
    await insert(document, NewCell("code", "three"))
    await document.flush()
    assert sources(await file_world.read()) == ["one", "three"]
    await document.close()
    again = await file_world.document()
    await again.flush()
    assert sources(await file_world.read()) == ["one", "three"]


async def test_a_checkpoint_from_before_the_first_run_can_be_restored(file_world):
    await started(file_world)
    await file_world.write({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})
    manager = file_world.manager
    checkpoint = await ensure_async(manager.create_checkpoint(PATH))
    document = await file_world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await ensure_async(manager.restore_checkpoint(checkpoint["id"], PATH))
    await insert(document, NewCell("code", "two"))
    await document.flush()
    assert sources(await file_world.read()) == ["two"]


async def test_tabs_hear_of_a_restored_checkpoint(file_world):
    await started(file_world)
    document = await file_world.document()
    await document.flush()
    manager = file_world.manager
    checkpoint = await ensure_async(manager.create_checkpoint(PATH))
    written = []
    file_world.access.states.listeners.append(written.append)
    await ensure_async(manager.restore_checkpoint(checkpoint["id"], PATH))
    assert [entry.by for entry in written] == ["other"]


async def test_an_older_copy_does_not_inherit_what_came_after_it(world):
    await started(world)
    document = await world.document()
    await insert(document, NewCell("code", "one"))
    await document.flush()
    await world.write(await world.read(), "copy.ipynb")
    await insert(document, NewCell("code", "two"))
    await document.close()
    await world.delete()
    copied = await world.document("copy.ipynb")
    await insert(copied, NewCell("code", "in the copy"))
    await copied.flush()
    assert sources(await world.read("copy.ipynb")) == ["one", "in the copy"]
