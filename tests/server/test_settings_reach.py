"""What a setting does in a real server: NOTEBOOK_ID, LOG_LEVEL, limits that are raised later."""

from __future__ import annotations

import nbformat
import pytest

from tests.support.planner_answers import add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer


def planning(planner, *cells):
    planner.workflow({"load": ["read"]})
    planner.step("read", behaviors=[[say(f"cell {number}") for number in range(*cells or (3,))]])


def request(planner, **fields):
    return {"planner": {"kind": "http", "url": planner.url}, **fields}


async def test_b6_b5_settings_reach_runs(tmp_path):
    environment = {"NOTEBOOK_ID": "default.ipynb", "MAX_EXECUTION_STEPS": "1"}
    async with (
        ScriptedPlanner() as planner,
        RealServer(tmp_path / "server", environment=environment) as server,
    ):
        planning(planner)
        # NOTEBOOK_ID names the notebook of a run that names none.
        run = await server.start_run(request(planner))
        assert run["notebook"] == "default.ipynb"
        paused = await server.until(run["id"], "paused")
        assert (paused["status_reason"], paused["counts"]["actions"]) == ("limit", 1)
        # A ceiling that is raised while a run is paused holds from its next command on.
        changed = await server.ask("PATCH", "settings", {"max_execution_steps": 0})
        assert changed.status_code == 200, changed.text
        await server.command(run["id"], "resume")
        done = await server.until(run["id"], "done", "paused")
        assert (done["status"], done["counts"]["actions"]) == ("done", 3)
        # The run request wins over both.
        planning(planner)
        own = {"max_execution_steps": 2, "log_level": "DEBUG"}
        other = await server.start_run(request(planner, notebook="other.ipynb", settings=own))
        paused = await server.until(other["id"], "paused", "done")
        assert paused["counts"]["actions"] == 2
        refused = await server.ask(
            "POST", "runs", request(planner, notebook="c.ipynb", settings={"planner_token": "x"})
        )
        assert (refused.status_code, "is a secret" in refused.text) == (400, True)
        unknown = await server.ask(
            "POST", "runs", request(planner, notebook="c.ipynb", settings={"max_step": 1})
        )
        assert (unknown.status_code, "is not a setting" in unknown.text) == (400, True)
        # The endpoints that follow from the address.
        shown = (await server.ask("PATCH", "settings", {"dslc_base_url": planner.url})).json()
        assert shown["endpoints"] == {
            "planning": f"{planner.url}/planning",
            "generating": f"{planner.url}/generating",
            "generate": f"{planner.url}/generate",
        }
    log = server.log
    name, other_name = f"run {run['id'][:8]} in default.ipynb", f"run {other['id'][:8]}"
    # At INFO its start and end, at DEBUG every transition.
    assert f"{name}: begins in state idle" in log
    assert f"{name}: ends: done" in log
    assert f"{name}: idle --START_WORKFLOW--> stage_running" not in log
    assert f"{other_name} in other.ipynb: idle --START_WORKFLOW--> stage_running" in log


async def test_f4_questions_and_failures_are_in_the_log_and_nothing_below_its_level(tmp_path):
    steps = [{"id": "read"}, {"id": "more\x1b[31m\nforged line"}]
    proposal = {"action": "update_stage_steps", "stage_id": "load", "updated_steps": steps}
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[proposal, add("1 / 0"), {"action": "exec"}]])
        run = await server.start_run(request(planner, notebook="a.ipynb"))
        waiting = await server.until(run["id"], "waiting")
        await server.command(run["id"], "confirm", proposal_id=waiting["pending"]["id"])
        await server.until(run["id"], "failed")
        log = server.log
        quiet = request(planner, notebook="b.ipynb", settings={"log_level": "ERROR"})
        planner.step("read", behaviors=[[say("x")]])
        second = await server.start_run(quiet)
        await server.until(second["id"], "done", "failed", "paused")
    assert f"run {run['id'][:8]} in a.ipynb: asks (steps):" in log
    assert "steps confirmed by" in log
    assert f"run {run['id'][:8]} in a.ipynb: failed: " in log
    assert "\x1b[31m" not in log
    assert f"run {second['id'][:8]}" not in server.log


@pytest.mark.parametrize("named", [{}, {"notebook": ""}])
async def test_b6_without_any_notebook_the_person_is_told(tmp_path, named):
    async with RealServer(tmp_path / "server") as server:
        refused = await server.ask(
            "POST", "runs", {"planner": {"kind": "embedded", "playbook": "lifecycle"}, **named}
        )
    assert refused.status_code == 400
    assert "set NOTEBOOK_ID" in refused.text


async def test_p1_a_server_loads_whatever_its_environment_and_configuration_say(tmp_path):
    environment = {
        "LOG_LEVEL": "trace",
        "MAX_EXECUTION_STEPS": "abc",
        "BCC_PLANNER_TOKEN": "s3cret\nof two lines",
        "BCC_PLANNER_TRIES": "4",
    }
    options = {"approvl": "code", "max_behaviors_per_step": 0, "keep_runs": 7}
    async with RealServer(
        tmp_path / "server", environment=environment, options=options, arguments=("--debug",)
    ) as server:
        shown = await server.get("settings")
        changed = await server.ask("PATCH", "settings", {"max_execution_steps": "abc"})
    assert (changed.status_code, "a whole number at least 0" in changed.text) == (400, True)
    values = {name: one["value"] for name, one in shown["settings"].items()}
    assert (values["log_level"], values["max_execution_steps"]) == ("INFO", 0)
    assert (values["approval"], values["max_behaviors_per_step"]) == ("updates", 20)
    assert (values["planner_tries"], values["keep_runs"]) == (4, 7), "the others hold"
    told = [
        "LOG_LEVEL of the environment is not used: ",
        "(got 'trace'); allowed: DEBUG, INFO, WARNING, ERROR, CRITICAL",
        "MAX_EXECUTION_STEPS of the environment is not used: ",
        "(got 'abc'); allowed: a whole number at least 0",
        "BCC_PLANNER_TOKEN of the environment is not used: it must be printable ASCII on one line",
        "'approvl' of the Jupyter configuration is not used: it is not a setting",
        "did you mean 'approval'?",
        "max_behaviors_per_step of the Jupyter configuration is not used: ",
    ]
    for text in told:
        assert any(text in notice for notice in shown["notices"]), (text, shown["notices"])
        assert text in server.log
    assert "s3cret" not in server.log


async def test_b5_retry_goes_on_once_the_ceiling_of_the_loop_guard_is_raised(tmp_path):
    options = {"max_behaviors_per_step": 2}
    async with (
        ScriptedPlanner() as planner,
        RealServer(tmp_path / "server", options=options) as server,
    ):
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say(f"cell {number}")] for number in range(4)])
        run = await server.start_run(request(planner, notebook="a.ipynb"))
        stopped = await server.until(run["id"], "failed", "done")
        assert (stopped["status"], stopped["counts"]["behaviors"]) == ("failed", 2)
        assert "max_behaviors_per_step" in stopped["error"]["message"]
        # Nothing was raised: it stops again, at once.
        await server.command(run["id"], "retry")
        again = await server.until(run["id"], "failed", "done")
        assert (again["status"], again["counts"]["behaviors"]) == ("failed", 2)
        changed = await server.ask("PATCH", "settings", {"max_behaviors_per_step": 10})
        assert changed.status_code == 200, changed.text
        retried = await server.command(run["id"], "retry")
        assert retried.status_code == 200, retried.text
        done = await server.until(run["id"], "failed", "done", "paused")
    assert (done["status"], done["error"]) == ("done", None)
    cells = nbformat.read(server.notebooks / "a.ipynb", as_version=4).cells
    assert [cell.source for cell in cells] == [f"cell {number}" for number in range(4)]
