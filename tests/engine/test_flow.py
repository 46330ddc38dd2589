"""F6-F15, P4-P5: the way through the state machine, against a planner service and a kernel."""

import asyncio

import pytest

from notebook_bcc_ext.protocol.browser.facts import KernelStarting, PlannerCalled
from tests.engine.harness import lab
from tests.support.planner_answers import RUN, Reply, Stream, add, say


async def test_f6_f8_a_step_of_three_behaviors(tmp_path):
    async with lab(tmp_path, {"load": ["read"]}) as room:
        behaviors = [[add("x = 1"), RUN], [say("half way")], [add("x + 1"), RUN]]
        room.planner.step("read", behaviors=behaviors)
        await room.go()
        assert (room.state, room.run.status) == ("workflow_completed", "done")
        assert room.path() == [
            "START_WORKFLOW",
            "START_STEP",
            "START_BEHAVIOR",
            "START_ACTION",
            "COMPLETE_ACTION",
            "NEXT_ACTION",
            "COMPLETE_ACTION",
            "COMPLETE_BEHAVIOR",
            "NEXT_BEHAVIOR",
            "START_ACTION",
            "COMPLETE_ACTION",
            "COMPLETE_BEHAVIOR",
            "NEXT_BEHAVIOR",
            "START_ACTION",
            "COMPLETE_ACTION",
            "NEXT_ACTION",
            "COMPLETE_ACTION",
            "COMPLETE_BEHAVIOR",
            "COMPLETE_STEP",
            "COMPLETE_STAGE",
            "COMPLETE_WORKFLOW",
        ]
        cells = await room.cells()
        assert [cell.source for cell in cells] == ["x = 1", "half way", "x + 1"]
        assert cells[2].outputs[0]["data"]["text/plain"] == "2"
        assert [f["behavior_id"] for f in room.feedback()] == [
            "behavior_001",
            "behavior_002",
            "behavior_003",
        ]
        assert room.feedback()[0] == {
            "behavior_id": "behavior_001",
            "actions_executed": 2,
            "actions_succeeded": 2,
            "sections_added": 0,
            "last_action_result": "success",
        }


async def test_f6_a_goal_that_is_met_skips_generating(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        room.planner.on("planning", {"targetAchieved": True}, step="read", state="STEP_RUNNING")
        room.planner.step("check", behaviors=[[say("checked")]])
        await room.go()
        assert room.state == "workflow_completed"
        assert len(room.planner.seen("/generating")) == 1
        assert room.run.view().progress.stages[0].steps[0].status == "skipped"


async def test_f7_planning_is_asked_at_every_level(tmp_path):
    async with lab(tmp_path, {"a": ["s1"], "b": ["s2"]}) as room:
        room.planner.step("s1", behaviors=[[say("one")]])
        room.planner.step("s2", behaviors=[[say("two")]])
        await room.go()
        asked = [s.state for s in room.planner.seen("/planning") if not s.is_feedback]
        assert asked == [
            "IDLE",
            "STAGE_RUNNING",
            "STEP_RUNNING",
            "STEP_COMPLETED",
            "STAGE_RUNNING",
            "STEP_RUNNING",
            "STEP_COMPLETED",
            "STAGE_COMPLETED",
        ]


async def test_f7_a_stage_whose_goal_is_met_is_skipped(tmp_path):
    async with lab(tmp_path, {"a": ["s1"], "b": ["s2"]}) as room:
        room.planner.on("planning", {"targetAchieved": True}, state="STAGE_RUNNING", times=1)
        room.planner.step("s2", behaviors=[[say("two")]])
        await room.go()
        assert room.path()[:3] == ["START_WORKFLOW", "COMPLETE_STAGE", "NEXT_STAGE"]
        assert await room.sources() == ["two"]


async def test_f8_neither_continued_nor_reached_is_a_failure(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on(
            "planning",
            {"targetAchieved": False, "transition": {"continue_behaviors": False}},
            is_feedback=True,
        )
        await room.go()
        assert (room.state, room.run.status) == ("error", "failed")
        error = room.run.view().error
        assert error is not None
        assert error.message == "the planner neither continued nor reached the goal of step 'read'"
        assert {"restart", "retry", "debug", "reset"} <= set(error.remedies)


async def test_f8_a_stage_goal_that_nobody_confirms_is_not_claimed(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on("planning", {"targetAchieved": False}, state="STEP_COMPLETED")
        await room.go()
        assert room.state == "error"
        assert "goal of stage 'load' is not reached" in room.run.view().error.message


async def test_f9_the_planners_own_behavior_id_wins(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on(
            "planning",
            {"targetAchieved": False, "behavior": {"id": "look", "target": "look at it"}},
            state="STEP_RUNNING",
        )
        await room.go()
        assert room.feedback()[0]["behavior_id"] == "look"
        assert (
            room.planner.seen("/generating")[0].body["observation"]["location"]["goals"]["behavior"]
            == "look at it"
        )


async def test_f10_a_behavior_without_actions(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[], [say("x")]])
        await room.go()
        assert room.state == "workflow_completed"
        assert room.path()[2:5] == ["START_BEHAVIOR", "COMPLETE_BEHAVIOR", "NEXT_BEHAVIOR"]
        assert room.feedback()[0]["actions_executed"] == 0


@pytest.mark.parametrize("when", ["feedback", "start"])
async def test_f11_the_planner_may_choose_the_next_step_and_stage(tmp_path, when):
    async with lab(tmp_path, {"a": ["s1", "s2"], "b": ["s3", "s4"]}) as room:
        jump = {
            "targetAchieved": True,
            "transition": {
                "strategy": "server_controlled",
                "next_stage_id": "b",
                "next_step_id": "s4",
            },
        }
        room.planner.step("s4", behaviors=[[say("four")]])
        if when == "feedback":
            room.planner.step("s1", behaviors=[[say("one")]])
            room.planner.on("planning", jump, is_feedback=True, step="s1")
        else:
            room.planner.on("planning", jump, state="STEP_RUNNING", step="s1")
        await room.go()
        assert room.state == "workflow_completed"
        assert (await room.sources())[-1] == "four"
        visited = [s.step for s in room.planner.seen("/planning") if s.state == "STEP_RUNNING"]
        assert visited == ["s1", "s4"]


async def test_f11_an_unknown_target_is_an_error_for_the_person(tmp_path):
    async with lab(tmp_path, {"a": ["s1", "s2"]}) as room:
        room.planner.on(
            "planning",
            {"targetAchieved": True, "transition": {"next_step_id": "nowhere"}},
            step="s1",
            state="STEP_RUNNING",
        )
        await room.go()
        assert room.state == "error"
        assert "step 'nowhere', which stage 'a' does not have" in room.run.view().error.message


async def test_f12_reset_then_restart_starts_again(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on("generating", Reply(400), times=1)
        await room.go()
        assert room.state == "error"
        await room.command("reset")
        assert (room.state, room.run.status) == ("idle", "cancelled")
        await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed"


async def test_f12_restart_from_the_top_and_retry_of_the_behavior(tmp_path):
    async with lab(tmp_path, {"a": ["s1", "s2"]}) as room:
        room.planner.step("s1", behaviors=[[say("one")]])
        room.planner.step("s2", behaviors=[[say("two")]])
        room.planner.on("generating", Reply(400), step="s2", times=2)
        await room.go()
        assert room.state == "error"
        await room.command("retry")
        await room.to_rest()
        assert room.state == "error"
        assert "START_BEHAVIOR" in room.path()[-2:]
        await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed"
        assert await room.sources() == ["one", "two"]


async def test_f13_a_failing_call_in_idle_keeps_the_state_and_offers_a_retry(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on("planning", Reply(400), state="IDLE", times=1)
        await room.go()
        assert (room.state, room.run.status) == ("idle", "paused")
        assert room.run.view().error is not None
        assert room.run.allowed_commands == ["retry", "cancel"]
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed"
        assert room.run.view().error is None


async def test_f13_after_the_last_stage(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("x")]])
        room.planner.on("planning", {"targetAchieved": False}, state="STAGE_COMPLETED", times=1)
        await room.go()
        assert (room.state, room.run.status) == ("stage_completed", "paused")
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed"


async def test_f15_the_loop_guard(tmp_path):
    async with lab(tmp_path, max_behaviors_per_step=3) as room:
        room.planner.step("read", behaviors=[[say(str(n))] for n in range(10)])
        await room.go()
        assert room.state == "error"
        assert "not finished after 3 behaviors" in room.run.view().error.message
        assert await room.sources() == ["0", "1", "2"]


async def test_p8_the_older_dialect(tmp_path):
    stages = {"name": "W", "stages": [{"id": "load", "steps": [{"id": "read"}]}]}
    async with lab(tmp_path, dialect="v1", request={"workflow": stages}) as room:
        room.planner.step("read", behaviors=[[add("x = 1"), RUN], [say("done")]])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x = 1", "done"]
        assert {seen.path for seen in room.planner.requests} == {"/v1/actions", "/v1/reflection"}


async def test_p6_p8_what_comes_beside_the_actions_is_applied_before_them(tmp_path):
    def steps(*ids):
        return {"name": "W", "stages": [{"id": "load", "steps": [{"id": one} for one in ids]}]}

    beside = {
        "context_update": {"variables": {"seen": 2}, "workflow_update": steps("read", "check")}
    }
    request = {"workflow": steps("read"), "approval": "none"}
    async with lab(tmp_path, dialect="v1", request=request) as room:
        planner = room.planner
        planner.on("v1/actions", {"actions": [say("one")]}, step="read", times=1)
        planner.on("v1/actions", {"actions": [say("two")], **beside}, step="read", times=1)
        planner.on("v1/actions", {"actions": [say("three")]}, step="check", times=1)
        planner.on("v1/reflection", {"targetAchieved": False}, times=1)
        planner.on("v1/reflection", {"targetAchieved": True})
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["one", "two", "three"]
        told = [
            seen.body["observation"]["context"]["variables"].get("seen")
            for seen in planner.seen("/v1/reflection")
        ]
        assert told == [None, 2, 2]
        proposed = room.path().index("UPDATE_WORKFLOW_CONFIRMED")
        assert room.path()[proposed + 1] == "NEXT_ACTION"


async def test_p4_an_answer_that_is_not_streamed(tmp_path):
    async with lab(tmp_path, stream=False) as room:
        room.planner.step("read", behaviors=[[add("x = 1"), RUN]])
        await room.go()
        assert room.state == "workflow_completed"


async def test_the_start_of_the_kernel_is_told_before_it_begins(tmp_path):
    async with lab(tmp_path) as room:
        room.run.start()
        await room.events.until(lambda: room.events.of(KernelStarting))
        assert room.run.view().doing.what == "kernel"
        await room.to_rest()
        told = [type(one) for one in room.events.all]
        assert told.index(KernelStarting) < told.index(PlannerCalled)


async def test_p4_each_action_is_done_before_the_next_line_is_sent(tmp_path):
    async with lab(tmp_path) as room:
        hold = asyncio.Event()
        room.planner.step("read", behaviors=[[say("first")]])
        room.planner.on(
            "generating", Stream({"action": say("first")}, hold, {"action": say("second")})
        )
        room.run.start()
        await room.events.until(lambda: room.run.world.state.counts.actions_succeeded == 1)
        assert await room.sources() == ["first"]
        hold.set()
        await room.to_rest()
        assert await room.sources() == ["first", "second"]
