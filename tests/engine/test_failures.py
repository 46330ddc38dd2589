"""A16-A18, P4, P7: what happens when something goes wrong, and what stays."""

import pytest

from notebook_bcc_ext.actions.context import ActionResult
from notebook_bcc_ext.engine.factory import default_registry
from notebook_bcc_ext.protocol.browser.facts import ActionEnded
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY
from tests.engine.harness import lab
from tests.support.planner_answers import CUT, RUN, Reply, Stream, add, say, too_many_requests

FAILING = add("print('before')\n1/0")
REPAIRED = {**RUN, "auto_debug": True}


def play(room, *behaviors, step="read"):
    room.planner.step(step, behaviors=[list(actions) for actions in behaviors])


def error_of(room):
    error = room.run.view().error
    assert error is not None
    return error


def counts(room):
    counted = room.run.view().counts
    return counted.actions, counted.actions_succeeded, counted.actions_failed, counted.lines_skipped


def feedback_effects(room, number=0):
    told = [s for s in room.planner.requests if s.is_feedback][number]
    return told.body["observation"]["context"]["effects"]["current"]


# -- A16: actions of one's own ------------------------------------------------------------------


async def test_a16_custom_actions_and_hooks_through_the_whole_path(tmp_path):
    registry, heard = default_registry(), []

    @registry.register("table")
    async def table(context, action):
        cell_id = await context.add_cell("markdown", f"| {action.head} |")
        context.publish("table_made", {"cell_id": cell_id})
        return ActionResult(success=True, cell_id=cell_id)

    @registry.register("says_no")
    def says_no(context, action):
        return {"success": False, "error": "no"}

    registry.register_handler("says_nothing", lambda context, action: None)
    registry.before(lambda context, action: heard.append(f"before {action.action}"))
    registry.after(lambda context, action, result: heard.append(f"after {result.success}"), "table")
    async with lab(tmp_path, registry=registry, on_action_error="continue") as room:
        play(
            room,
            [{"action": "table", "head": "price"}, {"type": "says_nothing"}, {"action": "says_no"}],
        )
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        [cell] = await room.cells()
        assert cell.source == "| price |"
        assert cell.metadata[METADATA_KEY]["action"] == "action-1"
        assert heard == ["before table", "after True", "before says_nothing", "before says_no"]
        assert room.events.said("table_made") == [{"cell_id": cell.id}]
        assert room.feedback()[0]["actions_succeeded"] == 2
        assert room.feedback()[0]["last_action_result"] == "error: no"


async def test_a16_a_pre_hook_that_refuses_stops_the_action(tmp_path):
    registry = default_registry()

    def refuse(context, action):
        raise PermissionError("not today")

    registry.before(refuse, "exec")
    async with lab(tmp_path, registry=registry) as room:
        play(room, [add("x = 1"), RUN])
        await room.go()
        assert error_of(room).message == ("a hook before 'exec' failed: PermissionError: not today")
        assert room.run.view().counts.cells_executed == 0


# -- A17: actions that cannot be done -------------------------------------------------------------


async def test_a17_a_missing_field_names_action_and_field(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x"), {"action": "new_chapter"}, say("never")])
        await room.go()
        assert (room.state, room.run.status) == ("error", "failed")
        assert error_of(room).message == "action 'new_chapter': required field 'content' is missing"
        assert {"debug", "retry", "restart", "reset"} <= set(error_of(room).remedies)
        assert counts(room) == (2, 1, 1, 0)
        assert await room.sources() == ["x"]


async def test_a17_an_unknown_type_is_skipped_and_told(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [{"action": "dance"}, say("x")])
        await room.go()
        assert room.state == "workflow_completed"
        assert counts(room) == (1, 1, 0, 1)
        assert room.feedback()[0]["actions_executed"] == 1
        assert room.feedback()[0]["lines_skipped"] == 1
        assert ["unknown action type 'dance'" in line for line in feedback_effects(room)] == [True]


async def test_a17_strict_actions_make_it_an_error(tmp_path):
    async with lab(tmp_path, strict_actions=True) as room:
        play(room, [{"action": "dance"}, say("x")])
        await room.go()
        assert room.state == "error"
        assert "unknown action type 'dance'" in error_of(room).message
        assert counts(room) == (1, 0, 1, 0)


async def test_a17_a_raising_handler_and_the_shape_of_results(tmp_path):
    registry = default_registry()

    @registry.register("explode")
    def explode(context, action):
        raise ZeroDivisionError("boom")

    async with lab(tmp_path, registry=registry, on_action_error="continue") as room:
        play(room, [{"action": "explode"}, {"action": "add"}, say("x")])
        await room.go()
        assert room.state == "workflow_completed"
        results = room.events.of(ActionEnded)
        assert [(r.success, r.error, r.action_id) for r in results] == [
            (False, "action 'explode' failed: ZeroDivisionError: boom", "action-1"),
            (False, "action 'add': required field 'content' is missing", "action-2"),
            (True, None, "action-3"),
        ]
        assert room.feedback()[0]["actions_executed"] == 3
        assert room.feedback()[0]["actions_succeeded"] == 1
        assert counts(room) == (3, 1, 2, 0)


# -- A18: a failing cell --------------------------------------------------------------------------


async def test_a18_a_failing_cell_fails_the_run_and_debug_tells_the_planner(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [FAILING, RUN, say("never")])
        await room.go()
        assert (room.state, room.run.status) == ("error", "failed")
        [cell] = await room.cells()
        assert [output["output_type"] for output in cell.outputs] == ["stream", "error"]
        assert cell.metadata[METADATA_KEY]["debug"] is True
        error = error_of(room)
        assert (error.message, error.kind) == (
            "ZeroDivisionError: division by zero",
            "ActionFailed",
        )
        assert error.cell_id == cell.id
        assert "ZeroDivisionError" in error.traceback
        assert error.location["step_id"] == "read"
        assert "before\nZeroDivisionError: division by zero" in room.run.world.state.effects.texts()
        play(room, [add("x = 1"), RUN])
        await room.command("debug")
        await room.to_rest()
        assert room.state == "workflow_completed"
        asked = room.planner.seen("/generating")[-1].body
        assert asked["behavior_feedback"] == {
            "behavior_id": "behavior_001",
            "actions_executed": 2,
            "actions_succeeded": 1,
            "sections_added": 0,
            "last_action_result": "error: ZeroDivisionError: division by zero",
            "actions_skipped": 1,
        }
        assert "ZeroDivisionError" in str(asked["observation"]["context"]["effects"]["current"])
        assert room.run.view().error is None


async def test_a18_auto_debug_lets_the_planner_repair_it(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [FAILING, REPAIRED, say("skipped")], [add("x = 1"), REPAIRED])
        await room.go()
        assert room.state == "workflow_completed"
        first, second = room.feedback()
        assert first["last_action_result"] == "error: ZeroDivisionError: division by zero"
        assert (first["actions_executed"], first["actions_succeeded"]) == (2, 1)
        assert feedback_effects(room)[0] == "before\nZeroDivisionError: division by zero"
        assert second["last_action_result"] == "success"
        assert await room.sources() == [FAILING["content"], "x = 1"]


async def test_a18_three_repairs_then_it_fails(tmp_path):
    async with lab(tmp_path, {"load": ["read", "check"]}) as room:
        play(room, [FAILING, REPAIRED], [add("x = 1"), RUN])
        play(room, *[[FAILING, REPAIRED]] * 6, step="check")
        await room.go()
        assert room.state == "error"
        assert error_of(room).message == (
            "ZeroDivisionError: division by zero (still failing after 3 repairs)"
        )
        tried = [s.step for s in room.planner.seen("/generating")]
        assert tried == ["read", "read", "check", "check", "check", "check"]


async def test_a18_on_action_error_continue(tmp_path):
    async with lab(tmp_path, on_action_error="continue") as room:
        play(room, [FAILING, RUN, add("y = 2"), RUN])
        await room.go()
        assert room.state == "workflow_completed"
        assert room.feedback()[0]["actions_executed"] == 4
        assert room.feedback()[0]["actions_succeeded"] == 3
        assert room.run.view().counts.actions_failed == 1


async def test_a18_the_debug_mark_goes_with_success_unless_it_is_to_stay(tmp_path):
    code = "{0} = globals().get('{0}', 0) + 1\nassert {0} > 1"
    keep = {**RUN, "keepDebugButtonVisible": True}
    async with lab(tmp_path, on_action_error="continue") as room:
        play(
            room,
            [
                add(code.format("FIRST")),
                RUN,
                RUN,
                add(code.format("SECOND")),
                RUN,
                keep,
                add("x = 1"),
                RUN,
            ],
        )
        await room.go()
        assert room.run.view().counts.actions_failed == 2
        cells = await room.cells()
        assert [cell.metadata[METADATA_KEY].get("debug") for cell in cells] == [None, True, None]


@pytest.mark.parametrize("on_error", ["fail", "continue"])
async def test_a18_a_kernel_that_dies_in_a_cell(tmp_path, on_error):
    plan = {"stages": [{"id": "load", "steps": [{"id": "read", "expected": ["df"]}]}]}
    async with lab(tmp_path, plan, on_action_error=on_error) as room:
        play(room, [add("import os; os._exit(1)"), RUN, add("df = 1"), RUN])
        await room.go()
        if on_error == "fail":
            assert room.state == "error"
            assert "kernel" in error_of(room).message
            play(room, [add("df = 2"), RUN])
            await room.command("retry")
            await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert room.run.view().counts.actions_failed == 1
        cells = await room.cells()
        assert cells[-1].execution_count == 1, "the next cell runs in a new kernel"


async def test_o4_a_kernel_that_is_gone_at_the_end_of_a_behavior_breaks_nothing(tmp_path):
    plan = {"stages": [{"id": "load", "steps": [{"id": "read", "expected": ["df"]}]}]}
    async with lab(tmp_path, plan, on_action_error="continue") as room:
        play(room, [add("df = 1\nimport os; os._exit(1)"), RUN])
        room.planner.on(
            "planning",
            {
                "targetAchieved": False,
                "transition": {"continue_behaviors": True},
                "context_filter": {"variables_to_summarize": {"df": "shape_only"}},
            },
            is_feedback=True,
        )
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert any("could not be checked" in warning for warning in room.warnings())


# -- P7: a planner that fails ---------------------------------------------------------------------


async def test_p7_planning_down_at_a_step_start_degrades_and_is_shown(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        room.planner.on("planning", Reply(503), state="STEP_RUNNING", times=3)
        await room.go()
        assert room.state == "workflow_completed"
        assert await room.sources() == ["x"]
        assert len(room.planner.seen("/planning")) == 2 + 3 + 3
        [warning] = [w for w in room.warnings() if "the planner gave no answer" in w]
        assert "going on as if the goal were not reached yet" in warning
        told = room.planner.seen("/generating")[0].body["observation"]["context"]["effects"]
        assert "the planner gave no answer" in str(told["current"])


async def test_p7_planning_down_at_feedback_fails_and_a_retry_repeats_nothing(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [add("n = globals().get('n', 0) + 1"), RUN])
        room.planner.on("planning", Reply(503), is_feedback=True, times=3)
        await room.go()
        assert room.state == "error"
        assert "gave no judgement of step 'read'" in error_of(room).message
        assert room.path()[-2:] == ["COMPLETE_BEHAVIOR", "FAIL"]
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert len(await room.cells()) == 1
        assert room.planner.requests[-1].body["observation"]["context"]["variables"]["n"] == 1
        assert room.feedback()[-1]["actions_executed"] == 2
        progress = room.planner.seen("/planning")[-2].body["observation"]["location"]["progress"]
        assert [b["behavior_id"] for b in progress["behaviors"]["completed"]] == ["behavior_001"]


@pytest.mark.parametrize(("failures", "ends"), [(2, "workflow_completed"), (3, "error")])
async def test_p7_generating_is_tried_three_times(tmp_path, failures, ends):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        room.planner.on("generating", Reply(500), times=failures)
        await room.go()
        assert room.state == ends
        assert len(room.planner.seen("/generating")) == 3
        assert [c.tries for c in room.calls if c.kind == "generating"] == [3]
        if ends == "error":
            assert "500" in error_of(room).message
            assert room.path()[-2:] == ["START_BEHAVIOR", "FAIL"]


async def test_p7_a_429_is_obeyed_and_a_400_is_not_repeated(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        room.planner.on("generating", too_many_requests("0"), times=1)
        room.planner.on("generating", Reply(400, {"error": "bad"}), times=1)
        await room.go()
        assert room.state == "error"
        assert "400" in error_of(room).message
        assert len(room.planner.seen("/generating")) == 2


COUNTING = add("n = globals().get('n', 0) + 1")


async def cut_then_retry(room, *again):
    """The stream breaks behind the first two actions; then the person retries."""
    play(room, list(again))
    room.planner.on("generating", Stream({"action": COUNTING}, {"action": RUN}, CUT), times=1)
    await room.go()
    assert (room.state, room.run.status) == ("error", "failed")
    assert "What has run stays; nothing was run twice" in error_of(room).message
    assert await room.sources() == [COUNTING["content"]]
    assert len(room.planner.seen("/generating")) == 1, "a stream that began is not repeated unasked"
    await room.command("retry")
    await room.to_rest()
    assert room.state == "workflow_completed", room.run.view().error


async def test_p7_after_a_cut_stream_a_retry_goes_on_behind_what_ran(tmp_path):
    async with lab(tmp_path) as room:
        await cut_then_retry(room, COUNTING, RUN, say("rest"))
        assert await room.sources() == [COUNTING["content"], "rest"]
        assert room.planner.requests[-1].body["observation"]["context"]["variables"]["n"] == 1
        assert room.feedback()[0]["actions_executed"] == 3, "all three ran, each once"
        assert room.feedback()[0]["actions_succeeded"] == 3
        assert counts(room) == (3, 3, 0, 0)


async def test_p7_after_a_cut_stream_a_planner_may_go_on_differently(tmp_path):
    async with lab(tmp_path) as room:
        await cut_then_retry(room, COUNTING, say("other"), RUN)
        assert await room.sources() == [COUNTING["content"], "other"]
        told = room.planner.requests[-1].body["observation"]["context"]["variables"]
        assert told["n"] == 2, "what comes behind the first other line is new, and is run"


async def test_p4_garbage_lines_are_counted_and_reported(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [say("x")])
        room.planner.on(
            "generating",
            Stream(
                {"action": say("one")},
                "this is no JSON",
                "[1, 2]",
                b"\n\n",
                {"neither": 1},
                say("bare"),
                b'{"action": {"action": "add", "content": "last \xe6',
                b'\x95\xb0"}}',
            ),
        )
        await room.go()
        assert room.state == "workflow_completed"
        assert await room.sources() == ["one", "bare", "last 数"]
        assert counts(room) == (3, 3, 0, 3)
        assert room.feedback()[0]["lines_skipped"] == 3
        reported = feedback_effects(room)
        assert ["was skipped: it is not JSON" in line for line in reported] == [True, False, False]
        assert reported[0].startswith("⚠️ WARN: line 2 of the stream")


async def test_p4_an_answer_that_is_not_streamed_is_checked_whole_first(tmp_path):
    async with lab(tmp_path, stream=False) as room:
        play(room, [say("never"), {"action": "add"}])
        await room.go()
        assert room.state == "error"
        assert "action 2 of 2: action 'add': required field 'content'" in error_of(room).message
        assert await room.sources() == []
