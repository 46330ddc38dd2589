"""Many runs at once in one server: do all finish, does the server still answer, is it fair?

    python -m bench.bench_many_runs [--runs 50]

Each run has a kernel of its own and runs light cells. `GET status` is asked all the while.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from bench.verdicts import at_most
from tests.planner_answers import RUN, add, say
from tests.planner_server import ScriptedPlanner
from tests.real_server import RealServer

STEPS = 5
IDLE_QUESTIONS = 400
QUESTION_EVERY_SECONDS = 0.02
GUARD_SECONDS = 900
SLOWER_AT_MOST = 5.0
BEHIND_AT_MOST = 2.0


def script(planner: ScriptedPlanner) -> None:
    steps = [f"s{number}" for number in range(STEPS)]
    planner.workflow({"only": steps})
    for step in steps:
        cells = [say(f"# {step}"), add(f"x = '{step}'\nprint(x)"), RUN]
        planner.step(step, behaviors=[cells, cells])


async def ask_status(
    server: RealServer, stop: asyncio.Event, most: int | None = None
) -> list[float]:
    """Seconds that each answer took, one question after the other."""
    took: list[float] = []
    while not stop.is_set() and (most is None or len(took) < most):
        began = time.perf_counter()
        (await server.ask("GET", "status")).raise_for_status()
        took.append(time.perf_counter() - began)
        await asyncio.sleep(QUESTION_EVERY_SECONDS)
    return took


async def one_run(server: RealServer, number: int, url: str) -> float:
    """Seconds from the order to the end."""
    began = time.perf_counter()
    address = {"kind": "http", "url": url}
    run = await server.start_run({"notebook": f"{number}.ipynb", "planner": address})
    while True:
        view = await server.view(run["id"])
        if view["status"] == "done":
            return time.perf_counter() - began
        if view["status"] not in ("running", "paused") or view["error"]:
            raise RuntimeError(f"run {number} is {view['status']}: {view['error']}")
        await asyncio.sleep(0.5)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def measure(runs: int, folder: Path) -> None:
    options = {"kernel_start_timeout": 300}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(RealServer(folder, options=options))
        planners = [await stack.enter_async_context(ScriptedPlanner()) for _ in range(runs)]
        for planner in planners:
            script(planner)
        idle = await ask_status(server, asyncio.Event(), IDLE_QUESTIONS)
        stop = asyncio.Event()
        asking = asyncio.create_task(ask_status(server, stop))
        async with asyncio.timeout(GUARD_SECONDS):
            took = await asyncio.gather(
                *(one_run(server, number, planner.url) for number, planner in enumerate(planners))
            )
        stop.set()
        loaded = await asking
    slower = percentile(loaded, 0.99) / percentile(idle, 0.99)
    behind = max(took) / statistics.median(took)
    print(
        f"{runs} runs at once, all done, {statistics.median(took):.1f} s median; GET status p99 "
        f"{1000 * percentile(idle, 0.99):.1f} ms idle, {1000 * percentile(loaded, 0.99):.1f} ms "
        f"under load"
    )
    at_most("GET status under load, p99", SLOWER_AT_MOST, slower, "x")
    at_most("slowest run against the median", BEHIND_AT_MOST, behind, "x")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(8 if options.quick else options.runs, Path(folder)))


if __name__ == "__main__":
    main()
