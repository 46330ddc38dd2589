"""F7, F8, F11, U6, U7: which stages and steps are run, and which are reported as done."""

from typing import Any

import pytest

from tests.engine.harness import lab
from tests.support.planner_answers import say


def plan(**stages):
    return {
        "name": "scripted",
        "stages": [
            {"id": stage, "steps": [{"id": step} for step in steps]}
            for stage, steps in stages.items()
        ],
    }


def play(room, *steps):
    for step in steps:
        room.planner.step(step, behaviors=[[say(step)]])


def statuses(room):
    """Stage -> its status, and its steps with theirs."""
    return {
        stage.id: (stage.status, {step.id: step.status for step in stage.steps})
        for stage in room.run.view().progress.stages
    }


def reported(room, level="stages"):
    """The completed ids that the planner was told of last."""
    progress = room.planner.seen("/planning")[-1].body["observation"]["location"]["progress"]
    return [item[f"{level[:-1]}_id"] for item in progress[level]["completed"]]


def tree(room, level):
    nodes = room.run.world.ledger.activity.nodes()
    return {node.key: node.status for node in nodes if node.level == level}


async def confirmed(room, times=1):
    await room.go()
    for _ in range(times):
        assert room.run.status == "waiting", (room.state, room.run.view().error)
        await room.answer("confirm")
    assert room.state == "workflow_completed", room.run.view().error


STEPS_OF_S1 = {"stage_id": "s1", "updated_steps": [{"id": "b"}, {"id": "a"}]}


@pytest.mark.parametrize("place", ["action", "start", "feedback"])
async def test_b1_reordered_steps_are_all_run(tmp_path, place):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"]}) as room:
        play(room, "a", "b", "c")
        update = {"context_update": {"stage_steps_update": STEPS_OF_S1}}
        if place == "action":
            action = {"action": "update_stage_steps", **STEPS_OF_S1}
            room.planner.step("a", behaviors=[[say("a"), action]])
        elif place == "start":
            answer = {"targetAchieved": False, **update}
            room.planner.on("planning", answer, state="STEP_RUNNING", step="a")
        else:
            answer = {"targetAchieved": True, **update}
            room.planner.on("planning", answer, is_feedback=True, step="a")
        await confirmed(room)
        assert await room.sources() == ["a", "b", "c"]
        assert statuses(room)["s1"] == ("done", {"b": "done", "a": "done"})


async def test_b1_reordered_stages_are_all_run(tmp_path):
    async with lab(tmp_path, {"s1": ["a"], "s2": ["b"], "s3": ["c"]}) as room:
        play(room, "a", "b", "c")
        new = plan(s3=["c"], s2=["b"], s1=["a"])
        action = {"action": "update_workflow", "updated_workflow": new}
        room.planner.step("a", behaviors=[[say("a"), action]])
        await confirmed(room)
        assert await room.sources() == ["a", "c", "b"]


async def test_b1_stages_before_the_one_to_go_on_with_are_run_after_it(tmp_path):
    async with lab(tmp_path, {"s1": ["a"], "s2": ["b"], "s3": ["c"]}) as room:
        play(room, "a", "b", "c")
        action = {
            "action": "update_workflow",
            "updated_workflow": plan(s2=["b"], s3=["c"]),
            "nextStageId": "s3",
        }
        room.planner.step("a", behaviors=[[say("a"), action]])
        await confirmed(room)
        assert await room.sources() == ["a", "c", "b"]


@pytest.mark.parametrize("kind", ["steps", "workflow"])
async def test_b1_a_step_added_to_a_finished_stage_is_run_and_no_other_again(tmp_path, kind):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"], "s3": ["d"]}) as room:
        play(room, "a", "b", "c", "d", "late")
        action = {
            "steps": {
                "action": "update_stage_steps",
                "stage_id": "s1",
                "updated_steps": [{"id": "a"}, {"id": "late"}, {"id": "b"}],
            },
            "workflow": {
                "action": "update_workflow",
                "updated_workflow": plan(s1=["late", "a", "b"], s2=["c"], s3=["d"]),
            },
        }[kind]
        room.planner.step("c", behaviors=[[say("c"), action]])
        await confirmed(room)
        assert await room.sources() == ["a", "b", "c", "d", "late"]
        assert set(statuses(room)["s1"][1].values()) == {"done"}


async def test_b1_what_the_planner_jumped_over_is_not_gone_back_to(tmp_path):
    async with lab(tmp_path, {"s1": ["a", "b", "c"], "s2": ["d"]}) as room:
        play(room, "a", "b", "c", "d")
        jump = {"targetAchieved": True, "transition": {"next_step_id": "c"}}
        room.planner.on("planning", jump, is_feedback=True, step="a")
        await room.go()
        assert await room.sources() == ["a", "c", "d"]
        assert statuses(room)["s1"] == ("done", {"a": "done", "b": "skipped", "c": "done"})


# -- F7: a goal that is met, and a proposal beside it ---------------------------------------------

MORE = {"workflow_update": plan(s1=["a", "b"], s2=["c"], s3=["d"])}


@pytest.mark.parametrize("answer", ["confirm", "reject"])
async def test_b2_a_stage_that_is_met_completes_after_the_question(tmp_path, answer):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"]}) as room:
        play(room, "a", "b", "c", "d")
        met = {"targetAchieved": True, "context_update": MORE}
        room.planner.on("planning", met, state="STAGE_RUNNING", times=1)
        await room.go()
        assert (room.state, room.run.status) == ("workflow_update_pending", "waiting")
        assert statuses(room)["s1"][1]["b"] != "done"
        await room.answer(answer)
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == (["c", "d"] if answer == "confirm" else ["c"])
        path = room.path()
        decided = path.index(f"UPDATE_WORKFLOW_{answer.upper()}ED")
        assert path[decided + 1 : decided + 5] == [
            "COMPLETE_BEHAVIOR",
            "COMPLETE_STEP",
            "COMPLETE_STAGE",
            "NEXT_STAGE",
        ]
        assert statuses(room)["s1"] == ("done", {"a": "skipped", "b": "skipped"})
        assert tree(room, "step")["s1/a"] == "skipped"
        assert tree(room, "stage")["s1"] == "done"
        told = [
            item["step_id"]
            for seen in room.planner.requests
            for item in seen.body["observation"]["location"]["progress"]["steps"]["completed"]
        ]
        assert "a" not in told
        assert "b" not in told


async def test_b2_steps_that_the_proposal_adds_to_a_met_stage_are_run(tmp_path):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"]}) as room:
        play(room, "a", "b", "c", "new")
        steps = {"stage_id": "s1", "updated_steps": [{"id": "a"}, {"id": "new"}, {"id": "b"}]}
        met = {"targetAchieved": True, "context_update": {"stage_steps_update": steps}}
        room.planner.on("planning", met, state="STAGE_RUNNING", times=1)
        await confirmed(room)
        assert await room.sources() == ["new", "c"]


async def test_b2_a_step_that_is_met_completes_after_the_question(tmp_path):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"]}) as room:
        play(room, "a", "b", "c", "d")
        met = {"targetAchieved": True, "context_update": MORE}
        room.planner.on("planning", met, state="STEP_RUNNING", step="a", times=1)
        await confirmed(room)
        assert await room.sources() == ["b", "c", "d"]
        assert statuses(room)["s1"] == ("done", {"a": "skipped", "b": "done"})
        assert room.run.view().counts.behaviors == 3


@pytest.mark.parametrize("achieved", [True, False])
async def test_b2_a_workflow_that_is_met_completes_after_the_question(tmp_path, achieved):
    async with lab(tmp_path, {"s1": ["a"], "s2": ["c"]}) as room:
        play(room, "a", "c")
        met = {"targetAchieved": achieved, "context_update": MORE}
        room.planner.on("planning", met, state="STAGE_COMPLETED", times=1)
        await room.go()
        await room.answer("reject")
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["a", "c"]
        asked = [s.state for s in room.planner.seen("/planning") if s.state == "STAGE_COMPLETED"]
        assert len(asked) == (1 if achieved else 2)
        judged_again = [s for s in room.planner.seen("/planning") if s.state == "STEP_COMPLETED"]
        assert len(judged_again) == 2


async def test_b2_after_the_last_step_the_verdict_is_kept(tmp_path):
    async with lab(tmp_path, {"s1": ["a"], "s2": ["c"]}) as room:
        play(room, "a", "c", "b", "d")
        met = {"targetAchieved": True, "context_update": MORE}
        room.planner.on("planning", met, state="STEP_COMPLETED", times=1)
        await room.go()
        await room.answer("reject")
        assert room.state == "workflow_completed", room.run.view().error
        asked = [s for s in room.planner.seen("/planning") if s.state == "STEP_COMPLETED"]
        assert len(asked) == 2


# -- F8, F11: where the planner wants to go on ----------------------------------------------------


@pytest.mark.parametrize("place", ["feedback", "step start", "stage start", "last step"])
async def test_b9_a_stage_that_was_left_is_not_reported_as_completed(tmp_path, place):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"], "s3": ["d"]}) as room:
        play(room, "a", "b", "c", "d")
        matches: dict[str, dict[str, Any]] = {
            "feedback": {"is_feedback": True, "step": "a"},
            "step start": {"state": "STEP_RUNNING", "step": "a"},
            "stage start": {"state": "STAGE_RUNNING"},
            "last step": {"state": "STEP_COMPLETED"},
        }
        achieved = place in ("feedback", "step start")
        jump = {"targetAchieved": achieved, "transition": {"next_stage_id": "s3"}}
        room.planner.on("planning", jump, **matches[place])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        ran = {"feedback": ["a", "d"], "last step": ["a", "b", "d"]}.get(place, ["d"])
        assert await room.sources() == ran
        every_step_ran = place == "last step"
        assert reported(room) == (["s1", "s3"] if every_step_ran else ["s3"])
        assert statuses(room)["s1"][0] == ("done" if every_step_ran else "skipped")
        assert statuses(room)["s2"] == ("skipped", {"c": "skipped"})
        assert tree(room, "stage")["s1"] == ("done" if every_step_ran else "skipped")


async def test_b9_a_stage_that_was_judged_before_it_was_left_is_completed(tmp_path):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"], "s3": ["d"]}) as room:
        play(room, "d")
        jump = {"targetAchieved": True, "transition": {"next_stage_id": "s3"}}
        room.planner.on("planning", jump, state="STAGE_RUNNING")
        await room.go()
        assert reported(room) == ["s1", "s3"]


UNKNOWN = {
    "stage": ({"next_stage_id": "nowhere"}, "stage 'nowhere', which is not in the workflow"),
    "step": ({"next_step_id": "nowhere"}, "step 'nowhere', which stage 's1' does not have"),
}


@pytest.mark.parametrize("what", UNKNOWN)
@pytest.mark.parametrize(
    ("place", "achieved"),
    [
        ({"state": "IDLE"}, False),
        ({"state": "STAGE_RUNNING"}, False),
        ({"state": "STAGE_RUNNING"}, True),
        ({"state": "STEP_RUNNING", "step": "a"}, False),
        ({"state": "STEP_RUNNING", "step": "a"}, True),
        ({"is_feedback": True, "step": "a"}, True),
        ({"is_feedback": True, "step": "a"}, False),
        ({"state": "STEP_COMPLETED"}, True),
        ({"state": "STAGE_COMPLETED"}, True),
    ],
)
async def test_b9_unknown_ids_are_an_error_in_whatever_answer(tmp_path, what, place, achieved):
    wish, message = UNKNOWN[what]
    async with lab(tmp_path, {"s1": ["a"]}) as room:
        play(room, "a")
        answer = {"targetAchieved": achieved, "transition": wish}
        if place.get("state") == "IDLE":
            answer["context_update"] = {"workflow_update": plan(s1=["a"])}
        if place.get("is_feedback") and not achieved:
            answer["transition"] = {**wish, "continue_behaviors": True}
        room.planner.on("planning", answer, **place)
        await room.go()
        error = room.run.view().error
        assert error is not None, room.state
        if place.get("state") in ("IDLE", "STAGE_COMPLETED"):
            assert "'nowhere'" in error.message
            assert room.run.status == "paused"
        else:
            assert message in error.message
            assert room.state == "error"


async def test_b9_an_id_that_the_same_answer_proposes_is_known_once_it_is_confirmed(tmp_path):
    for verdict, ran in (("confirm", ["a", "d", "c"]), ("reject", ["a", "c"])):
        folder = tmp_path / verdict
        folder.mkdir()
        async with lab(folder, {"s1": ["a"], "s2": ["c"]}) as room:
            play(room, "a", "c", "d")
            answer = {
                "targetAchieved": True,
                "transition": {"next_stage_id": "s3"},
                "context_update": {"workflow_update": plan(s1=["a"], s3=["d"], s2=["c"])},
            }
            room.planner.on("planning", answer, is_feedback=True, step="a")
            await room.go()
            await room.answer(verdict)
            assert room.state == "workflow_completed", room.run.view().error
            assert await room.sources() == ran


# -- N5: reached is what was judged ---------------------------------------------------------------


def reached(room):
    progress = room.run.view().progress
    stages = [stage.id for stage in progress.stages if stage.reached]
    steps = [step.id for stage in progress.stages for step in stage.steps if step.reached]
    return progress.reached, stages, steps


async def test_n5_reached_is_said_of_what_was_judged(tmp_path):
    async with lab(tmp_path, {"s1": ["a", "b"], "s2": ["c"]}) as room:
        play(room, "a", "b", "c")
        room.planner.step("b", behaviors=[[say("b"), {"action": "end_phase"}]])
        unjudged = {"targetAchieved": False, "transition": {"next_stage_id": "s2"}}
        room.planner.on("planning", unjudged, is_feedback=True, step="b")
        room.planner.on("planning", {"targetAchieved": False}, state="STAGE_COMPLETED", times=1)
        await room.go()
        assert (room.state, room.run.status) == ("stage_completed", "paused")
        view = room.run.view().progress
        assert (view.verdict, view.verdict_level) == ("not_yet", "workflow")
        assert statuses(room)["s1"] == ("done", {"a": "done", "b": "done"})
        assert reached(room) == (False, ["s2"], ["a", "c"])
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed"
        view = room.run.view().progress
        assert (view.verdict, view.verdict_level) == ("achieved", "workflow")
        assert reached(room) == (True, ["s2"], ["a", "c"])
