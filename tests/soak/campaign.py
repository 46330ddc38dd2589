"""Two runs with constant output in one server: does anything grow without end?

    python -m tests.soak.campaign [--minutes 60]

One run sits in a single cell that prints all the time. The other works its way through a long
plan, running the same cell again and again. Printed: samples of the server's memory and of every
file that is written, and whether each of them levelled off.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.planner_answers import RUN, SeenRequest, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

Json = dict[str, Any]

CELL_KEEPS_BYTES = 8_000_000
FULL_AFTER = 0.25
"""The share of the time after which the endless cell has printed all it may keep."""
LINES_PER_SECOND = 10
SAMPLES = 60
LONG_ENOUGH_MINUTES = 30
MIB = 1024 * 1024
MAY_GROW = {"memory": (1.10, 8 * MIB), "runs.db": (1.10, 2 * MIB), "runs.db-wal": (1.0, 9 * MIB)}
"""Factor and bytes between the third and the last quarter; what else is sampled may not grow."""


@dataclass(frozen=True)
class Sample:
    seconds: float
    sizes: dict[str, int]
    done: str


def endless_cell(seconds: float) -> str:
    line = int(CELL_KEEPS_BYTES / (seconds * FULL_AFTER * LINES_PER_SECOND))
    return (
        f"import time\nend = time.monotonic() + {seconds}\nn = 0\n"
        f"while time.monotonic() < end:\n"
        f"    print(n, 'x' * {line})\n    n += 1\n    time.sleep({1 / LINES_PER_SECOND})"
    )


def plan_of_repeats(planner: ScriptedPlanner, ends_at: float) -> None:
    """As many steps as fit: each runs the one cell, twenty times."""
    steps = [[f"s{stage}-{step}" for step in range(20)] for stage in range(20)]
    planner.workflow({f"stage{number}": names for number, names in enumerate(steps)})
    once = [{"action": "exec", "codecell_id": "again"}] * 3

    def generating(seen: SeenRequest) -> Any:
        first = seen.step == "s0-0" and seen.iteration == 1
        code = "for i in range(30):\n    print(i, 'y' * 200)\nimport time; time.sleep(0.5)"
        return {"actions": [add(code, store_id="again"), RUN, say("begun")] if first else once}

    def planning(seen: SeenRequest) -> Any:
        over = time.monotonic() > ends_at
        more = seen.is_feedback and seen.iteration < 20 and not over
        return {"targetAchieved": over or (seen.is_feedback and not more),
                "transition": {"continue_behaviors": more}}  # fmt: skip

    planner.on("generating", generating, times=None)
    for state in ("STAGE_RUNNING", "STEP_RUNNING", "ACTION_COMPLETED"):
        planner.on("planning", planning, times=None, state=state)


async def soak(minutes: float, folder: Path) -> list[Sample]:
    seconds = minutes * 60
    options: Json = {"stream": False}
    if minutes < LONG_ENOUGH_MINUTES:
        # The store's usual limits are not reached in so short a time.
        options |= {"keep_call_bytes": 500_000, "keep_calls": 20, "keep_facts": 1_000}
    server = RealServer(folder, options=options)
    async with ScriptedPlanner() as endless, ScriptedPlanner() as repeating, server:
        endless.workflow({"only": ["one"]})
        endless.step("one", behaviors=[[add(endless_cell(seconds)), RUN]])
        plan_of_repeats(repeating, time.monotonic() + seconds)
        runs = [
            (await server.start_run({"notebook": name, "planner": {"kind": "http", "url": url}}))[
                "id"
            ]
            for name, url in (("endless.ipynb", endless.url), ("repeats.ipynb", repeating.url))
        ]
        samples = await watch(server, runs, seconds)
        for run_id in runs:
            view = await server.until(run_id, "done", "failed", seconds=120)
            assert view["status"] == "done", view["error"]
    return samples


async def watch(server: RealServer, runs: list[str], seconds: float) -> list[Sample]:
    samples: list[Sample] = []
    began = time.monotonic()
    while (now := time.monotonic() - began) < seconds:
        views = [await server.view(run_id) for run_id in runs]
        done = ", ".join(f"{v['counts']['cells_executed']} cells run" for v in views)
        samples.append(Sample(now, sizes_of(server), done))
        print(line_of(samples[-1]), flush=True)
        await asyncio.sleep(max(1.0, seconds / SAMPLES))
    return samples


def sizes_of(server: RealServer) -> dict[str, int]:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    [memory] = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
    files = [server.store, Path(f"{server.store}-wal")]
    files += [server.notebooks / name for name in ("endless.ipynb", "repeats.ipynb")]
    sizes = {"memory": int(memory) * 1024}
    return sizes | {file.name: file.stat().st_size if file.exists() else 0 for file in files}


def line_of(sample: Sample) -> str:
    sizes = "  ".join(f"{name} {size / MIB:.1f}" for name, size in sample.sizes.items())
    return f"{sample.seconds / 60:6.1f} min  {sizes}  ({sample.done})"


def grown(samples: list[Sample]) -> list[str]:
    """What did not level off, in words: the third quarter of the time against the last."""
    quarter = len(samples) // 4
    early, late = samples[2 * quarter : 3 * quarter], samples[-quarter:]
    wrong = []
    for name in samples[0].sizes:
        factor, more = MAY_GROW.get(name, (1.0, 65_536))
        before = statistics.median(sample.sizes[name] for sample in early)
        after = statistics.median(sample.sizes[name] for sample in late)
        verdict = "level" if after <= before * factor + more else "GROWS"
        print(f"{name}: {before / MIB:.2f} -> {after / MIB:.2f} MiB: {verdict}")
        if verdict != "level":
            wrong.append(name)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        samples = asyncio.run(soak(options.minutes, Path(folder)))
    wrong = grown(samples)
    print(f"does not level off: {', '.join(wrong)}" if wrong else "everything levels off")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
