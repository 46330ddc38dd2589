"""Questions of a recorded run get the answers again that the person gave then."""

from __future__ import annotations

import pytest

from tests.replay.recordings import exported, replay, sources
from tests.support.planner_answers import RUN, Reply, Stream, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

NOTEBOOK = "run.ipynb"


def request(planner, **fields):
    return {"notebook": NOTEBOOK, "planner": {"kind": "http", "url": planner.url}, **fields}


def steps(*names):
    return {
        "action": "update_stage_steps",
        "stage_id": "a",
        "updated_steps": [{"id": name, "goal": f"goal of {name}"} for name in names],
    }


def stages(*names):
    template = [{"id": name, "steps": [{"id": f"of-{name}"}]} for name in names]
    first = {"id": "a", "steps": [{"id": "s1"}]}
    return {"action": "update_workflow", "updated_workflow": {"stages": [first, *template]}}


async def answered(server, run, command, **fields):
    waiting = await server.until(run["id"], "waiting")
    sent = await server.command(run["id"], command, proposal_id=waiting["pending"]["id"], **fields)
    assert sent.status_code == 200, sent.text


async def test_confirmed_rejected_and_edited_proposals(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        proposals = [stages("unwanted"), stages("wanted"), steps("s1", "more")]
        planner.step("s1", behaviors=[[say("first"), *proposals, say("last")]])
        for name in ("more", "other", "of-unwanted", "of-wanted"):
            planner.step(name, behaviors=[[say(f"cell of {name}")]])
        run = await server.start_run(request(planner))
        await answered(server, run, "reject", reason="too long")
        await answered(server, run, "confirm")
        await answered(server, run, "confirm", edited=steps("s1", "other"))
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
        original = sources(server.notebooks / NOTEBOOK)
    assert [one["decision"] for one in record["decisions"]] == [
        "rejected",
        "confirmed",
        "confirmed",
    ]
    assert record["decisions"][0]["reason"] == "too long"
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == original
    # Another answer is another way: the record cannot know what the planner would have said.
    other = await replay(tmp_path / "other", record, "--approve", "yes")
    assert other.code == 1
    assert "went another way" in other.out


async def test_behaviors_and_cells_that_were_refused(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[add("x = 1"), RUN, say("not reached")], [say("instead")]])
        run = await server.start_run(request(planner, approval="code"))
        await answered(server, run, "confirm")
        await answered(server, run, "reject", reason="not this one")
        await answered(server, run, "confirm")
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
        original = sources(server.notebooks / NOTEBOOK)
    assert original == ["x = 1", "instead"]
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == original


async def test_b8_c7_a_cell_that_was_refused_and_one_that_was_edited(tmp_path):
    """The planner knew no other way; asked once more, the person changed the code."""
    neither = {"targetAchieved": False, "transition": {"continue_behaviors": False}}
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[add("x = 1"), RUN]])
        planner.on("planning", neither, is_feedback=True, times=1)
        run = await server.start_run(request(planner, approval="code"))
        await answered(server, run, "confirm")
        await answered(server, run, "reject")
        paused = await server.until(run["id"], "paused")
        assert paused["error"]["kind"] == "NotAllowed"
        await server.command(run["id"], "retry")
        await answered(server, run, "confirm")
        await answered(server, run, "confirm", edited={"source": "x = 2"})
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
        original = sources(server.notebooks / NOTEBOOK)
    assert original[-1] == "x = 2"
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == original


async def test_u2_a_server_that_stopped_between_two_actions(tmp_path):
    options = {"interactive_mode": True}
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "s", options=options) as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one"), say("two")]])
        run = await server.start_run(request(planner))
        await server.until(run["id"], "paused")
        await server.stop()
        await server.start()
        for _ in range(4):
            if (await server.view(run["id"]))["status"] == "done":
                break
            await server.command(run["id"], "resume")
            await server.until(run["id"], "paused", "done")
        record = await exported(server, run["id"])
    assert {seen.state for seen in planner.seen("/generating")} == {"BEHAVIOR_RUNNING"}
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == ["one", "two"]


async def test_a_plan_that_was_edited_before_it_began(tmp_path):
    options = {"approve_plan": True}
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "s", options=options) as server:
        plan = planner.workflow({"a": ["s1", "s2"]})
        for name in ("s1", "s2"):
            planner.step(name, behaviors=[[say(f"cell of {name}")]])
        run = await server.start_run(request(planner))
        shorter = {**plan, "stages": [{"id": "a", "steps": [{"id": "s2"}]}]}
        await answered(server, run, "confirm", edited=shorter)
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == ["cell of s2"]


async def test_a_run_that_failed_and_was_tried_again(tmp_path):
    """Rejected steps end a run in an error; what the person ordered then is ordered again."""
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.on("generating", Stream({"action": say("one")}, {"action": steps("s1", "more")}))
        planner.step("s1", behaviors=[[say("two")]])
        run = await server.start_run(request(planner))
        await answered(server, run, "reject", reason="enough")
        await server.until(run["id"], "failed")
        failed = await exported(server, run["id"])
        await server.command(run["id"], "retry")
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
        original = sources(server.notebooks / NOTEBOOK)
    assert original == ["two"]
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == original
    so_far = await replay(tmp_path / "so-far", failed)
    assert so_far.code == 1
    assert "was rejected: enough" in so_far.out
    assert sources(tmp_path / "so-far" / "again.ipynb") == ["one"]


async def test_a_run_that_found_no_planner_at_first(tmp_path):
    """Before there is a workflow a failure is a pause, which no transition tells of."""
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one")]])
        planner.on("planning", Reply(400, {"error": "not yet"}))
        run = await server.start_run(request(planner))
        await server.until(run["id"], "paused")
        await server.command(run["id"], "retry")
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == ["one"]


async def test_a_question_without_an_answer_is_told(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one"), steps("s1", "more")]])
        run = await server.start_run(request(planner))
        await server.until(run["id"], "waiting")
        open_one = await exported(server, run["id"])
        await server.command(run["id"], "cancel")
        cancelled = await exported(server, run["id"])
    # While the stream is open its call is not over, and so not in the record.
    stopped = await replay(tmp_path / "open", open_one)
    assert stopped.code == 1
    assert "the record ends here: the run was waiting when it was recorded" in stopped.out
    stopped = await replay(tmp_path / "cancelled", cancelled)
    assert stopped.code == 4
    assert "a question of the kind 'steps' (1 change(s) to the plan) that was not" in stopped.err
    assert "--approve yes, no or ask" in stopped.err
    cancelled["decisions"] = []
    stopped = await replay(tmp_path / "none", cancelled)
    assert stopped.code == 4
    assert "is not in the record" in stopped.err
    assert sources(tmp_path / "none" / "again.ipynb") == ["one"]


async def test_an_answer_that_does_not_fit_any_more_stops_the_replay(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one"), steps("s1", "more")]])
        planner.step("more", behaviors=[[say("more")]])
        run = await server.start_run(request(planner))
        await answered(server, run, "confirm")
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    record["decisions"][0]["edited"] = {"stage_id": "nowhere", "updated_steps": [{"id": "x"}]}
    stopped = await replay(tmp_path / "again", record)
    assert stopped.code == 4
    assert "the workflow has no stage 'nowhere'" in stopped.err


@pytest.mark.parametrize("how", ["kill", "stop"])
async def test_the_calls_of_two_servers_are_one_record(tmp_path, how):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1", "s2"]})
        planner.step("s1", behaviors=[[say("one")]])
        planner.step("s2", behaviors=[[say("two")]])
        run = await server.start_run(request(planner, approval="behaviors"))
        await answered(server, run, "confirm")
        while (await server.until(run["id"], "waiting"))["location"]["step_id"] != "s2":
            pass
        if how == "kill":
            server.kill()
        await server.stop()
        await server.start()
        await server.command(run["id"], "resume")
        await answered(server, run, "confirm")
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    numbers = [call["number"] for call in record["calls"]]
    assert numbers == list(range(1, len(planner.requests) + 1))
    again = await replay(tmp_path / "again", record)
    assert (again.code, again.err) == (0, "")
    assert sources(tmp_path / "again" / "again.ipynb") == ["one", "two"]


@pytest.mark.parametrize("where", ["settings", "request"])
async def test_s13_a_record_does_not_lower_the_approval_that_was_set(tmp_path, where):
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[add("1 + 1"), RUN]])
        run = await server.start_run(request(planner, approval="none"))
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    assert record[where]["approval"] == "none"
    record["request" if where == "settings" else "settings"].pop("approval")
    asked = await replay(tmp_path / "asked", record, settings={"BCC_APPROVAL": "code"})
    assert asked.code != 0
    assert "stopped at a question of the kind 'behavior'" in asked.err
    unasked = await replay(tmp_path / "unasked", record)
    assert (unasked.code, unasked.err) == (0, "")
