"""What a long run costs the page that shows it in the sidebar.

    python -m bench.bench_sidebar [--quick]

In a real browser, with a real planner service and the notebook closed, so that the page's work is
the sidebar's: its main thread's time per event at the beginning and at the end of the run, the
longest task, and the memory that was kept.
"""

from __future__ import annotations

import argparse
import sys

from bench.browser import measured_in_browser
from bench.verdicts import at_most

ACTIONS, QUICK_ACTIONS = 2000, 400


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer actions")
    actions = QUICK_ACTIONS if parser.parse_args().quick else ACTIONS
    edge = min(200, actions // 4)
    variables = {
        "BCC_BENCH_ACTIONS": str(actions),
        "BCC_BENCH_EDGE": str(edge),
        # They all come in one behavior.
        "BCC_MAX_ACTIONS_PER_BEHAVIOR": str(actions),
    }
    (found,) = measured_in_browser("sidebar", variables)
    print(f"{actions:,} actions, {found['events']:,} events; the main thread's time per event:")
    print(f"  first {edge} actions {found['early']:.2f} ms, last {edge} {found['late']:.2f} ms")
    # Two measurements of the same work differ by as much.
    at_most("last / first", 1.3, found["late"] / found["early"], "x")
    at_most("longest task", 100, max(found["longTasks"], default=0), "ms")
    at_most("memory kept", 20, found["heapLate"] - found["heapEarly"], "MiB")
    at_most("elements in the sidebar", 1500, found["nodes"], "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
