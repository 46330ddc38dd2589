"""A1-A15: what each action leaves in the notebook, through the planner service and the kernel."""

import nbformat

from notebook_bcc_ext.protocol.browser.facts import ThinkingChanged
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY, fingerprint
from tests.engine.harness import lab
from tests.support.planner_answers import RUN, add, say


def play(room, *actions, step="read"):
    room.planner.step(step, behaviors=[list(actions)])


def contexts(room, path="/planning"):
    return [seen.body["observation"]["context"] for seen in room.planner.seen(path)]


def effects_told(room):
    """What the planner was told of the outputs when the behavior was over."""
    told = [s for s in room.planner.requests if s.is_feedback]
    return told[-1].body["observation"]["context"]["effects"]["current"]


async def finished(room):
    await room.go()
    assert room.state == "workflow_completed", room.run.view().error
    return await room.cells()


async def test_a1_add_in_every_spelling(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            {"action": "add", "content": "default"},
            {"action": "add", "shot_type": "observation", "content": "observation"},
            {"action": "add", "shot_type": "markdown", "content": "markdown"},
            {"type": "add", "shotType": "action", "content": "code_1 = 1"},
            {"action": "add-text", "content": "add-text"},
            {"action": "add_content", "content_type": "text", "content": "text"},
            {"action": "add_content", "contentType": "code", "content": "code_2 = 2"},
        )
        cells = await finished(room)
        assert [(cell.cell_type, cell.source) for cell in cells] == [
            ("markdown", "default"),
            ("markdown", "observation"),
            ("markdown", "markdown"),
            ("code", "code_1 = 1"),
            ("markdown", "add-text"),
            ("markdown", "text"),
            ("code", "code_2 = 2"),
        ]
        assert room.run.view().counts.cells_added == 7


async def test_a2_exec_names_its_cell_in_every_way(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            add("print('first')", store_id="one"),
            say("a text cell between them"),
            {"action": "execute_code", "codecellId": "lastAddedCellId"},
            add("print('second')"),
            {"action": "exec", "codecell_id": "one"},
            {"action": "exec", "codecell_id": "lastAddedCellId", "need_output": False},
        )
        cells = await finished(room)
        assert [cell.get("execution_count") for cell in cells] == [2, None, 3]
        assert [cell.outputs[0]["text"] for cell in (cells[0], cells[2])] == ["first\n", "second\n"]
        assert effects_told(room) == ["first", "first"], (
            "need_output false keeps it in the cell only"
        )
        assert room.run.view().counts.cells_executed == 3


async def test_a2_exec_without_a_code_cell_says_so(tmp_path):
    async with lab(tmp_path) as room:
        play(room, say("text"), RUN)
        await room.go()
        assert room.state == "error"
        assert "no code cell has been added yet" in room.run.view().error.message


async def test_a2_a_cell_of_text_is_not_run_and_nobody_is_asked(tmp_path):
    async with lab(tmp_path, request={"approval": "code"}) as room:
        play(room, say("text", store_id="intro"), {"action": "exec", "codecell_id": "intro"})
        await room.go()
        await room.answer("confirm")  # the behavior, not the cell
        assert room.state == "error"
        assert room.run.view().error.message == (
            "cell 'intro' is a markdown cell, so it was not run: name a code cell"
        )
        assert room.run.view().counts.cells_executed == 0


async def test_a3_a4_thinking(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            {
                "action": "is_thinking",
                "agentName": "Ada",
                "customText": "Now:",
                "thinking_text": "which columns?",
                "textArray": ["one", "two"],
            },
            say("between"),
            {"action": "finish_thinking"},
            {"action": "is_thinking", "thinking_text": "again"},
            {"action": "is_thinking", "thinking_text": "and again"},
            {"action": "finish_thinking"},
            {"action": "finish_thinking"},
        )
        first, _, second, third = await finished(room)
        assert first.source == "> 💭 **Ada**\n> Now:\n> which columns?\n> one\n> two"
        assert first.metadata["agent_name"] == "Ada"
        assert first.metadata["thinking_text"] == "which columns?"
        for cell in (first, second, third):
            assert cell.cell_type == "markdown"
            assert cell.metadata["finished_thinking"] is True
            assert cell.metadata["jupyter"] == {"source_hidden": True}
        shown = [fact.active for fact in room.events.of(ThinkingChanged)]
        assert shown == [True, False, True, False, True, False]
        assert room.events.of(ThinkingChanged)[0].agent_name == "Ada"


async def test_a3_a_thinking_cell_is_finished_with_its_behavior(tmp_path):
    async with lab(tmp_path) as room:
        play(room, {"action": "is_thinking"})
        [cell] = await finished(room)
        assert cell.metadata["finished_thinking"] is True
        assert cell.source == "> 💭 …"
        assert [fact.active for fact in room.events.of(ThinkingChanged)] == [True, False]


async def test_a5_a6_chapters_and_sections_count_and_move_the_progress(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            {"action": "new_chapter", "content": "Data"},
            {"action": "new_section", "content": "## Types"},
            {"action": "add_section", "content": "Gaps"},
            {"action": "new_chapter", "content": "## Model"},
            {
                "action": "new_section",
                "content": "Fit",
                "metadata": {"section_id": "fit", "sectionNumber": 7},
            },
            say("### By add", metadata={"is_section": True}),
        )
        cells = await finished(room)
        assert [cell.source for cell in cells] == [
            "## Data",
            "### Types",
            "### Gaps",
            "## Model",
            "### Fit",
            "### By add",
        ]
        told = [
            (
                m.get("chapter_id") or m.get("section_id"),
                m.get("chapter_number") or m.get("section_number"),
            )
            for m in (cell.metadata for cell in cells)
        ]
        assert told == [
            ("chapter-1", 1),
            ("section-1", 1),
            ("section-2", 2),
            ("chapter-2", 2),
            ("fit", 7),
            ("section-8", 8),
        ]
        assert [("is_chapter" in c.metadata, "is_section" in c.metadata) for c in cells[:2]] == [
            (True, False),
            (False, True),
        ]
        assert room.feedback()[0]["sections_added"] == 4
        assert contexts(room)[-1]["section_progress"] == {
            "current_section_id": "section-8",
            "current_section_number": 8,
            "completed_sections": ["section-1", "section-2", "fit"],
            "all": [],
        }


async def test_a7_title_in_the_metadata_and_the_first_heading(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            say("text"),
            {"action": "update_title", "title": "Update the title of the notebook: # Houses"},
            {"action": "update_title", "content": "Houses, again"},
        )
        cells = await finished(room)
        assert [cell.source for cell in cells] == ["# Houses, again", "text"]
        assert nbformat.read(room.file, as_version=4).metadata["title"] == "Houses, again"
        assert contexts(room)[-1]["notebook"]["title"] == "Houses, again"


async def test_a10_end_phase_skips_the_rest_and_the_feedback_is_still_made(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        play(room, say("one"), {"action": "end_phase", "step_id": "read"}, say("never"), RUN)
        room.planner.on(
            "planning",
            {"targetAchieved": False, "transition": {"continue_behaviors": True}},
            is_feedback=True,
            step="read",
        )
        play(room, say("two"), {"action": "end_phase"}, step="check")
        cells = await finished(room)
        assert [cell.source for cell in cells] == ["one", "two"]
        assert room.feedback()[0] == {
            "behavior_id": "behavior_001",
            "actions_executed": 2,
            "actions_succeeded": 2,
            "sections_added": 0,
            "last_action_result": "success",
            "lines_skipped": 2,
        }
        assert [w for w in room.warnings() if "after end_phase was skipped" in w] == [
            "the step has ended; action 'add' after end_phase was skipped",
            "the step has ended; action 'exec' after end_phase was skipped",
        ]
        path = room.path()
        ended = path.index("COMPLETE_BEHAVIOR")
        assert path[ended : ended + 3] == ["COMPLETE_BEHAVIOR", "COMPLETE_STEP", "NEXT_STEP"]


async def test_a10_a_foreign_step_is_an_error(tmp_path):
    async with lab(tmp_path) as room:
        play(room, {"action": "end_phase", "stepId": "elsewhere"})
        await room.go()
        assert room.state == "error"
        assert "end_phase names step 'elsewhere' but the current step is 'read'" in (
            room.run.view().error.message
        )


async def test_a11_next_event_reaches_hooks_and_listeners(tmp_path):
    async with lab(tmp_path) as room:
        heard = []
        registry = room.run.world.registry
        registry.after(
            lambda context, action, result: heard.append(action.event_type), "next_event"
        )
        play(room, {"action": "next_event", "eventType": "data_ready", "payload": {"rows": 3}})
        await finished(room)
        assert heard == ["data_ready"]
        [event] = room.events.said("next_event")
        assert (event["event_type"], event["payload"]) == ("data_ready", {"rows": 3})


async def test_a12_the_actions_the_product_grew(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            {"action": "new_step", "content": "Look"},
            add("print('41 rows')"),
            RUN,
            {"action": "is_thinking", "agent_name": "Ada"},
            {"action": "set_effect_as_thinking"},
            {"action": "finish_thinking"},
            {"action": "comment_result", "content": "Not many."},
            say("draft"),
            {"action": "update_last_text", "content": "final"},
        )
        cells = await finished(room)
        assert [cell.source for cell in cells] == [
            "#### Look",
            "print('41 rows')",
            "> 💭 **Ada**\n> 41 rows",
            "Not many.",
            "final",
        ]
        assert cells[0].metadata["is_step"] is True
        assert cells[2].metadata["thinking_text"] == "41 rows"
        feedback = next(s for s in room.planner.requests if s.is_feedback)
        assert feedback.body["observation"]["context"]["effects"] == {
            "current": [],
            "history": ["41 rows"],
            "cells": {"current": [], "history": [cells[1].id]},
        }


async def test_a12_without_anything_to_change_they_add_it_and_say_so(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            {"action": "update_last_text", "content": "x"},
            {"action": "set_effect_as_thinking"},
        )
        await finished(room)
        assert room.feedback()[0]["actions_succeeded"] == 2
        assert effects_told(room) == [
            "⚠️ WARN: update_last_text: the run had no text yet, so a new cell has it",
            "⚠️ WARN: set_effect_as_thinking: no thinking cell was open, so a new one was made",
        ]


async def test_a13_content_is_cleaned_on_its_way_into_cells(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            say("Add text to the notebook:  hello \n"),
            add("Add code to the notebook and run it:\n```python\nx = 1\n```\n"),
            say("```python\nkept\n```"),
        )
        assert [cell.source for cell in await finished(room)] == [
            "hello",
            "x = 1",
            "```python\nkept\n```",
        ]


async def test_a14_store_ids_become_cell_ids_and_keep_naming_their_cells(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            add("print('plain')", store_id="load-data"),
            add("print('not valid')", storeId="load data / 数据 #1"),
            add("print('twice')", store_id="load-data"),
            add("print('long')", store_id="x" * 100),
            {"action": "exec", "codecell_id": "load data / 数据 #1"},
            {"action": "exec", "codecell_id": "x" * 100},
            {"action": "exec", "codecell_id": "load-data"},
        )
        cells = await finished(room)
        assert (cells[0].id, cells[1].id, cells[3].id) == ("load-data", "load-data-1", "x" * 64)
        assert cells[2].id.startswith("load-data-")
        assert len({cell.id for cell in cells}) == 4
        counts = [cell.execution_count for cell in cells]
        assert counts == [None, 1, 3, 2], "a name used twice means the later cell"


async def test_a15_provenance_and_metadata(tmp_path):
    async with lab(tmp_path, {"load": ["read"]}) as room:
        room.planner.step(
            "read",
            behaviors=[
                [
                    add(
                        "1/0",
                        metadata={
                            "trusted": True,
                            "notebook_bcc": {"run": "forged"},
                            "tags": ["t"],
                            "isStep": True,
                            "chapterId": "c-9",
                            "extra": {"mine": 1},
                        },
                    )
                ],
                [RUN, say("two")],
            ],
        )
        room.run.world.settings = room.run.world.settings.model_copy(
            update={"on_action_error": "continue"}
        )
        cells = await finished(room)
        where = {"run": "run-1", "stage": "load", "step": "read"}
        first = dict(cells[0].metadata)
        assert first.pop(METADATA_KEY) == {
            **where,
            "behavior": "behavior_001",
            "iteration": 1,
            "action": "action-1",
            "cell": cells[0].id,
            "written": fingerprint("code", cells[0].source),
            "debug": True,
        }, "a failed cell offers Debug and still tells who wrote it"
        assert first == {
            "is_step": True,
            "chapter_id": "c-9",
            "extra": {"trusted": True, "notebook_bcc": {"run": "forged"}, "tags": ["t"], "mine": 1},
        }
        assert cells[1].metadata[METADATA_KEY] == {
            **where,
            "behavior": "behavior_002",
            "iteration": 2,
            "action": "action-3",
            "cell": cells[1].id,
            "written": fingerprint("markdown", "two"),
        }


async def test_a15_a_planner_cannot_make_a_cell_trusted(tmp_path):
    async with lab(tmp_path) as room:
        play(
            room,
            add("x", metadata={"trusted": True}),
            {"action": "new_section", "content": "S", "metadata": {"trusted": True}},
        )
        await finished(room)
        # Trust never reaches a file; an open tab would see it.
        live = room.run.world.notebook.recent_cells(2)
        assert [cell["metadata"].get("trusted") for cell in live] == [None, None]
        assert [cell["metadata"]["extra"] for cell in live] == [{"trusted": True}] * 2
