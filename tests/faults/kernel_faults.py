"""The kernel dies, is restarted or replaced under the run, or never comes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

from tests.faults.lab import Lab, Outcome, fault, lab, planner
from tests.support.planner_answers import RUN, add

LONG = "import os, time\nopen('pid.txt', 'w').write(str(os.getpid()))\ntime.sleep(30)"


async def _long_cell(at: Lab) -> tuple[int, dict[str, Any]]:
    """The process of the kernel, and its session, once the long cell runs."""
    file = at.server.notebooks / "pid.txt"
    while not file.exists() or not file.read_text():  # noqa: ASYNC110  another process writes it
        await asyncio.sleep(0.05)
    [session] = (await at.server.ask("GET", "/api/sessions")).json()
    return int(file.read_text()), session


@fault("kernel dies by os._exit in a cell", "failed", "error", "died")
async def dies(home: Path) -> Outcome:
    async with planner(add("import os; os._exit(1)"), RUN) as scripted, lab(home) as at:
        outcome = await at.outcome(await at.start(scripted.url))
        await at.still_stands()
        return outcome


@fault("kernel is killed from outside", "failed", "error", "died")
async def killed(home: Path) -> Outcome:
    async with planner(add(LONG), RUN) as scripted, lab(home) as at:
        run_id = await at.start(scripted.url)
        process, _ = await _long_cell(at)
        os.kill(process, signal.SIGKILL)
        outcome = await at.outcome(run_id)
        await at.still_stands()
        return outcome


@fault("kernel is restarted during a cell", "failed", "error", "restarted")
async def restarted(home: Path) -> Outcome:
    async with planner(add(LONG), RUN) as scripted, lab(home) as at:
        run_id = await at.start(scripted.url)
        _, session = await _long_cell(at)
        kernel = session["kernel"]["id"]
        answer = await at.server.ask("POST", f"/api/kernels/{kernel}/restart", {})
        assert answer.is_success, answer.text
        outcome = await at.outcome(run_id)
        await at.still_stands()
        return outcome


@fault("kernel is replaced between cells", "waiting", "behavior_running", "kernel is a new one")
async def replaced(home: Path) -> Outcome:
    """The person is asked whether to run the earlier cells again, before the planner is asked for
    more; confirmed, the run goes on."""
    actions, later = (add("x = 1"), RUN), (add("print(x)"), RUN)
    async with planner(*actions, second=later) as scripted, lab(home) as at:
        gate = asyncio.Event()

        async def planning(seen: Any) -> dict[str, Any]:
            await gate.wait()
            return {"targetAchieved": False}

        scripted.on("planning", planning, step="s2", state="STEP_RUNNING")
        run_id = await at.start(scripted.url)
        while (await at.server.view(run_id))["location"].get("step_id") != "s2":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        [session] = (await at.server.ask("GET", "/api/sessions")).json()
        other = {"kernel": {"name": "python3"}}
        answer = await at.server.ask("PATCH", f"/api/sessions/{session['id']}", other)
        assert answer.is_success, answer.text
        gate.set()
        outcome = await at.outcome(run_id, "waiting", "done", "failed")
        assert [seen.step for seen in scripted.seen("/generating")] == ["s1"]
        view = await at.server.view(run_id)
        assert view["pending"], view
        await at.server.command(run_id, "confirm", proposal_id=view["pending"]["id"])
        await at.server.until(run_id, "done")
        assert [seen.step for seen in scripted.seen("/generating")] == ["s1", "s2"]
        await at.still_stands()
        return outcome


@fault("kernel never gets ready", "paused", "idle", "no kernel|not answer|ready|within")
async def never_ready(home: Path) -> Outcome:
    spec = home / "jupyter_data_dir" / "kernels" / "never"
    spec.mkdir(parents=True)
    argv = ["sleep", "1000", "{connection_file}"]
    spec.joinpath("kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "never", "language": "python"})
    )
    empty = {"cells": [], "metadata": {"kernelspec": {"name": "never", "display_name": "never"}}}
    async with planner() as scripted, lab(home, kernel_start_timeout=2) as at:
        at.file.write_text(json.dumps({**empty, "nbformat": 4, "nbformat_minor": 5}))
        outcome = await at.outcome(await at.start(scripted.url))
        await at.still_stands()
        return outcome
