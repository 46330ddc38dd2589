"""N1: a run changes nothing in the notebook that it did not write."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.engine.harness import lab
from tests.support.planner_answers import RUN, add, say

THEIRS = [
    new_markdown_cell("# My churn study\n\nwhat I know so far"),
    new_code_cell("1 / 0", outputs=[new_output("stream", text="mine")], metadata={"tags": ["t"]}),
    new_markdown_cell("notes"),
]


def persons_notebook(folder, **metadata):
    notebook = new_notebook(cells=THEIRS, metadata=metadata)
    (folder / "run.ipynb").write_text(nbformat.writes(notebook))
    return [cell.id for cell in notebook.cells]


@pytest.mark.parametrize("title", [None, "Mine"])
async def test_c2_n1_a_title_is_a_heading_of_the_runs_own(tmp_path, title):
    kernelspec = {"name": "python3", "display_name": "My kernel"}
    persons_notebook(tmp_path, kernelspec=kernelspec, **({"title": title} if title else {}))
    async with lab(tmp_path) as room:
        play = [say("text"), {"action": "update_title", "title": "Data report"}, say("more")]
        room.planner.step("read", behaviors=[play, [{"action": "update_title", "title": "End"}]])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        cells = await room.cells()
        assert [cell.source for cell in cells[3:]] == ["# End", "text", "more"]
        assert cells[:3] == THEIRS
        notebook = nbformat.read(room.file, as_version=4)
        assert notebook.metadata.get("title") == (title or "End")
        assert notebook.metadata.kernelspec == kernelspec


async def test_n1_a_persons_cell_that_is_run_keeps_all_but_its_outputs(tmp_path):
    ids = persons_notebook(tmp_path)
    async with lab(tmp_path, on_action_error="continue") as room:
        run = {"action": "exec", "codecell_id": ids[1], "keep_debug_button_visible": True}
        room.planner.step("read", behaviors=[[run]])
        await room.go()
        cell = (await room.cells())[1]
        assert (cell.source, cell.metadata) == (THEIRS[1].source, {"tags": ["t"]})
        assert cell.outputs[0].ename == "ZeroDivisionError"


@pytest.mark.parametrize(
    "last",
    [
        {"action": "update_last_text", "content": "new"},
        {"action": "set_effect_as_thinking", "thinking_text": "new"},
        {"action": "finish_thinking"},
        {"action": "update_title", "title": "new"},
    ],
)
async def test_n1_what_a_person_made_of_a_cell_of_the_run_stays(tmp_path, last):
    thinking = {"action": "is_thinking", "thinking_text": "hm"}
    title = {"action": "update_title", "title": "old"}
    async with lab(tmp_path, max_execution_steps=2) as room:
        room.planner.step("read", behaviors=[[title, thinking, last]])
        await room.go()
        await room.run.world.notebook.flush()
        notebook = nbformat.read(room.file, as_version=4)
        for number, cell in enumerate(notebook.cells):
            cell.source = f"# words of the person {number}"
        nbformat.write(notebook, room.file)
        await room.command("resume")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        cells = await room.cells()
        assert [cell.source for cell in cells[:2]] == [
            "# words of the person 0",
            "# words of the person 1",
        ]
        assert "source_hidden" not in cells[1].metadata.get("jupyter", {})
        added = ["new"] if last["action"] == "update_last_text" else []
        assert [cell.source for cell in cells[2:]] == added, "the planner's text is not lost"


async def test_n1_a_cell_of_the_runs_that_failed_is_marked_and_unmarked(tmp_path):
    async with lab(tmp_path, on_action_error="continue") as room:
        room.planner.step("read", behaviors=[[add("assert ok", store_id="c"), RUN]])
        await room.go()
        assert (await room.cells())[0].metadata.notebook_bcc.debug
