"""A planner that answers for another place is told where the run is, once; and what a plan calls
verified artifacts is expected of it."""

from typing import Any

import pytest

from tests.engine.harness import lab
from tests.engine.sent import context, progress
from tests.support.planner_answers import RUN, add, say

ELSEWHERE: dict[str, dict[str, Any]] = {
    "as the observation has it": {"location": {"current": {"stage_id": "load", "step_id": "old"}}},
    "flat": {"location": {"step_id": "old"}},
    "beside the verdict": {"step_id": "old"},
    "in the older spelling": {"location": {"current_step_id": "old"}},
    "another stage": {"stageId": "other"},
}


def play(room, *steps):
    for step in steps:
        room.planner.step(step, behaviors=[[say(step)]])


@pytest.mark.parametrize("words", ELSEWHERE)
async def test_b10_a_planner_out_of_step_is_told_once_where_the_run_is(tmp_path, words):
    async with lab(tmp_path, {"load": ["read", "old"]}) as room:
        play(room, "read")
        wrong = {"targetAchieved": True, "context_update": {"variables": {"bad": 1}}}
        room.planner.on("planning", {**wrong, **ELSEWHERE[words]}, state="STEP_RUNNING", times=1)
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["read"]
        first, again = [s for s in room.planner.seen("/planning") if s.state == "STEP_RUNNING"][:2]
        assert (first.step, again.step) == ("read", "read")
        [told] = [e for e in context(again)["effects"]["current"] if "answered for" in e]
        assert "the run is at stage 'load', step 'read'" in told
        assert "bad" not in context(again)["variables"]


async def test_b10_feedback_for_another_behavior(tmp_path):
    async with lab(tmp_path, {"load": ["read"]}) as room:
        play(room, "read")
        wrong = {"targetAchieved": True, "behavior_id": "behavior_007"}
        room.planner.on("planning", wrong, is_feedback=True, times=1)
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert len(room.feedback()) == 2


@pytest.mark.parametrize("place", [{"state": "STEP_RUNNING"}, {"is_feedback": True}])
async def test_b10_a_planner_that_stays_out_of_step_is_an_error(tmp_path, place):
    async with lab(tmp_path, {"load": ["read"]}) as room:
        play(room, "read")
        wrong = {"targetAchieved": True, "location": {"stage_id": "load", "step_id": "old"}}
        room.planner.on("planning", wrong, times=2, **place)
        await room.go()
        assert room.state == "error"
        error = room.run.view().error
        assert error.kind == "OutOfStep"
        assert "answered for stage 'load', step 'old'" in error.message
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error


async def test_b10_the_older_dialect_runs_no_actions_of_another_step(tmp_path):
    stages = {"name": "W", "stages": [{"id": "load", "steps": [{"id": "read"}]}]}
    async with lab(tmp_path, dialect="v1", request={"workflow": stages}) as room:
        play(room, "read")
        wrong = {"actions": [say("wrong")], "location": {"current_step_id": "old"}}
        room.planner.on("v1/actions", {"actions": [say("read")]}, times=1)
        room.planner.on("v1/actions", {**wrong, "context_update": {"variables": {"a": 1}}}, times=1)
        room.planner.on("v1/actions", {"actions": [say("right")]}, times=1)
        room.planner.on("v1/reflection", {"targetAchieved": False}, times=1)
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["read", "right"]


async def test_b10_a_place_that_fits_or_says_nothing_is_taken(tmp_path):
    said = ({"current": {"stage_id": "s1"}}, "here", 7, {"step_id": None})
    async with lab(tmp_path, {f"s{n}": ["read"] for n in range(1, 5)}) as room:
        play(room, "read")
        for location in said:
            answer = {"targetAchieved": False, "location": location}
            room.planner.on("planning", answer, state="STAGE_RUNNING", times=1)
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        asked = [s for s in room.planner.seen("/planning") if s.state == "STAGE_RUNNING"]
        assert len(asked) == len(said)


async def test_b10_verified_artifacts_of_a_plan_are_expected_outputs(tmp_path):
    plan = {
        "stages": [
            {
                "id": "load",
                "verified_artifacts": {"df": "the table"},
                "expected_outputs": ["report"],
                "steps": [
                    {
                        "id": "read",
                        "verifiedArtifacts": ["raw", {"artifact_id": "df@clean"}],
                        "expected": ["raw"],
                    }
                ],
            }
        ]
    }
    async with lab(tmp_path, plan) as room:
        room.planner.step("read", behaviors=[[add("raw = df = df_clean = 1"), RUN]])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        asked = progress(room.planner.seen("/generating")[0])
        assert asked["stages"]["current_outputs"]["expected"] == ["report", "df"]
        assert asked["steps"]["current_outputs"]["expected"] == ["raw", "df_clean"]
        told = progress(room.planner.seen("/planning")[-1])
        [load] = told["stages"]["completed"]
        assert {"df", "raw", "df_clean"} <= set(load["outputs_produced"]["variables"])
