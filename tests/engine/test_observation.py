"""O1-O8, O12, P2, P5, P6: what the planner is really sent, and what its answers change in it."""

from notebook_bcc_ext.observation.budget import size_of
from tests.engine.harness import lab
from tests.engine.sent import CONTINUE, PLAN, completed, context, feedbacks, observed, progress
from tests.support.planner_answers import RUN, add, say


async def test_o1_o2_o3_p2_the_location_at_every_call(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        room.planner.step("read", behaviors=[[say("x"), add("raw = 1"), RUN], [say("y")]])
        room.planner.step("fit", behaviors=[[say("z")]])
        await completed(room)
        for seen in room.planner.requests:
            assert set(seen.body) <= {"observation", "behavior_feedback", "options"}
            assert seen.body["options"] == {"stream": seen.path == "/generating"}
            assert set(observed(seen)) == {"location", "context"}
            assert set(progress(seen)) == {"stages", "steps", "behaviors"}
            for level in progress(seen).values():
                assert {"completed", "current", "remaining", "focus", "current_outputs"} <= set(
                    level
                )
                assert set(level["current_outputs"]) == {"expected", "produced", "in_progress"}
        second = room.planner.seen("/generating")[1]
        assert observed(second)["location"]["current"] == {
            "stage_id": "load",
            "step_id": "read",
            "behavior_id": "behavior_002",
            "behavior_iteration": 2,
        }
        assert observed(second)["location"]["goals"] == {
            "stage": "load it",
            "step": "read it",
            "behavior": None,
        }
        assert progress(second)["stages"]["remaining"] == ["model"]
        assert progress(second)["steps"]["remaining"] == ["check"]
        assert progress(second)["behaviors"]["iteration"] == 2
        [done] = progress(second)["behaviors"]["completed"]
        assert done["behavior_id"] == "behavior_001"
        assert done["actions_taken"] == ["add: x", "add: raw = 1", "exec"]
        last = room.planner.requests[-1]
        assert [(s["stage_id"], s["goal"]) for s in progress(last)["stages"]["completed"]] == [
            ("load", "load it"),
            ("model", "model it"),
        ]
        assert progress(last)["stages"]["completed"][0]["actions_taken"] == ["read", "check"]


async def test_o4_o5_variables_are_the_kernels_and_effects_are_what_was_printed(tmp_path):
    code = """
import math
import numpy as np
class Broken:
    def __repr__(self): raise RuntimeError('no')
def helper(): pass
x, name, rows, _hidden = 1, 'houses', [1, 2], 5
table, broken = np.zeros((3, 4)), Broken()
print('shape', table.shape)
x
"""
    async with lab(tmp_path, request={"variables": {"language": "en"}}) as room:
        room.planner.on(
            "planning",
            {"targetAchieved": False, "context_update": {"variables": {"x": "claimed"}}},
            state="STAGE_RUNNING",
        )
        room.planner.step("read", behaviors=[[add(code), RUN], [add("del x\nprint('gone')"), RUN]])
        await completed(room)
        assert context(room.planner.seen("/generating")[0])["variables"] == {
            "x": "claimed",
            "language": "en",
        }
        first, second = (context(seen) for seen in feedbacks(room))
        told = first["variables"]
        assert (told["x"], told["name"], told["rows"], told["language"]) == (
            1,
            "houses",
            [1, 2],
            "en",
        )
        assert told["table"] == "ndarray(3, 4) float64"
        assert "broken" in told
        assert not {"math", "np", "helper", "Broken", "_hidden"} & set(told)
        one, two = (cell.id for cell in await room.cells())
        assert first["effects"] == {
            "current": ["shape (3, 4)\n1"],
            "history": [],
            "cells": {"current": [one], "history": []},
        }
        assert second["effects"] == {
            "current": ["gone"],
            "history": ["shape (3, 4)\n1"],
            "cells": {"current": [two], "history": [one]},
        }
        assert second["variables"]["x"] == "claimed", "only the planner's own is left"
        cells = await room.cells()
        assert [cell.execution_count for cell in cells] == [1, 2], "looking consumes no number"


async def test_o4_the_kernel_wins_over_what_the_person_said_which_is_told_beside_it(tmp_path):
    request = {"variables": {"target": "price", "language": "en"}}
    async with lab(tmp_path, request=request) as room:
        room.planner.step("read", behaviors=[[add("target = [1, 2]"), RUN]])
        await completed(room)
        before = context(room.planner.seen("/generating")[0])
        assert before["variables"]["target"] == "price"
        assert "inputs" not in before
        [after] = (context(seen) for seen in feedbacks(room))
        assert after["variables"]["target"] == [1, 2]
        assert after["inputs"] == {"target": "price"}


async def test_o6_the_notebook_in_short_and_in_full(tmp_path):
    title = {"action": "update_title", "title": "Houses"}
    for shape in ("summary", "full"):
        folder = tmp_path / shape
        folder.mkdir()
        async with lab(folder, notebook_cells=shape, notebook_cells_limit=2) as room:
            room.planner.step(
                "read", behaviors=[[title, say("a"), say("b"), add("print(42)"), RUN]]
            )
            await completed(room)
            told = context(room.planner.requests[-1])["notebook"]
            cells, metadata = told.pop("cells", None), told.pop("metadata", None)
            assert told == {"title": "Houses", "cell_count": 4, "last_cell_type": "code"}
            if shape == "summary":
                assert (cells, metadata) == (None, None)
            else:
                assert [cell["source"] for cell in cells] == ["b", "print(42)"]
                assert metadata["title"] == "Houses"


async def test_o6_the_output_of_the_cell_that_has_just_ended_is_told(tmp_path):
    quiet = {**RUN, "need_output": False}
    cells = [[add(f"print({number})"), quiet] for number in range(8)]
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=cells)
        await completed(room)
        told = [context(seen)["notebook"] for seen in feedbacks(room)]
        assert [notebook["last_output"] for notebook in told] == [f"{n}" for n in range(8)]
        assert [notebook["cell_count"] for notebook in told] == list(range(1, 9))


async def test_o7_o12_the_machine_its_bounded_history_and_the_size_of_it_all(tmp_path):
    async with lab(tmp_path, fsm_history_shown=3) as room:
        room.planner.step("read", behaviors=[[say("x"), say("y")], [say("z")]])
        await completed(room)
        first, last = (context(room.planner.requests[n])["FSM"] for n in (0, -1))
        assert first["state"] == "IDLE"
        assert (first["history"], first["transition"]) == ([], [])
        assert last["state"] == "STAGE_COMPLETED"
        assert last["last_transition"] == "COMPLETE_STAGE -> STAGE_COMPLETED"
        assert [entry["event"] for entry in last["history"]] == [
            "COMPLETE_BEHAVIOR",
            "COMPLETE_STEP",
            "COMPLETE_STAGE",
        ]
        assert set(last["history"][0]) == {"from", "event", "to", "timestamp"}
        assert last["transition"][-1] == "COMPLETE_STAGE -> STAGE_COMPLETED"
        assert last["timestamp"].endswith("Z")
        assert all(len(seen.raw) < 3800 for seen in room.planner.requests)


async def test_p6_o8_every_kind_of_update_is_applied_before_the_next_call(tmp_path):
    start = {
        "variables": {"mood": "calm", "seen": 1},
        "todo_list_update": {"operation": "add", "items": ["plot", "fit", "plot"]},
        "section_progress": {
            "current_section_id": "s2",
            "current_section_number": 2,
            "completed_sections": ["s1"],
            "all": ["s1", "s2", "s3"],
        },
        "workflow_progress": {"percent": 40},
        "progress_update": [
            {"level": "steps", "focus": ["look", "closely"]},
            {"level": "behaviors", "focus": "columns"},
        ],
        "effects_update": {"current": ["planner's note"], "history": ["old note"]},
        "outputs": {"expected": ["df"], "in_progress": ["tmp"]},
    }
    after = {
        "variables": {"seen": 2},
        "todo_list_update": {"operation": "remove", "items": ["plot"]},
        "progress_update": {"level": "behaviors", "focus": "rows"},
        "outputs": {"expected": ["fit"]},
    }
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add("df = 1"), RUN], [say("y")], [say("z")]])
        room.planner.on(
            "planning", {"targetAchieved": False, "context_update": start}, state="STEP_RUNNING"
        )
        room.planner.on("planning", {**CONTINUE, "context_update": after}, is_feedback=True)
        room.planner.on(
            "planning",
            {
                **CONTINUE,
                "context_update": {
                    "todo_list_update": {"operation": "replace", "items": ["write"]},
                },
            },
            is_feedback=True,
        )
        await completed(room)
        first, second, third = room.planner.seen("/generating")
        told = context(first)
        assert (told["variables"]["mood"], told["variables"]["seen"]) == ("calm", 1)
        assert told["toDoList"] == ["plot", "fit"]
        assert told["section_progress"] == start["section_progress"]
        assert told["workflow_progress"] == {"percent": 40}
        assert told["effects"] == {"current": ["planner's note"], "history": ["old note"]}
        assert progress(first)["steps"]["focus"] == "look\nclosely"
        assert progress(first)["behaviors"]["focus"] == "columns"
        assert progress(first)["behaviors"]["current_outputs"] == {
            "expected": ["df"],
            "produced": [],
            "in_progress": ["tmp"],
        }
        told = context(second)
        assert (told["variables"]["mood"], told["variables"]["seen"]) == ("calm", 2)
        assert told["toDoList"] == ["fit"]
        assert progress(second)["behaviors"]["focus"] == "rows"
        assert progress(second)["steps"]["focus"] == "look\nclosely"
        assert progress(second)["behaviors"]["current_outputs"]["expected"] == ["fit"]
        assert context(third)["toDoList"] == ["write"]
        assert progress(third)["behaviors"]["focus"] == "", "a focus ends with its behavior"


async def test_p6_a_focus_set_on_the_way_in_is_there_when_the_level_begins(tmp_path):
    async with lab(tmp_path, PLAN) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "context_update": {
                    "workflow_update": PLAN,
                    "progress_update": {"level": "stages", "focus": "the file"},
                },
            },
            state="IDLE",
        )
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "context_update": {
                    "progress_update": {"level": "steps", "focus": "the header"},
                },
            },
            state="STAGE_RUNNING",
            times=1,
        )
        await completed(room)
        [generating] = room.planner.seen("/generating")
        assert progress(generating)["stages"]["focus"] == "the file"
        assert progress(generating)["steps"]["focus"] == "the header"
        last = room.planner.requests[-1]
        assert progress(last)["steps"]["focus"] == ""


async def test_p5_the_counts_are_true(tmp_path):
    async with lab(tmp_path, on_action_error="continue") as room:
        room.planner.step(
            "read",
            behaviors=[
                [
                    {"action": "new_section", "content": "A"},
                    {"action": "new_chapter", "content": "B"},
                    {"action": "nonsense"},
                    {"action": "add"},
                    add("1/0"),
                    RUN,
                ],
                [say("x")],
            ],
        )
        await completed(room)
        assert room.feedback() == [
            {
                "behavior_id": "behavior_001",
                "actions_executed": 5,
                "actions_succeeded": 3,
                "sections_added": 1,
                "lines_skipped": 1,
                "last_action_result": "error: ZeroDivisionError: division by zero",
            },
            {
                "behavior_id": "behavior_002",
                "actions_executed": 1,
                "actions_succeeded": 1,
                "sections_added": 0,
                "last_action_result": "success",
            },
        ]


async def test_o12_the_budget_holds_for_every_observation_of_a_run(tmp_path):
    code = """
for n in range(300):
    globals()[f'value_{n}'] = 'y' * 40
print('x' * 3500)
"""
    essay = {"level": "steps", "focus": "look " * 4000}
    start = {"targetAchieved": False, "context_update": {"progress_update": essay}}
    only = {"variables_to_include": ["value_7"], "effects_config": {"include_history": False}}
    async with lab(tmp_path, PLAN, notebook_cells="full") as room:
        room.planner.step("read", behaviors=[[add(code), RUN]] * 6)
        room.planner.on("planning", start, state="STEP_RUNNING", step="read")
        for _ in range(4):
            room.planner.on("planning", CONTINUE, is_feedback=True)
        room.planner.on("planning", {**CONTINUE, "context_filter": only}, is_feedback=True)
        await completed(room)
        sizes = [size_of(observed(seen)) for seen in room.planner.requests]
        assert max(sizes) <= 12 * 1024
        *_, unfiltered, filtered = (
            size_of(observed(seen)) for seen in room.planner.seen("/generating")
        )
        assert filtered < unfiltered
        left_out = context(feedbacks(room)[-1])["left_out"]
        assert left_out["variables"] > 0
        assert left_out["effects"] > 0
        assert size_of((await room.run.observation()).to_wire()) <= 12 * 1024


async def test_o6_cells_are_told_when_the_planner_asks_for_them(tmp_path):
    asks = {**CONTINUE, "context_filter": {"notebook": {"cells": 2}}}
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("a"), say("b"), say("c")], [say("d")]])
        room.planner.on("planning", asks, is_feedback=True)
        await completed(room)
        first, second = (context(s)["notebook"] for s in room.planner.seen("/generating"))
        assert "cells" not in first
        assert [cell["source"] for cell in second["cells"]] == ["b", "c"]
