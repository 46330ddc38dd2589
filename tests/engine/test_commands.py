"""F12, F13, J7: what each place takes and refuses, where recoveries go on, what is kept."""

import asyncio
import itertools

import nbformat
import pytest

from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.errors import IllegalCommandError
from notebook_bcc_ext.protocol.browser.facts import (
    ProposalsCarried,
    Transitioned,
    VerdictKept,
)
from notebook_bcc_ext.protocol.browser.runs import Command, RunView
from notebook_bcc_ext.protocol.clock import utc_now
from tests.engine.harness import HANG_GUARD, lab
from tests.support.planner_answers import RUN, Reply, Stream, add, say

ALL = {
    "confirm",
    "reject",
    "cancel",
    "pause",
    "resume",
    "step",
    "reset",
    "restart",
    "retry",
    "debug",
}


def play(room, *behaviors, step="read"):
    room.planner.step(step, behaviors=[list(actions) for actions in behaviors])


async def paused(room):
    async with asyncio.timeout(HANG_GUARD):
        await room.events.until(lambda: room.run.world.gate.paused)


def done(room):
    return room.run.view().counts.actions_succeeded


# -- what is allowed when -------------------------------------------------------------------------


async def reach(room, place):
    """Bring the run to a place where a person might command it."""
    if place in ("paused", "cancelled"):
        room.run.world.gate.pause()
    room.run.start()
    if place == "running":
        await room.events.until(lambda: done(room) == 1)
    else:
        await room.to_rest()
    if place == "cancelled":
        room.run.world.ledger.fire("START_WORKFLOW")
        await room.command("cancel")
    elif place == "reset":
        await room.command("reset")


STEPS = {"action": "update_stage_steps", "stage_id": "load", "steps": [{"id": "read"}, {"id": "b"}]}
PLACES = {
    # place: (what the planner plays, settings, what is allowed there)
    "paused": ([say("x")], {}, {"resume", "step", "cancel"}),
    "waiting": ([STEPS], {}, {"confirm", "reject", "cancel"}),
    "running": ("held", {}, {"pause", "cancel"}),
    "error": ([{"action": "add"}], {}, {"reset", "restart", "retry", "debug"}),
    "error at stage": ("jump", {}, {"reset", "restart"}),
    "idle with error": ("refused", {}, {"retry", "cancel"}),
    "done": ([say("x")], {}, {"reset"}),
    "cancelled": ([say("x")], {}, {"reset"}),
    "reset": ([{"action": "add"}], {}, {"restart"}),
}


async def test_c6_a_playbook_cannot_repair_so_debug_is_not_offered(tmp_path):
    async with lab(tmp_path, request={"planner": {"kind": "embedded"}}) as room:
        play(room, [{"action": "add"}])
        await room.go()
        assert room.state == "error"
        assert set(room.run.allowed_commands) == {"reset", "restart", "retry"}
        with pytest.raises(IllegalCommandError):
            await room.command("debug")


@pytest.mark.parametrize("place", PLACES)
async def test_f12_j7_each_place_takes_its_commands_and_refuses_the_others(tmp_path, place):
    script, settings, allowed = PLACES[place]
    async with lab(tmp_path, **settings) as room:
        play(room, script if isinstance(script, list) else [say("x")])
        if script == "held":
            hold = asyncio.Event()
            room.planner.on("generating", Stream({"action": say("x")}, hold))
        elif script == "jump":
            jump = {"targetAchieved": False, "transition": {"next_step_id": "nowhere"}}
            room.planner.on("planning", jump, state="STAGE_RUNNING")
        elif script == "refused":
            room.planner.on("planning", Reply(400), state="IDLE")
        await reach(room, place)
        state = room.state
        assert set(room.run.view().allowed_commands) == allowed
        error = room.run.view().error
        assert error is None or set(error.remedies) == allowed - {"cancel", "pause"}
        for name in sorted(ALL - allowed):
            with pytest.raises(IllegalCommandError) as refused:
                await room.command(name)
            assert refused.value.allowed == tuple(room.run.allowed_commands)
            assert state in refused.value.reason
        assert room.state == state, "a refused command changes nothing"


@pytest.mark.parametrize(
    ("command", "events"),
    [
        ("retry", ["FAIL", "START_BEHAVIOR"]),
        ("debug", ["FAIL", "START_BEHAVIOR"]),
        ("restart", ["FAIL", "START_WORKFLOW"]),
        ("reset", ["FAIL", "RESET"]),
    ],
)
async def test_f12_where_each_recovery_goes_on(tmp_path, command, events):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        play(room, [say("one")])
        play(room, [say("two"), {"action": "add"}], step="check")
        await room.go()
        assert room.state == "error"
        play(room, [say("two")], step="check")
        failed_at = len(room.path())
        await room.command(command)
        if command == "reset":
            assert (room.state, room.run.view().error) == ("idle", None)
            assert room.run.view().progress.stages == []
            await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert room.path()[failed_at - 1 : failed_at + 1] == events
        assert await room.sources() == ["one", "two"]


@pytest.mark.parametrize(
    ("command", "then"),
    [*itertools.product(["retry", "debug", "restart"], ["", "cancel"]), ("reset", "")],
)
async def test_f12_a_recovery_in_the_moment_of_failing_is_not_lost(
    tmp_path, monkeypatch, command, then
):
    """The run shows as failed while it still leaves the kernel to the person."""
    async with lab(tmp_path) as room:
        play(room, [add("1 / 0"), RUN])
        leaving, left = asyncio.Event(), asyncio.Event()
        leave = room.run.world.runner.leave

        async def leave_slowly(temporaries):
            leaving.set()
            await left.wait()
            return await leave(temporaries)

        monkeypatch.setattr(room.run.world.runner, "leave", leave_slowly)
        room.run.start()
        async with asyncio.timeout(HANG_GUARD):
            await leaving.wait()
        assert room.run.view().status == "failed"
        play(room, [say("better")])
        if command != "reset":
            await room.command(command)
        left.set()
        if then:
            await room.command(then)
            assert room.run.view().status == "cancelled"
        if then or command == "reset":
            await room.command("reset")
            assert await room.sources() == []
            await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view()
        assert await room.sources() == ["better"]


async def test_f12_after_a_failed_verdict_a_retry_runs_a_new_behavior(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        room.planner.on("planning", Reply(400), state="STEP_COMPLETED", times=1)
        await room.go()
        assert room.state == "error"
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x"], "the behavior had not failed and is not repeated"
        assert [f["behavior_id"] for f in room.feedback()] == ["behavior_001", "behavior_002"]


@pytest.mark.parametrize("command", ["reset", "restart"])
async def test_f12_nothing_of_the_old_way_steers_the_new_one(tmp_path, command):
    plan = {"load": ["read", "check"]}
    async with lab(tmp_path, plan, request={"variables": {"language": "en"}}) as room:
        play(room, [say("one")])
        play(room, [say("two")], step="check")
        room.planner.on(
            "planning",
            {
                "targetAchieved": True,
                "context_update": {
                    "variables": {"mood": "old"},
                    "todo_list_update": {"operation": "add", "items": ["old"]},
                    "stage_steps_update": {
                        "stage_id": "load",
                        "steps": [{"id": "read"}, {"id": "check"}, {"id": "more"}],
                    },
                },
            },
            state="STEP_COMPLETED",
            times=1,
        )
        await room.go()
        await room.answer("reject")
        assert room.state == "error"
        room.run.world.ledger.record(
            ProposalsCarried(actions=[{"action": "new_chapter", "content": "stale"}]),
            VerdictKept(level="stage", achieved=True),
        )
        await room.command(command)
        if command == "reset":
            told = (await room.run.observation()).context
            assert "mood" not in told.variables
            assert told.variables["language"] == "en"
            assert told.todo_list == []
            await room.command("restart")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["one", "two"]


async def test_u4_an_unsound_proposal_of_an_answer_is_not_met_again_on_retry(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        update = {"stage_steps_update": {"stage_id": "nowhere", "steps": [{"id": "s"}]}}
        room.planner.on(
            "planning", {"targetAchieved": False, "context_update": update}, state="STEP_RUNNING"
        )
        await room.go()
        assert "the workflow has no stage 'nowhere'" in room.run.view().error.message
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error


async def test_j7_a_command_with_a_key_is_done_once(tmp_path):
    async with lab(tmp_path, interactive_mode=True) as room:
        play(room, [say("1"), say("2"), say("3")])
        await room.go()
        step = Command(command="step", key="k1")
        await asyncio.gather(room.run.command(step), room.run.command(step))
        await paused(room)
        await room.run.command(step)
        assert await room.sources() == ["1", "2"]
        refused = Command(command="retry", key="k2")
        for _ in range(2):
            with pytest.raises(IllegalCommandError):
                await room.run.command(refused)


async def test_a2_a_cell_the_person_deleted_is_not_run(tmp_path):
    async with lab(tmp_path, max_execution_steps=1) as room:
        play(room, [add("x = 1", store_id="mine"), RUN])
        await room.go()
        await room.run.world.notebook.flush()
        notebook = nbformat.read(room.file, as_version=4)
        notebook.cells = []
        nbformat.write(notebook, room.file)
        await room.command("resume")
        await room.to_rest()
        assert room.state == "error"
        assert room.run.view().error.message == (
            "cell 'lastAddedCellId' is no longer in the notebook"
        )
        assert room.run.view().counts.cells_executed == 0


async def test_a2_the_persons_edit_is_what_runs(tmp_path):
    async with lab(tmp_path, max_execution_steps=1) as room:
        play(room, [add("x = 1"), RUN])
        await room.go()
        await room.run.world.notebook.flush()
        notebook = nbformat.read(room.file, as_version=4)
        notebook.cells[0].source = "x = 'edited'"
        nbformat.write(notebook, room.file)
        await room.command("resume")
        await paused(room)
        await room.command("resume")
        await room.to_rest()
        told = room.planner.requests[-1].body["observation"]["context"]["variables"]
        assert told["x"] == "edited"


# -- looking and remembering ----------------------------------------------------------------------


async def test_j7_f4_the_view_the_journal_and_the_snapshot(tmp_path):
    request = {"goal": "know the prices", "data": "houses.csv", "variables": {"target": "price"}}
    async with lab(tmp_path, {"load": ["read", "check"]}, request=request) as room:
        room.planner.step("read", achieved=True)
        room.planner.step(
            "check",
            behaviors=[
                [{"action": "new_section", "content": "S"}, add("df = [1]", store_id="a b"), RUN],
                [{"action": "is_thinking"}, {"action": "nonsense"}, {"action": "add"}],
            ],
        )
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "context_update": {
                    "progress_update": {"level": "behaviors", "focus": "look"},
                    "todo_list_update": {"operation": "add", "items": ["plot"]},
                    "outputs": {"expected": ["df", "fit"]},
                },
                "context_filter": {"variables_to_include": ["df"]},
                "metadata": {"estimated_remaining_behaviors": 2},
            },
            state="STEP_RUNNING",
            step="check",
        )
        await room.go()
        view = room.run.view()
        assert RunView.model_validate_json(view.model_dump_json()) == view
        assert (view.id, view.notebook, view.goal) == ("run-1", "run.ipynb", "know the prices")
        assert (view.state, view.status) == ("error", "failed")
        assert set(view.allowed_events) == {"RESET", "START_WORKFLOW", "START_BEHAVIOR"}
        assert view.location == {
            "stage_id": "load",
            "step_id": "check",
            "behavior_id": "behavior_002",
            "behavior_iteration": 2,
        }
        assert (view.progress.steps_done, view.progress.steps_total) == (1, 2)
        assert view.progress.fraction == 0.5
        assert [(s.id, s.status, s.behaviors) for s in view.progress.stages[0].steps] == [
            ("read", "skipped", 0),
            ("check", "failed", 2),
        ]
        assert view.progress.goals["step"] == "goal of check"
        assert view.counts.model_dump() == {
            "actions": 5,
            "actions_succeeded": 4,
            "actions_failed": 1,
            "actions_skipped": 0,
            "lines_skipped": 1,
            "cells_added": 3,
            "cells_executed": 1,
            "behaviors": 2,
            "plan_revisions": 0,
            "planner_calls": len(room.planner.requests),
            "bytes_sent": 0,
        }
        assert (view.pending, view.error.kind) == (None, "ActionFailed")
        assert view.planner == {"kind": "http", "url": room.planner.url}

        await room.run.finished()
        stored = await room.run.world.store.facts("run-1")
        assert fold(stored) == room.run.world.state
        assert [fact for fact in stored if isinstance(fact, Transitioned)] == room.events.of(
            Transitioned
        )


# -- when it ended ---------------------------------------------------------------------------------


async def test_b8_a_run_cancelled_at_idle_ended_then(tmp_path):
    """At idle it is no transition, so none tells the time."""
    async with lab(tmp_path) as room:
        room.planner.on("planning", Reply(400), state="IDLE")
        await room.go()
        assert (room.state, room.run.view().ended_at) == ("idle", None)
        asked = utc_now()
        await room.command("cancel")
        ended = room.run.view().ended_at
        assert ended is not None
        assert asked <= ended <= utc_now()
        assert room.run.view().ended_at == ended, "it stays what it was"
