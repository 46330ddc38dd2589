"""Kills a run at random moments and lets it go on, until it is done; then counts the damage.

    python -m tests.chaos.campaign [--moments 200] [--seed N]

Printed: moments tried, cells lost, cells doubled, code run twice, proposals lost. All must be 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import nbformat

from notebook_bcc_ext.protocol.notebook_ops import METADATA_KEY
from tests.planner_answers import RUN, add, say
from tests.planner_server import ScriptedPlanner

STEPS = ("s1", "s2", "s3", "s4")
MORE = "extra"
RUN_GUARD_SECONDS = 240


@dataclass
class Damage:
    moments: int = 0
    runs: int = 0
    cells_lost: int = 0
    cells_doubled: int = 0
    code_run_twice: int = 0
    proposals_lost: int = 0

    def __str__(self) -> str:
        words = (
            f"{field.name.replace('_', ' ')}: {getattr(self, field.name)}" for field in fields(self)
        )
        return ", ".join(words)

    @property
    def none(self) -> bool:
        counts = (self.cells_lost, self.cells_doubled, self.code_run_twice, self.proposals_lost)
        return not any(counts)


def script(planner: ScriptedPlanner, folder: Path) -> list[str]:
    """A plan with texts, code, outputs and a proposal; the sources it must leave behind."""
    plan = {"a": ["s1", "s2"], "b": ["s3", "s4"]}
    planner.workflow(plan)
    for step in (*STEPS, MORE):
        planner.step(step, behaviors=[actions(folder, step, n) for n in (1, 2)])
    proposal = {
        "action": "update_stage_steps",
        "stage_id": "a",
        "updated_steps": [{"id": "s1"}, {"id": MORE}, {"id": "s2"}],
    }
    first, second = actions(folder, "s1", 1), actions(folder, "s1", 2)
    planner.step("s1", behaviors=[[*first[:3], proposal, *first[3:]], second])
    order = ["s1", MORE, "s2", "s3", "s4"]
    return [
        action["content"]
        for step in order
        for n in (1, 2)
        for action in actions(folder, step, n)
        if "content" in action
    ]


def actions(folder: Path, step: str, n: int) -> list[dict[str, Any]]:
    name = f"{step}-{n}"
    code = (
        f"with open({str(folder / 'ran.txt')!r}, 'a') as ran:\n"
        f"    _ = ran.write('{name}\\n')\n"
        f"for i in range(3):\n    print('{name}', i)"
    )
    return [say(f"begin {name}"), add(code), RUN, say(f"end {name}")]


async def campaign(moments: int, seed: int, damage: Damage | None = None) -> Damage:
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    damage = damage or Damage()
    while damage.moments < moments:
        with tempfile.TemporaryDirectory() as folder:
            async with asyncio.timeout(RUN_GUARD_SECONDS):
                await one_run(Path(folder), chance, damage, moments)
        print(f"  {damage}", flush=True)
    return damage


async def one_run(folder: Path, chance: random.Random, damage: Damage, moments: int) -> None:
    async with ScriptedPlanner() as planner:
        expected = script(planner, folder)
        done = False
        while not done:
            wait = chance.uniform(0.0, 4.0) if damage.moments < moments else None
            done = await live(folder, planner.url, wait, damage)
    damage.runs += 1
    count_damage(folder, expected, damage)


async def live(folder: Path, url: str, kill_after: float | None, damage: Damage) -> bool:
    """One process: to its end, or killed that many seconds after it was ready."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chaos.worker", str(folder), url,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    ready = await process.stdout.readline()
    if ready.strip() != b"ready":
        raise RuntimeError(f"the worker did not start: {ready!r}")
    try:
        await asyncio.wait_for(process.wait(), kill_after)
    except TimeoutError:
        process.send_signal(signal.SIGKILL)
        await process.wait()
        damage.moments += 1
        return False
    if process.returncode != 0:
        said = (await process.stdout.read()).decode()
        raise RuntimeError(f"the run did not get done: {said}")
    return True


def count_damage(folder: Path, expected: list[str], damage: Damage) -> None:
    notebook = nbformat.read(folder / "run.ipynb", as_version=4)
    nbformat.validate(notebook)
    found = Counter(cell.source for cell in notebook.cells)
    wanted = Counter(expected)
    damage.cells_lost += (wanted - found).total()
    damage.cells_doubled += (found - wanted).total()
    ran = Counter((folder / "ran.txt").read_text().split())
    damage.code_run_twice += sum(times - 1 for times in ran.values())
    asked = any(f"begin {MORE}" in source for source in found)
    damage.proposals_lost += 0 if asked else 1
    marks = [json.dumps(cell.metadata.get(METADATA_KEY)) for cell in notebook.cells]
    damage.cells_doubled += len(marks) - len(set(marks))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    damage = asyncio.run(campaign(options.moments, options.seed))
    print(damage)
    return 0 if damage.none else 1


if __name__ == "__main__":
    sys.exit(main())
