"""Adds up the test results of one `make test` and prints how many of each kind ran."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def python_counts(report: Path) -> dict[str, Count]:
    counts = {"python unit": Count(), "contract": Count()}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - written by our own pytest run
        is_contract = case.get("classname", "").startswith("tests.contracts")
        count = counts["contract" if is_contract else "python unit"]
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return counts


def jest_count(report: Path) -> Count:
    data = json.loads(report.read_text("utf-8"))
    # A suite that does not even load has no tests to count as failed.
    return Count(
        passed=data["numPassedTests"],
        failed=data["numFailedTests"] + data["numRuntimeErrorTestSuites"],
        skipped=data["numPendingTests"] + data["numTodoTests"],
    )


def browser_count(report: Path) -> Count:
    data = json.loads(report.read_text("utf-8"))
    stats = data["stats"]
    return Count(
        passed=stats["expected"] + stats["flaky"],
        failed=stats["unexpected"] + len(data.get("errors", [])),
        skipped=stats["skipped"],
    )


def main(folder: Path) -> int:
    counts: dict[str, Count] = {}
    readers = {"jest": jest_count, "browser": browser_count}
    if (report := folder / "python.xml").exists():
        counts |= python_counts(report)
    else:
        counts["python unit"] = Count(failed=1)
    for kind, read in readers.items():
        report = folder / f"{kind}.json"
        # No report means that the runner itself broke, which is a failure too.
        counts[kind] = read(report) if report.exists() else Count(failed=1)

    print("==> Summary")
    for kind, count in counts.items():
        print(
            f"{kind:12} {count.passed:5} passed {count.failed:3} failed {count.skipped:3} skipped"
        )
    passed = sum(count.passed for count in counts.values())
    failed = sum(count.failed for count in counts.values())
    skipped = sum(count.skipped for count in counts.values())
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or skipped else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
