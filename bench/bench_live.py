"""How soon a planner's line is a cell in the open page, and what streaming output does to it.

    python -m bench.bench_live [--quick]

In a real browser, with a real planner service: from the moment a line is sent to the cell in the
page's DOM, beside the time JupyterLab itself takes to insert a cell by command in the same page,
by turns. A line may take 1.5 times that and one round trip of the WebSocket.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import Any

from bench.browser import measured_in_browser
from bench.verdicts import at_most

FACTOR = 1.5
SAVE_EVERY_S = 2.0
QUICK = {
    "BCC_BENCH_SAMPLES": "15",
    "BCC_BENCH_SIZES": "50,300",
    "BCC_BENCH_LINE_SECONDS": "10",
}

Json = dict[str, Any]


def percentiles(values: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(values, n=20)
    return statistics.median(values), cuts[18]


def tell_cells(result: Json) -> None:
    ours, theirs = result["ours"], result["theirs"]
    trip = statistics.median(result["trips"])
    print(f"{result['size']} cells, {len(ours['latencies'])} lines; a round trip is {trip:.1f} ms")
    pairs = zip(
        ("p50", "p95"),
        percentiles(ours["latencies"]),
        percentiles(theirs["latencies"]),
        strict=True,
    )
    for name, own, other in pairs:
        print(f"  {name}: JupyterLab by command {other:.1f} ms, a line {own:.1f} ms")
        at_most(f"a line, {name}", round(FACTOR * other + trip, 1), own, "ms")
    for name, side in (("ours", ours), ("JupyterLab's", theirs)):
        tasks = side["longTasks"]
        print(f"  long tasks, {name}: {len(tasks)}, longest {max(tasks, default=0):.0f} ms")


def tell_lines(result: Json) -> None:
    tasks, saves = result["longTasks"], result["saves"]
    most = result["seconds"] / SAVE_EVERY_S + 3
    print(f"{result['lines']} lines of output in {result['seconds']} s")
    at_most("lines lost", 0, result["lost"], "lines")
    at_most("saves meanwhile", most, len(saves), "saves")
    print(f"  long tasks: {len(tasks)}, longest {max(tasks, default=0):.0f} ms")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer samples, smaller notebooks")
    for result in measured_in_browser("live", QUICK if parser.parse_args().quick else {}):
        (tell_cells if result["kind"] == "cell" else tell_lines)(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
