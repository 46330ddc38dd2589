"""N7: a new attempt takes the place of the one before, and the person's own words stay."""

import asyncio

import nbformat
import pytest

from notebook_bcc_ext.errors import IllegalCommandError
from tests.engine.harness import lab
from tests.support.planner_answers import CUT, RUN, Reply, Stream, add, say


def play(room, *behaviors, step="read"):
    room.planner.step(step, behaviors=[list(actions) for actions in behaviors])


def chapter(text):
    return {"action": "new_chapter", "content": text}


async def failed(room):
    """One step done, the second one failed after two cells of text and one of code."""
    play(room, [chapter("First"), say("one")])
    play(room, [chapter("Second"), say("two"), add("1 / 0", store_id="bad"), RUN], step="check")
    await room.go()
    assert room.state == "error"
    assert await room.sources() == ["## First", "one", "## Second", "two", "1 / 0"]
    play(room, [chapter("Second"), say("two"), add("good = 1", store_id="bad"), RUN], step="check")


@pytest.mark.parametrize("command", ["retry", "debug", "restart"])
async def test_c6_a_new_attempt_leaves_no_second_copies(tmp_path, command):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        await failed(room)
        await room.command(command)
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        cells = await room.cells()
        assert [cell.source for cell in cells] == [
            "## First",
            "one",
            "## Second",
            "two",
            "good = 1",
        ]
        chapters = [c.metadata.chapter_number for c in cells if c.metadata.get("is_chapter")]
        assert chapters == [1, 2]
        assert room.run.world.state.executed_cells == (cells[4].id,)
        assert room.path().count("FAIL") == 1, "the history has it"


async def edit(room, index, source):
    await room.run.world.notebook.flush()
    notebook = nbformat.read(room.file, as_version=4)
    notebook.cells[index].source = source
    nbformat.write(notebook, room.file)


@pytest.mark.parametrize("command", ["retry", "restart", "reset"])
async def test_c6_a_cell_that_the_person_changed_is_theirs_and_stays(tmp_path, command):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        await failed(room)
        await edit(room, 3, "my own words")
        await room.command(command)
        await room.to_rest()
        found = await room.sources()
        assert found.count("my own words") == 1
        assert found.count("two") == (0 if command == "reset" else 1)
        assert any("because a person has changed them" in text for text in room.warnings())


async def test_c6_reset_takes_the_cells_away_and_rests(tmp_path):
    (tmp_path / "run.ipynb").write_text(
        nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("mine")]))
    )
    async with lab(tmp_path) as room:
        play(room, [say("report")])
        await room.go()
        assert (room.state, await room.sources()) == ("workflow_completed", ["mine", "report"])
        await room.command("reset")
        view = room.run.view()
        assert (view.state, view.status, view.allowed_commands) == (
            "idle",
            "cancelled",
            ["restart"],
        )
        assert await room.sources() == ["mine"]
        for refused in ("resume", "step"):
            with pytest.raises(IllegalCommandError):
                await room.command(refused)
        play(room, [say("report")])
        await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["mine", "report"]


async def test_c6_the_failed_attempt_stays_until_there_is_another(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        await failed(room)
        room.planner.on("generating", Reply(400), times=1)
        await room.command("retry")
        await room.to_rest()
        assert room.state == "error"
        assert "1 / 0" in await room.sources(), "nothing came in its place"
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["## First", "one", "## Second", "two", "good = 1"]


async def test_c6_what_landed_before_a_broken_stream_is_not_done_again(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("one"), say("two")])
        room.planner.on("generating", Stream({"action": say("one")}, CUT), times=1)
        await room.go()
        assert (room.state, await room.sources()) == ("error", ["one"])
        first = (await room.cells())[0].id
        await room.command("retry")
        await room.to_rest()
        assert await room.sources() == ["one", "two"]
        assert (await room.cells())[0].id == first


async def test_c6_the_planner_sees_the_failed_cells_when_it_is_to_repair_them(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        await failed(room)
        hold = asyncio.Event()
        room.planner.on("generating", Stream(hold, {"action": say("repaired")}), times=1)
        await room.command("debug")
        await asyncio.sleep(0)
        assert "1 / 0" in await room.sources()
        hold.set()
        await room.to_rest()
        assert await room.sources() == ["## First", "one", "repaired"]
