"""Clocks, other people, other servers, other people's code."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.faults.lab import OPTIONS, SITE, Lab, Outcome, fault, lab, planner
from tests.support.planner_answers import RUN, add, say
from tests.support.real_server import RealServer


async def _clock(home: Path, seconds: float) -> Outcome:
    jump = {"action": "jump_clock", "seconds": seconds}
    async with planner(say("one"), jump, add("print(1)"), RUN) as scripted, lab(home) as at:
        run_id = await at.start(scripted.url)
        outcome = await at.outcome(run_id)
        assert await at.sources() == ["one", "print(1)", "two"]
        await at.still_stands()
        await at.server.stop()
        await at.server.start()
        # What is dated wrongly is kept all the same.
        assert (await at.server.view(run_id))["status"] == outcome.status
        return outcome


@fault("clock jumps a year ahead", "done", "workflow_completed", "nothing to complain about")
async def clock_ahead(home: Path) -> Outcome:
    return await _clock(home, 365 * 86_400.0)


@fault("clock jumps a year back", "done", "workflow_completed", "nothing to complain about")
async def clock_back(home: Path) -> Outcome:
    return await _clock(home, -365 * 86_400.0)


@fault("two people answer at once", "done", "workflow_completed", "already")
async def two_people(home: Path) -> Outcome:
    update = {"action": "update_stage_steps", "stage_id": "a",
              "updated_steps": [{"id": "s1"}, {"id": "s2"}, {"id": "s3"}]}  # fmt: skip
    async with planner(say("one"), update) as scripted, lab(home) as at:
        run_id = await at.start(scripted.url)
        pending = (await at.server.until(run_id, "waiting"))["pending"]
        answers = await asyncio.gather(
            *(at.server.command(run_id, "confirm", proposal_id=pending["id"]) for _ in range(2))
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        [second] = [answer for answer in answers if answer.status_code == 409]
        view = await at.server.until(run_id, "done", "failed")
        await at.still_stands()
        return Outcome(view["status"], view["state"], second.json()["message"])


@fault("two servers on one folder", "waiting", "behavior_running", "another Jupyter server")
async def two_servers(home: Path) -> Outcome:
    shared: dict[str, Any] = {"notebooks": home / "work", "store": home / "runs.db"}
    async with (
        planner() as scripted,
        RealServer(home / "one", options=OPTIONS, **shared) as one,
        RealServer(home / "two", options=OPTIONS, **shared) as two,
    ):
        first, second = Lab(one), Lab(two)
        run_id = await first.start(scripted.url, approval="behaviors")
        view = await one.until(run_id, "waiting")
        address = {"kind": "http", "url": scripted.url}
        refused = await two.ask("POST", "runs", {"notebook": "run.ipynb", "planner": address})
        assert refused.status_code == 409, refused.text
        for at in (first, second):
            await at.still_stands()
        return Outcome(view["status"], view["state"], refused.json()["message"])


async def _action(home: Path, *actions: dict[str, Any]) -> Outcome:
    async with planner(*actions) as scripted, lab(home) as at:
        assert SITE.is_dir()
        outcome = await at.outcome(await at.start(scripted.url))
        await at.still_stands()
        return outcome


@fault("custom action raises", "failed", "error", "action 'raises' failed: ZeroDivisionError")
async def action_raises(home: Path) -> Outcome:
    return await _action(home, {"action": "raises"})


@fault("custom action never returns", "failed", "error", "'never_returns' did not return within")
async def action_never_returns(home: Path) -> Outcome:
    return await _action(home, {"action": "never_returns"})


@fault("custom action blocks", "failed", "error", "action 'blocks' did not return within")
async def action_blocks(home: Path) -> Outcome:
    return await _action(home, {"action": "blocks"})


@fault("hook raises", "failed", "error", "a hook before 'new_chapter' failed: ZeroDivisionError")
async def hook_raises(home: Path) -> Outcome:
    return await _action(home, {"action": "new_chapter", "content": "One"})


@fault("hook never returns", "failed", "error", "a hook before 'new_section' did not return")
async def hook_never_returns(home: Path) -> Outcome:
    return await _action(home, {"action": "new_section", "content": "One"})


@fault("hook raises after the action", "done", "workflow_completed", "a hook after 'new_step'")
async def late_hook_raises(home: Path) -> Outcome:
    return await _action(home, {"action": "new_step", "content": "One"})
