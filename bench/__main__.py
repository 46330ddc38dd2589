"""`make bench`: every measurement, one after the other, in one run.

python -m bench [--quick]
"""

from __future__ import annotations

import subprocess
import sys

BENCHES = (
    "bench_observation",
    "bench_kernel",
    "bench_notebook",
    "bench_engine",
    "bench_live",
    "bench_sidebar",
    "bench_many_runs",
)


def main() -> int:
    quick = [argument for argument in sys.argv[1:] if argument == "--quick"]
    failed = []
    for name in BENCHES:
        print(f"== {name.removeprefix('bench_')}", flush=True)
        # A process each: one measurement's memory and threads are not the next one's.
        done = subprocess.run([sys.executable, "-m", f"bench.{name}", *quick], check=False)
        if done.returncode != 0:
            failed.append(name)
        print(flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
