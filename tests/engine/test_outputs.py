"""O9-O11, O13: what is produced, promoted, filtered and kept to be looked at."""

import json

from tests.engine.harness import lab
from tests.engine.sent import CONTINUE, PLAN, completed, context, feedbacks, progress
from tests.support.planner_answers import RUN, add, say


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
        assert progress(feedback)["behaviors"]["current_outputs"] == {
            "expected": ["raw", "ghost"],
            "produced": ["raw"],
            "in_progress": [],
        }
        expected = "'ghost' was expected of this behavior but is not in the kernel"
        assert context(feedback)["effects"]["current"] == [f"⚠️ WARN: {expected}"]
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


async def test_b3_o9_at_feedback_what_was_made_is_produced_and_a_temporary_is_not(tmp_path):
    start = {
        "targetAchieved": False,
        "context_update": {
            "outputs": {"expected": ["df_x", "df_working"], "in_progress": ["df_working"]}
        },
    }
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add("df_x = df_working = 1"), RUN], [say("x")]])
        room.planner.on("planning", start, state="STEP_RUNNING")
        await completed(room)
        [first, _second] = feedbacks(room)
        assert progress(first)["behaviors"]["current_outputs"] == {
            "expected": ["df_x", "df_working"],
            "produced": ["df_x"],
            "in_progress": [],
        }
        last = room.planner.requests[-1]
        [load] = progress(last)["stages"]["completed"]
        assert load["outputs_produced"] == {"variables": ["df_x"]}
        assert context(last)["variables"]["df_working"] == 1, "it is still there"


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
        assert told["effects"]["history"] == []
        lines = "\n".join(told["effects"]["current"])
        assert "keep this" in lines
        assert "drop" not in lines
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
        assert any("'checked' is to be validated" in warning for warning in room.warnings())
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
