"""Planner services on loopback, one per story that the browser tests tell.

Prints one line of JSON, `{story: address}`, and serves until its standard input is closed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.planner_answers import RUN, Reply, Stream, add, say
from tests.support.planner_server import ScriptedPlanner

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hostile_planner import hostile

Json = dict[str, Any]
PLAN: Json = {
    "name": "A look at the customers",
    "stages": [
        {
            "id": "load",
            "name": "Load the data",
            "steps": [
                {
                    "id": "read",
                    "name": "Read the file",
                    "goal": "The table is in memory.",
                    "expected_outputs": ["rows"],
                },
                {
                    "id": "check",
                    "name": "Check the columns",
                    "goal": "Types are known.",
                    "expected_outputs": ["columns"],
                },
            ],
        },
        {
            "id": "report",
            "name": "Report",
            "steps": [{"id": "write", "name": "Write it down", "goal": "Findings in words."}],
        },
    ],
}


OUTPUTS = {"read": ["rows"], "check": ["columns"]}


def _step(step_id: str, name: str, goal: str) -> Json:
    step: Json = {"id": step_id, "name": name, "goal": goal}
    if step_id in OUTPUTS:
        step["expected_outputs"] = OUTPUTS[step_id]
    return step


def _begin(planner: ScriptedPlanner) -> None:
    """The plan, the planner's words, and steps that need nothing special."""
    planner.workflow(PLAN)
    # A connection check asks with an empty body, which a planner refuses.
    refusal = Reply(400, {"error": "there is no observation"})
    planner.on("planning", refusal, is_request=False, times=None)
    planner.on(
        "planning",
        {
            "targetAchieved": False,
            "context_update": {
                "workflow_update": PLAN,
                "variables": {"depth": "short"},
                "progress_update": {
                    "level": "stages",
                    "focus": "First see what the file holds, then write it down.",
                },
                "section_progress": {"all": ["Reading", "Findings"]},
                "todo_list_update": {
                    "operation": "replace",
                    "items": ["Read the file", "Check the columns", "Write it down"],
                },
            },
        },
        state="IDLE",
        times=None,
    )
    planner.step(
        "read",
        [[{"action": "new_section", "content": "Reading"}, add("rows = 6 * 7\nprint(rows)"), RUN]],
    )
    planner.step("check", [[add("columns = ['id', 'age']\ncolumns"), RUN], [say("Types fit.")]])
    planner.step("write", [[say("Forty-two rows, two columns.")]])


def short(planner: ScriptedPlanner) -> None:
    _begin(planner)


def slow(planner: ScriptedPlanner) -> None:
    """Thinks aloud, then keeps a cell running until somebody stops it."""
    _begin(planner)
    planner.step(
        "check",
        [
            [
                {
                    "action": "is_thinking",
                    "agent_name": "Ada",
                    "thinking_text": "Which columns are numbers?",
                },
                add("import time\ntime.sleep(120)"),
                RUN,
            ]
        ],
    )


def steps(planner: ScriptedPlanner) -> None:
    """Proposes other steps for the first stage."""
    _begin(planner)
    proposal = {
        "action": "update_stage_steps",
        "stage_id": "load",
        "updated_steps": [
            _step("read", "Read the file", "The table is in memory."),
            _step("gaps", "Look for gaps", "Missing values are known."),
            _step("check", "Check columns and types", "Types are known."),
        ],
    }
    planner.step("read", [[say("## Reading"), proposal]])
    planner.step("gaps", [[say("No gaps.")]])


def workflow(planner: ScriptedPlanner) -> None:
    """Proposes another workflow: a stage more, a step less, another order, another name."""
    _begin(planner)
    proposed = {
        "name": "A look at the customers",
        "stages": [
            {
                "id": "load",
                "name": "Load the data",
                "steps": [
                    _step("check", "Check the columns", "Types and units are known."),
                    _step("read", "Read the file", "The table is in memory."),
                ],
            },
            {
                "id": "model",
                "name": "Model",
                "steps": [_step("fit", "Fit a baseline", "A first score is known.")],
            },
            {
                "id": "report",
                "name": "Findings",
                "steps": [_step("write", "Write it down", "Findings in words.")],
            },
        ],
    }
    planner.step(
        "read", [[say("## Reading"), {"action": "update_workflow", "updated_workflow": proposed}]]
    )
    planner.step("fit", [[say("A baseline scores 0.8.")]])


def failing(planner: ScriptedPlanner) -> None:
    """A cell fails; told of it, the planner writes a better one."""
    _begin(planner)
    planner.step("check", [[say("## Checking"), add("columns = 1 / 0"), RUN]])
    repaired = Stream({"action": add("columns = ['id', 'age']")}, {"action": RUN})
    planner.on("generating", repaired, step="check", is_feedback=True, times=None)


def flaky(planner: ScriptedPlanner) -> None:
    """A cell that fails the first time it runs."""
    _begin(planner)
    code = "tries = globals().get('tries', 0) + 1\nassert tries > 1, 'not yet'"
    planner.step("check", [[say("## Checking"), add(code), RUN]])


def steady(planner: ScriptedPlanner) -> None:
    """One short cell after the other, slowly enough to be paused in between."""
    _begin(planner)
    lines = [item for n in range(1, 601) for item in (0.2, say(f"Line {n}"))]
    planner.step("check", [lines])


def twice(planner: ScriptedPlanner) -> None:
    """Proposes a longer list of steps, and soon another one."""
    _begin(planner)
    names = ["read", "gaps", "check", "types", "units", "ranges"]

    def proposal(count: int) -> Json:
        steps = [_step(name, name.capitalize(), "") for name in names[:count]]
        return {"action": "update_stage_steps", "stage_id": "load", "updated_steps": steps}

    planner.step("read", [[say("## Reading"), proposal(4)]])
    planner.step("gaps", [[say("No gaps."), proposal(6)]])
    planner.step("check", [[add("import time\ntime.sleep(120)"), RUN]])


def many(planner: ScriptedPlanner) -> None:
    """More cells and variables than fit on a screen."""
    _begin(planner)
    code = "for number in range(200):\n    globals()[f'value_{number:03}'] = number"
    planner.step("check", [[add(code), RUN, *[say(f"Line {n}") for n in range(1, 301)]]])


STORIES: dict[str, Callable[[ScriptedPlanner], None]] = {
    story.__name__: story
    for story in (short, slow, steps, workflow, failing, flaky, steady, twice, many, hostile)
}


async def main() -> None:
    async with AsyncExitStack() as stack:
        addresses = {}
        for name, story in STORIES.items():
            planner = await stack.enter_async_context(ScriptedPlanner())
            story(planner)
            addresses[name] = planner.url
        sys.stdout.write(json.dumps(addresses) + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
