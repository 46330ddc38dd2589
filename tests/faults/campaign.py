"""Injects every fault for real, and prints what comes of each.

    python -m tests.faults.campaign [name …]

Each outcome is checked: status, state, the words of the message, that the notebook on the disk is
valid and that the server still answers.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from tests.faults import contents_faults, kernel_faults, other_faults, planner_faults
from tests.faults.lab import FAULTS, Outcome

MODULES = (planner_faults, kernel_faults, contents_faults, other_faults)
GUARD_SECONDS = 150


async def inject(name: str, home: Path) -> Outcome:
    """The outcome; raises AssertionError when it is not as it should be."""
    function, expected = FAULTS[name]
    async with asyncio.timeout(GUARD_SECONDS):
        outcome = await function(home)
    assert re.fullmatch(expected.status, outcome.status), outcome
    assert re.fullmatch(expected.state, outcome.state), outcome
    assert re.search(expected.words, outcome.message), outcome
    return outcome


def main() -> int:
    wrong = 0
    names = sys.argv[1:] or list(FAULTS)
    print(f"{'fault':<40} | {'status, state':<28} | message")
    for name in names:
        with tempfile.TemporaryDirectory() as home:
            try:
                outcome = asyncio.run(inject(name, Path(home)))
            except Exception as error:  # noqa: BLE001  the other faults are still to be tried
                wrong += 1
                print(f"{name:<40} | WRONG: {type(error).__name__}: {error}", flush=True)
                continue
        where = f"{outcome.status}, {outcome.state}"
        print(f"{name:<40} | {where:<28} | {outcome.message}", flush=True)
    print(f"\n{len(names)} faults, {wrong} with a wrong outcome")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
