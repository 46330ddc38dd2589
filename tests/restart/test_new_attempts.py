"""N7: a new attempt takes the place of the one before, also when the server dies in the middle."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from tests.restart.test_restart import finish, request, sources
from tests.support.planner_answers import RUN, Stream, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

FIRST, FAILED, REPAIRED = "one", "1 / 0", "good = 1"


async def failed_run(server, planner):
    """One step done, the second one failed."""
    planner.workflow({"a": ["s1", "s2"]})
    planner.step("s1", behaviors=[[say(FIRST)]])
    planner.step("s2", behaviors=[[say("two"), add(FAILED), RUN]])
    run = await server.start_run(request(planner))
    await server.until(run["id"], "failed")
    planner.step("s1", behaviors=[[say(FIRST)]])
    planner.step("s2", behaviors=[[say("two"), add(REPAIRED), RUN]])
    return run["id"]


async def killed(server):
    server.kill()
    await server.stop()
    await server.start()


@pytest.mark.parametrize("command", ["retry", "debug", "restart"])
@pytest.mark.parametrize("written", [0, 1], ids=["before its first cell", "behind its first cell"])
async def test_c6_killed_in_the_middle_of_a_new_attempt(tmp_path, command, written):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        run_id = await failed_run(server, planner)
        held = Stream(*[{"action": say("two")}] * written, asyncio.Event())
        planner.on("generating", held, step="s2")
        asked = len(planner.seen("/generating")) + (2 if command == "restart" else 1)
        before = (await server.view(run_id))["counts"]["actions"] + (command == "restart")
        await server.command(run_id, command)

        actions = 0
        while len(planner.seen("/generating")) < asked or actions < before + written:
            await asyncio.sleep(0.05)
            actions = (await server.view(run_id))["counts"]["actions"]
        await killed(server)
        await server.command(run_id, "resume")
        await finish(server, run_id)
        assert sources(server) == [FIRST, "two", REPAIRED]


@pytest.mark.parametrize("command", ["retry", "debug", "restart"])
async def test_c6_a_new_attempt_waits_for_the_run_that_is_active_there(tmp_path, command):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        run_id = await failed_run(server, planner)
        other = await server.start_run(request(planner, approval="behaviors"))
        await server.until(other["id"], "waiting")
        before = await server.view(run_id)
        refused = await server.command(run_id, command)
        assert refused.status_code == httpx.codes.CONFLICT, refused.text
        assert f"the run {other['id']} is still active" in refused.json()["message"]
        assert (await server.view(run_id))["status"] == before["status"] == "failed"
        assert FAILED in sources(server)
