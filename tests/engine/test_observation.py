"""O1-O13, P2, P5, P6: what the planner is really sent, and what its answers change in it."""

import json

from tests.engine.harness import lab
from tests.planner_answers import RUN, add, say

PLAN = {
    "name": "houses",
    "stages": [
        {
            "id": "load",
            "goal": "load it",
            "expected_outputs": ["df"],
            "steps": [
                {"id": "read", "goal": "read it", "expected_outputs": ["raw"]},
                {"id": "check", "goal": "check it"},
            ],
        },
        {"id": "model", "goal": "model it", "steps": [{"id": "fit", "goal": "fit it"}]},
    ],
}
CONTINUE = {"targetAchieved": False, "transition": {"continue_behaviors": True}}


def observed(seen):
    return seen.body["observation"]


def context(seen):
    return observed(seen)["context"]


def progress(seen):
    return observed(seen)["location"]["progress"]


def feedbacks(room):
    return [seen for seen in room.planner.requests if seen.is_feedback]


async def completed(room):
    await room.go()
    assert room.state == "workflow_completed", room.run.view().error


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
        assert first["effects"] == {"current": ["shape (3, 4)\n1"], "history": []}
        assert second["effects"] == {"current": ["gone"], "history": ["shape (3, 4)\n1"]}
        assert second["variables"]["x"] == "claimed", "only the planner's own is left"
        cells = await room.cells()
        assert [cell.execution_count for cell in cells] == [1, 2], "looking consumes no number"


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
            told["last_output"] = told["last_output"].strip()
            assert told == {
                "title": "Houses",
                "cell_count": 4,
                "last_cell_type": "code",
                "last_output": "42",
            }
            if shape == "summary":
                assert (cells, metadata) == (None, None)
            else:
                assert [cell["source"] for cell in cells] == ["b", "print(42)"]
                assert metadata["title"] == "Houses"


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


async def test_o9_produced_means_that_the_kernel_has_it(tmp_path):
    async with lab(tmp_path, PLAN, interactive_mode=True) as room:
        room.planner.step("read", behaviors=[[add("raw = df = 1"), RUN]])
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "context_update": {"outputs": {"expected": ["raw", "ghost"]}},
            },
            state="STEP_RUNNING",
        )
        room.planner.on(
            "planning",
            {
                "targetAchieved": True,
                "context_update": {"outputs": {"produced": ["ghost"]}},
            },
            is_feedback=True,
        )
        await room.go()
        attained = room.run.view().progress.attainment
        assert attained == {"stages": 0, "steps": 0, "behaviors": 0}, "after the first action"
        await room.command("resume")
        await room.events.until(lambda: room.run.world.gate.paused)
        attained = room.run.view().progress.attainment
        assert attained == {"stages": 1, "steps": 1, "behaviors": 0.5}, "after the second"
        await room.command("resume")
        await room.events.until(lambda: room.run.resting)
        assert room.state == "workflow_completed", room.run.view().error
        [feedback] = feedbacks(room)
        assert progress(feedback)["behaviors"]["current_outputs"]["in_progress"] == ["raw"]
        after = next(
            s for s in room.planner.requests if s.state == "STEP_RUNNING" and s.step == "check"
        )
        [read] = progress(after)["steps"]["completed"]
        assert read["outputs_produced"] == {"variables": ["raw"]}
        assert progress(after)["stages"]["current_outputs"] == {
            "expected": ["df"],
            "produced": ["raw", "df"],
            "in_progress": [],
        }
        warning = "'ghost' was reported as produced by this behavior but is not in the kernel"
        assert warning in room.warnings()
        assert any(warning in line for line in context(after)["effects"]["current"])
        last = room.planner.requests[-1]
        assert progress(last)["stages"]["completed"][0]["outputs_produced"]["variables"] == [
            "raw",
            "df",
        ]


async def test_o10_promotion_by_an_answer_and_by_an_action(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        room.planner.step(
            "read",
            behaviors=[
                [
                    add("df_working, tmp, early = 1, 2, 3"),
                    RUN,
                    {
                        "action": "promote_artifact",
                        "variable_name": "tmp",
                        "artifact_id": "rows@v1",
                    },
                ],
            ],
        )
        room.planner.step("check", behaviors=[[say("x")]])
        promote = {
            "variable_name": "df_working",
            "artifact_id": "df_imputed@iter3",
            "description": "filled",
        }
        room.planner.on(
            "planning",
            {
                "targetAchieved": True,
                "context_update": {
                    "outputs": {
                        "promote": [promote, {"variable_name": "ghost", "artifact_id": "g@1"}],
                    }
                },
            },
            is_feedback=True,
        )
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "context_update": {
                    "outputs": {
                        "promote": [{"variable_name": "early", "artifact_id": "late@2"}],
                    }
                },
            },
            state="STEP_RUNNING",
            step="check",
        )
        await completed(room)
        last = room.planner.requests[-1]
        names = context(last)["variables"]
        assert {k: names[k] for k in ("rows_v1", "df_imputed_iter3", "late_2")} == {
            "rows_v1": 2,
            "df_imputed_iter3": 1,
            "late_2": 3,
        }
        assert not {"tmp", "df_working", "early"} & set(names)
        [stage] = progress(last)["stages"]["completed"]
        assert stage["outputs_produced"]["variables"] == ["rows_v1", "df_imputed_iter3", "late_2"]
        artifacts = stage["outputs_produced"]["artifacts"]
        assert [a["artifact_id"] for a in artifacts] == ["rows@v1", "df_imputed@iter3", "late@2"]
        created = artifacts[1].pop("created_at")
        assert created.endswith("Z")
        assert artifacts[1] == {
            "artifact_id": "df_imputed@iter3",
            "variable_name": "df_imputed_iter3",
            "description": "filled",
            "source": "behavior_001",
            "parent": "df_working",
        }
        assert any("'ghost' was not promoted" in warning for warning in room.warnings())


async def test_o11_the_filter_shapes_the_next_generating_request_only(tmp_path):
    wanted = {
        "variables_to_include": ["n", "missing"],
        "variables_to_summarize": {
            "table": "shape_only",
            "rows": "last_2_only",
            "mood": "head_only",
            "nowhere": "head_only",
        },
        "effects_config": {
            "current_limit": 5,
            "history_limit": 1,
            "patterns": {"include": ["keep", "WARN"], "exclude": ["secret", "(", "(a+)+$"]},
        },
        "focus_to_include": ["behaviors"],
        "outputs_tracking": {"expected_variables": ["fit"], "validation_required": ["checked"]},
    }
    code = """
import numpy as np
n, table, rows, other = 1, np.zeros((30, 4)), list(range(1000)), 'x' * 500
print('keep this')
"""
    async with lab(tmp_path, request={"variables": {"mood": "calm"}}) as room:
        room.planner.step(
            "read",
            behaviors=[
                [
                    add(code),
                    RUN,
                    add("print('keep secret')"),
                    RUN,
                    add("print('drop')"),
                    RUN,
                    add(f"print('{'a' * 40}!')"),
                    RUN,
                ],
                [say("y")],
                [say("z")],
            ],
        )
        room.planner.on("planning", {**CONTINUE, "context_filter": wanted}, is_feedback=True)
        await completed(room)
        whole, filtered, free = room.planner.seen("/generating")
        told = context(filtered)
        assert told["variables"]["n"] == 1
        assert "30" in str(told["variables"]["table"])
        assert str(told["variables"]["rows"]).endswith("[998, 999]")
        assert told["variables"]["mood"] == "calm"
        assert set(told["variables"]) == {"n", "table", "rows", "mood"}
        assert told["effects"]["history"] == ["keep this"]
        lines = "\n".join(told["effects"]["current"])
        assert "Variable 'missing' requested but not found in context" in lines
        assert "Variable 'nowhere' to be summarised but not found" in lines
        assert "'checked'" not in lines
        assert any("not a regular expression: (" in warning for warning in room.warnings())
        behaviors = progress(filtered)["behaviors"]
        assert behaviors["current_outputs"]["expected"] == ["fit"]
        assert not {"stages", "steps"} & set(progress(filtered))
        second_feedback = feedbacks(room)[1]
        assert "other" in context(second_feedback)["variables"], "planning is told everything"
        assert "other" in context(free)["variables"], "a filter counts once"
        assert any("'checked' was reported" in warning for warning in room.warnings())
        assert len(filtered.raw) < len(free.raw)
        assert whole.state == "BEHAVIOR_RUNNING"


async def test_o13_every_call_can_be_looked_at(tmp_path):
    async with lab(tmp_path, planner_token="hush-hush") as room:
        room.planner.step("read", behaviors=[[say("x")]])
        await completed(room)
        assert [call.kind for call in room.calls] == [
            "planning",
            "planning",
            "planning",
            "generating",
            "feedback",
            "planning",
            "planning",
        ]
        for call, seen in zip(room.calls, room.planner.requests, strict=True):
            assert json.loads(call.request) == seen.body
            assert call.answer
            assert seen.headers["Authorization"] == "Bearer hush-hush"
        shown = str(room.calls) + str(room.events.all) + room.run.view().model_dump_json()
        assert "hush-hush" not in shown, "P9: a credential is told to nobody"
