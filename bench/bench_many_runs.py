"""Many runs at once in one server: do all finish, does the server still answer, is it fair?

    python -m bench.bench_many_runs [--runs 50]

Each run has a kernel of its own and runs light cells. Jupyter's status and ours are asked all the
while.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from bench.status_probe import PATHS, StatusProbe
from bench.verdicts import at_most
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import TOKEN, RealServer

STEPS = 5
IDLE_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.5
GUARD_SECONDS = 900
SLOWER_AT_MOST = 5.0
BEHIND_AT_MOST = 2.0


def script(planner: ScriptedPlanner) -> None:
    steps = [f"s{number}" for number in range(STEPS)]
    planner.workflow({"only": steps})
    for step in steps:
        cells = [say(f"# {step}"), add(f"x = '{step}'\nprint(x)"), RUN]
        planner.step(step, behaviors=[cells, cells])


async def seconds_to_end(server: RealServer, planners: list[ScriptedPlanner]) -> list[float]:
    """For every run, from the first order to its end."""
    began = time.perf_counter()
    orders = (
        {"notebook": f"{number}.ipynb", "planner": {"kind": "http", "url": planner.url}}
        for number, planner in enumerate(planners)
    )
    await asyncio.gather(*(server.start_run(order) for order in orders))
    took: dict[str, float] = {}
    while len(took) < len(planners):
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        for run in (await server.get("runs"))["runs"]:
            if run["status"] == "done":
                took.setdefault(run["id"], time.perf_counter() - began)
            elif run["status"] not in ("running", "paused") or run["error"]:
                raise RuntimeError(f"{run['notebook']} is {run['status']}: {run['error']}")
    return list(took.values())


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def measure(runs: int, folder: Path) -> None:
    options = {"kernel_start_timeout": 300}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(RealServer(folder, options=options))
        planners = [await stack.enter_async_context(ScriptedPlanner()) for _ in range(runs)]
        for planner in planners:
            script(planner)
        # As every page does when it opens. The server loads IPython to answer.
        await server.get("/api/kernelspecs")
        async with StatusProbe(server.url, TOKEN) as before:
            await asyncio.sleep(IDLE_SECONDS)
        async with StatusProbe(server.url, TOKEN) as loaded, asyncio.timeout(GUARD_SECONDS):
            took = await seconds_to_end(server, planners)
        # The machine may be faster or slower now than it was at the beginning.
        async with StatusProbe(server.url, TOKEN) as after:
            await asyncio.sleep(IDLE_SECONDS)
    print(f"{runs} runs at once, all done, {statistics.median(took):.1f} s median")
    for path in PATHS:
        idle = before.took[path] + after.took[path]
        calm, busy = (1000 * percentile(times, 0.99) for times in (idle, loaded.took[path]))
        print(f"GET {path}, p99: {calm:.1f} ms idle, {busy:.1f} ms under load")
        at_most(f"GET {path} under load, p99", SLOWER_AT_MOST, busy / calm, "x")
    behind = max(took) / statistics.median(took)
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
