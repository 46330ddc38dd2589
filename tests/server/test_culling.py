"""X4: a run that works counts as activity, one that waits, rests or has ended does not."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from notebook_bcc_ext.hosting.work_marks import MARK_SECONDS
from notebook_bcc_ext.server.workplace import ACTIVITY
from tests.server.test_runs import Api
from tests.support.planner_answers import RUN, Hang, add, say
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 60
LONG_AGO = timedelta(hours=1)
CELL = [add("1 + 1"), RUN]


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


@pytest.fixture
def jp_server_config(jp_server_config):
    culling = {"cull_idle_timeout": 3, "cull_interval": 1, "cull_connected": True}
    jp_server_config["MappingKernelManager"] = culling
    return jp_server_config


async def until(condition):
    async with asyncio.timeout(HANG_GUARD):
        while not condition():  # noqa: ASYNC110  a state of the server, not an event
            await asyncio.sleep(0.05)


class Server:
    def __init__(self, app):
        self.kernels = app.kernel_manager
        self._web_app = app.web_app

    async def until_culled(self):
        await until(lambda: not self.kernels.list_kernel_ids())

    async def until_marked(self):
        """Both had been idle for long when the run said that it works."""
        [kernel_id] = self.kernels.list_kernel_ids()
        self.kernels.get_kernel(kernel_id).last_activity = datetime.now(UTC) - LONG_AGO
        self._web_app.settings[ACTIVITY] = datetime.now(UTC) - LONG_AGO
        self.kernels.last_kernel_activity = datetime.now(UTC) - LONG_AGO
        await until(lambda: self._is_fresh(self._web_app.settings[ACTIVITY]))
        assert self._is_fresh(self.kernels.get_kernel(kernel_id).last_activity)
        assert self._is_fresh(self._web_app.last_activity())

    def _is_fresh(self, moment):
        return datetime.now(UTC) - moment < LONG_AGO / 2

    async def marks_stand_still(self):
        marked = self._web_app.settings.get(ACTIVITY), self.kernels.last_kernel_activity
        await asyncio.sleep(4 * MARK_SECONDS)
        return marked == (self._web_app.settings.get(ACTIVITY), self.kernels.last_kernel_activity)


@pytest.fixture
def server(jp_serverapp):
    return Server(jp_serverapp)


async def started(api, planner, actions, **fields):
    planner.workflow({"load": ["read"]})
    planner.step("read", behaviors=[actions])
    return await api.start(planner, **fields)


@pytest.mark.parametrize("end", ["done", "failed", "cancelled"])
async def test_d1_the_kernel_of_a_run_that_has_ended_is_culled(end, api, server):
    actions = [*CELL, add("1 / 0"), RUN] if end == "failed" else CELL
    async with ScriptedPlanner() as planner:
        if end == "cancelled":
            planner.on("planning", Hang(), is_feedback=True)
        run = await started(api, planner, actions)
        if end == "cancelled":
            await until(lambda: any(seen.is_feedback for seen in planner.requests))
            await api.post("runs", run["id"], "commands", body={"command": "cancel"})
        await api.until(run["id"], end)
        await server.until_culled()
        assert await server.marks_stand_still()


async def test_d1_the_kernel_of_a_run_that_waits_is_culled_and_comes_back(api, server):
    async with ScriptedPlanner() as planner:
        run = await started(api, planner, CELL, approval="behaviors")
        view = await api.until(run["id"], "waiting")
        await server.until_culled()
        assert await server.marks_stand_still()
        answer = {"command": "confirm", "proposal_id": view["pending"]["id"]}
        await api.post("runs", run["id"], "commands", body=answer)
        view = await api.until(run["id"], "done", "failed", "paused", "waiting")
        assert (view["status"], view["error"]) == ("done", None)


class TestWork:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        # The test itself asks the culler, when the run has had the time to say that it works.
        jp_server_config["MappingKernelManager"]["cull_interval"] = 3600
        return jp_server_config

    async def test_d1_a_run_that_works_is_activity(self, api, server):
        async with ScriptedPlanner() as planner:
            planner.on("planning", Hang(), is_feedback=True)
            run = await started(api, planner, [say("hello"), *CELL])
            await until(lambda: any(seen.is_feedback for seen in planner.requests))
            for _ in range(3):
                await server.until_marked()
                await server.kernels.cull_kernels()
                assert server.kernels.list_kernel_ids()
            await api.post("runs", run["id"], "commands", body={"command": "cancel"})


class TestWhereWaitingCounts:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["MappingKernelManager"]["cull_interval"] = 3600
        jp_server_config["NotebookBccApp"] = {"options": {"waiting_is_activity": True}}
        return jp_server_config

    async def test_d1_a_run_that_waits_is_activity_where_it_is_set(self, api, server):
        async with ScriptedPlanner() as planner:
            run = await started(api, planner, CELL, approval="behaviors")
            await api.until(run["id"], "waiting")
            await server.until_marked()
            await server.kernels.cull_kernels()
            assert server.kernels.list_kernel_ids()
