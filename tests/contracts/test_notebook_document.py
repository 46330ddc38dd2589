"""The contract of `NotebookDocument`, on every kind of contents manager and on the fake."""

from __future__ import annotations

import pytest

from notebook_bcc_ext.ports import NewCell
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY, ChangeOutputs
from tests.support.cells import insert, show
from tests.support.notebook_worlds import MANAGERS, ContentsWorld, FakeWorld, stream

pytestmark = pytest.mark.contract


@pytest.fixture(params=["fake", *MANAGERS])
def world(request, tmp_path, monkeypatch, jp_asyncio_loop):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    made = FakeWorld() if request.param == "fake" else ContentsWorld(request.param, tmp_path)
    yield made
    jp_asyncio_loop.run_until_complete(made.stop())


async def text(document, cell_id):
    found = await document.text_of(cell_id)
    return found and found[:2]


MARK = {"run": "r", "action": "action-1"}


def written(source, cell_type="markdown", action=1, run="r"):
    """A cell as an action of a run writes it."""
    mark = {"run": run, "action": f"action-{action}"}
    return NewCell(cell_type, source, {METADATA_KEY: mark})


def sources(notebook):
    return [cell["source"] for cell in notebook["cells"]]


async def test_a_missing_notebook_is_made_with_its_kernel(world):
    document = await world.document()
    await document.flush()
    notebook = await world.read()
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["cells"] == []
    assert document.path == "a.ipynb"
    assert document.notebook_metadata()["kernelspec"]["name"] == "python3"
    assert document.summary().cell_count == 0
    assert document.summary().last_cell_type is None


async def test_cells_follow_each_other(world):
    document = await world.document()
    for number in range(5):
        await insert(document, NewCell("markdown", f"text {number}"))
    await document.flush()
    assert sources(await world.read()) == [f"text {number}" for number in range(5)]


async def test_a_heading_that_comes_late_does_not_move_the_place_to_write(world):
    document = await world.document()
    await insert(document, written("first"))
    await document.set_title("title", MARK)
    await insert(document, written("second"))
    await document.flush()
    assert sources(await world.read()) == ["# title", "first", "second"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("load-data_1", "load-data_1"), ("load data!", "load-data"), ("x" * 80, "x" * 64)],
)
async def test_the_wanted_id_is_made_valid(world, wanted, expected):
    document = await world.document()
    assert await insert(document, NewCell("code", "1", wanted_id=wanted)) == expected
    await document.flush()
    assert (await world.read())["cells"][0]["id"] == expected


async def test_ids_are_unique(world):
    document = await world.document()
    wanted = ["a", "a", "", "数据"]
    ids = [await insert(document, NewCell("code", "1", wanted_id=one)) for one in wanted]
    ids += [await insert(document, NewCell("code", "1", wanted_id="y" * 70)) for _ in range(2)]
    await document.flush()
    assert [cell["id"] for cell in (await world.read())["cells"]] == ids
    assert len(set(ids)) == 6


async def test_metadata_is_kept_merged_and_removed(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("markdown", "x", {"is_step": True, "extra": [1]}))
    await document.set_metadata(cell_id, {"is_step": None, "finished_thinking": True})
    await document.flush()
    metadata = (await world.read())["cells"][0]["metadata"]
    assert metadata == {"extra": [1], "finished_thinking": True}


async def test_text_is_replaced_and_read_back_with_its_kind(world):
    document = await world.document()
    cell_id = await insert(document, written("1", "code"))
    assert await document.set_source(cell_id, "2")
    assert await text(document, cell_id) == ("code", "2")
    text_id = await insert(document, NewCell("markdown", "# 1"))
    assert await text(document, text_id) == ("markdown", "# 1")
    await document.stored()
    assert await text(document, text_id) == ("markdown", "# 1")
    assert await document.text_of("no-such-cell") is None


async def test_an_execution_leaves_outputs_and_count(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "print(1)"))
    await document.start_execution(cell_id)
    rich = {"output_type": "display_data", "data": {"text/plain": "fig"}, "metadata": {}}
    await show(
        document,
        ChangeOutputs(cell_id=cell_id, change="append", outputs=[stream("a")]),
        ChangeOutputs(cell_id=cell_id, change="extend", index=0, text="b\n"),
        ChangeOutputs(cell_id=cell_id, change="append", outputs=[stream("gone")]),
    )
    await show(document, ChangeOutputs(cell_id=cell_id, change="replace", index=1, outputs=[rich]))
    document.finish_execution(cell_id, 7)
    await document.flush()
    [cell] = (await world.read())["cells"]
    assert cell["execution_count"] == 7
    assert cell["outputs"] == [stream("ab\n"), rich]
    assert document.summary().last_output.endswith("fig")


async def test_a_second_execution_starts_empty(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "1"))
    for text in ("old", "new"):
        await document.start_execution(cell_id)
        await show(
            document, ChangeOutputs(cell_id=cell_id, change="append", outputs=[stream(text)])
        )
    await document.flush()
    [cell] = (await world.read())["cells"]
    assert (cell["outputs"], cell["execution_count"]) == ([stream("new")], None)


async def test_outputs_can_be_cleared_and_set(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "1"))
    await document.start_execution(cell_id)
    await show(
        document,
        ChangeOutputs(cell_id=cell_id, change="append", outputs=[stream("a")]),
        ChangeOutputs(cell_id=cell_id, change="clear"),
        ChangeOutputs(cell_id=cell_id, change="set", outputs=[stream("b"), stream("c")]),
    )
    await document.flush()
    assert (await world.read())["cells"][0]["outputs"] == [stream("b"), stream("c")]


async def test_the_title_makes_a_heading_once(world):
    document = await world.document()
    await insert(document, written("text"))
    await document.set_title("One", MARK)
    await document.set_title("Two", MARK)
    await document.flush()
    notebook = await world.read()
    assert notebook["metadata"]["title"] == "Two"
    assert sources(notebook) == ["# Two", "text"]
    assert document.summary().title == "Two"


async def test_the_title_changes_only_the_heading_of_its_cell(world):
    document = await world.document()
    await insert(document, written("# Old\n\nIntroduction"))
    await document.set_title("New", MARK)
    await document.flush()
    assert sources(await world.read()) == ["# New\n\nIntroduction"]


async def test_c2_a_persons_heading_and_title_stay_as_they_are(world):
    document = await world.document()
    await insert(document, NewCell("markdown", "# My churn study"))
    await insert(document, written("# Of another run", run="q"))
    await insert(document, NewCell("code", "theirs"))
    await document.flush()
    await world.edit(lambda notebook: notebook["metadata"].update(title="Mine"))
    await insert(document, written("text"))
    await document.set_title("Report", MARK)
    await document.set_title("Data report", MARK)
    await document.flush()
    notebook = await world.read()
    assert sources(notebook) == [
        "# My churn study",
        "# Of another run",
        "theirs",
        "# Data report",
        "text",
    ]
    assert notebook["metadata"]["title"] == "Mine"


async def test_c2_the_heading_comes_first_where_the_run_has_written_nothing_yet(world):
    document = await world.document()
    await insert(document, NewCell("markdown", "# My churn study"))
    await document.set_title("Report", MARK)
    await insert(document, written("text"))
    await document.flush()
    notebook = await world.read()
    assert sources(notebook) == ["# My churn study", "# Report", "text"]
    assert notebook["metadata"]["title"] == "Report"


async def test_c2_a_heading_of_the_runs_that_a_person_edited_is_theirs(world):
    document = await world.document()
    await document.set_title("Report", MARK)
    await document.flush()

    def edit(notebook):
        notebook["cells"][0]["source"] = "# What I make of it"

    await world.edit(edit)
    await document.set_title("Data report", MARK)
    await document.flush()
    notebook = await world.read()
    assert sources(notebook) == ["# What I make of it"]
    assert notebook["metadata"]["title"] == "Report"


async def test_c2_only_what_a_run_wrote_is_written_anew(world):
    document = await world.document()
    own = await insert(document, written("own"))
    theirs = await insert(document, NewCell("markdown", "theirs"))
    await document.flush()

    def copy_and_edit(notebook):
        copied = {**notebook["cells"][0], "id": "a-copy"}
        notebook["cells"].append(copied)

    await world.edit(copy_and_edit)
    assert not await document.set_source(theirs, "changed")
    assert not await document.set_source("a-copy", "changed")
    assert await document.set_source(own, "once")
    assert await document.set_source(own, "twice")
    await document.flush()
    assert sources(await world.read()) == ["twice", "theirs", "own"]


async def test_c6_the_cells_of_an_attempt_go_and_the_next_come_in_their_place(world):
    document = await world.document()
    await insert(document, written("before", action=1))
    gone = [await insert(document, written(f"try {n}", action=n)) for n in (2, 3)]
    edited = await insert(document, written("edited", action=4))
    await insert(document, written("of another run", action=3, run="q"))
    await document.flush()

    def edit(notebook):
        notebook["cells"].append({**notebook["cells"][1], "id": "a-copy"})
        notebook["cells"][3]["source"] = "edited by the person"

    await world.edit(edit)
    removed = await document.remove_cells("r", 1, 4)
    assert (list(removed.gone), list(removed.kept)) == (gone, [edited])
    await insert(document, written("again", action=5))
    await document.flush()
    assert sources(await world.read()) == [
        "before",
        "again",
        "edited by the person",
        "of another run",
        "try 2",
    ]
    assert (await document.remove_cells("r", 1, 4)).gone == [], "done twice, it is done once"


async def test_c6_cells_at_the_top_are_replaced_at_the_top(world):
    document = await world.document()
    await insert(document, written("try"))
    await insert(document, NewCell("markdown", "theirs"))
    await document.flush()
    await document.remove_cells("r", 0, 1)
    await insert(document, written("again", action=2))
    await insert(document, written("and more", action=3))
    await document.flush()
    assert sources(await world.read()) == ["again", "and more", "theirs"]


async def test_the_heading_is_the_title_when_there_is_no_other(world):
    document = await world.document()
    await insert(document, NewCell("markdown", "# A report \n\ntext"))
    await document.stored()
    assert document.summary().title == "A report"


async def test_the_summary_follows_each_change(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "1"))
    await document.start_execution(cell_id)
    error = {"output_type": "error", "ename": "E", "evalue": "why", "traceback": []}
    shown = ChangeOutputs(cell_id=cell_id, change="append", outputs=[error])
    await show(document, shown)
    await insert(document, NewCell("markdown", "text"))
    await document.stored()
    summary = document.summary()
    assert (summary.cell_count, summary.last_cell_type) == (2, "markdown")
    assert summary.last_output == "E: why"


async def test_recent_cells_are_the_latest_in_order(world):
    document = await world.document()
    for number in range(6):
        await insert(document, NewCell("markdown", str(number)))
    await document.stored()
    assert [cell["source"] for cell in document.recent_cells(3)] == ["3", "4", "5"]
    assert document.recent_cells(0) == []
    assert len(document.recent_cells(100)) == 6


async def test_what_is_posted_is_told_once_it_is_stored(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "1"))
    assert await text(document, cell_id) == ("code", "1")
    await document.start_execution(cell_id)
    printed = {"output_type": "stream", "name": "stdout", "text": "1"}
    document.post_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[printed])])
    document.finish_execution(cell_id, 1)
    await document.stored()
    assert document.summary().last_output == "1"
    [cell] = document.recent_cells(1)
    assert (cell["source"], cell["execution_count"]) == ("1", 1)


async def test_what_a_person_edits_is_seen_and_kept(world):
    document = await world.document()
    cell_id = await insert(document, NewCell("code", "ours"))
    await document.flush()

    def edit(notebook):
        notebook["cells"][0]["source"] = "theirs"

    await world.edit(edit)
    assert await text(document, cell_id) == ("code", "theirs")
    await insert(document, NewCell("code", "next"))
    await document.flush()
    assert sources(await world.read()) == ["theirs", "next"]


async def test_a_cell_a_person_deleted_stays_deleted(world):
    document = await world.document()
    first = await insert(document, NewCell("code", "first"))
    await insert(document, NewCell("code", "second"))
    await document.flush()

    def delete(notebook):
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != first]

    await world.edit(delete)
    assert await document.text_of(first) is None
    await document.set_source(first, "changed")
    await document.start_execution(first)
    document.finish_execution(first, 1)
    await insert(document, NewCell("code", "third"))
    await document.flush()
    assert sources(await world.read()) == ["second", "third"]


async def test_writing_goes_on_at_the_end_when_the_last_cell_is_gone(world):
    document = await world.document()
    ours = await insert(document, NewCell("code", "ours"))
    await document.flush()

    def rearrange(notebook):
        notebook["cells"] = [
            {"id": name, "cell_type": "markdown", "metadata": {}, "source": name}
            for name in ("x", "y")
        ]

    await world.edit(rearrange)
    await insert(document, NewCell("code", "next"))
    await document.flush()
    assert sources(await world.read()) == ["x", "y", "next"]
    assert await document.text_of(ours) is None


async def test_writing_goes_on_after_the_last_cell_wherever_it_is(world):
    document = await world.document()
    await insert(document, NewCell("code", "ours"))
    await document.flush()

    def append(notebook):
        notebook["cells"].append(
            {"id": "theirs", "cell_type": "markdown", "metadata": {}, "source": "theirs"}
        )

    await world.edit(append)
    await insert(document, NewCell("code", "next"))
    await document.flush()
    assert sources(await world.read()) == ["ours", "next", "theirs"]
