"""A machine that wakes up in another year after a kill: the run and its cells are there."""

from __future__ import annotations

import asyncio
import os

from tests.restart.test_restart import finish, request, sources
from tests.support.planner_answers import Stream, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

AHEAD = "import time\n_now = time.time\ntime.time = lambda: _now() + 200 * 86_400\n"
TEXTS = [f"cell {number}" for number in range(61)]


async def test_s8_a_clock_200_days_ahead_takes_neither_run_nor_cells(tmp_path):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say(text) for text in TEXTS]])
        held = Stream(*({"action": say(text)} for text in TEXTS), asyncio.Event())
        planner.on("generating", held)
        async with RealServer(tmp_path) as server:
            run_id = (await server.start_run(request(planner)))["id"]
            added = 0
            while added < len(TEXTS):
                await asyncio.sleep(0.05)
                added = (await server.view(run_id))["counts"]["cells_added"]
            server.kill()
        (tmp_path / "sitecustomize.py").write_text(AHEAD)
        found = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        later = RealServer(tmp_path, environment={"PYTHONPATH": found})
        async with later:
            assert (await later.view(run_id))["status"] == "paused"
            await later.command(run_id, "resume")
            await finish(later, run_id)
            assert sources(later) == TEXTS
