"""N2, N3: a report leaves the person's kernel as it was, but for a handful of names of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.planners.simulator import Kernel, Simulator, live_kernel

CUSTOMERS = Path(__file__).parents[2] / "examples" / "customers.csv"
THEIR_NAMES = (
    "df", "X", "y", "path", "data", "models", "facts", "findings", "report", "name", "text",
    "kinds", "numbers", "names", "rows", "raw", "encoding", "options", "missing", "checks",
    "summary", "notes", "pd", "np", "plt", "display", "Markdown", "re", "csv", "quoted", "fig",
    "ax", "language", "playbook",
)  # fmt: skip
PREPARE = f"""
import csv as _csv, json, warnings
import matplotlib, pandas
globals().update({{one: "theirs: " + one for one in {THEIR_NAMES!r}}})
matplotlib.rcParams.update({{"axes.titlesize": 33, "figure.dpi": 77, "font.family": ["serif"]}})
pandas.set_option("display.max_colwidth", 11)
pandas.set_option("display.precision", 1)
warnings.filterwarnings("error", message="theirs")
_csv.field_size_limit(1234)
before = set(globals())
"""
STATE = """
print(json.dumps({
    "rc": str(sorted((key, str(value)) for key, value in matplotlib.rcParams.items())),
    "filters": str(warnings.filters), "limit": __import__("csv").field_size_limit(),
    "options": [pandas.get_option("display.max_colwidth"), pandas.get_option("display.precision")],
    "theirs": [name for name in THEIRS if globals()[name] != "theirs: " + name],
    "new": sorted(
        name for name in globals() if name not in {*before, "before"} and name[:1] != "_"),
}))
""".replace("THEIRS", repr(THEIR_NAMES))


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


def state_of(kernel: Kernel) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(kernel.do(STATE)[0].text)
    return state


def report(kernel: Kernel, **variables: object) -> Any:
    given = {"playbook": "lifecycle", "data_path": str(CUSTOMERS), "language": "en", **variables}
    run = Simulator(kernel, given).run()
    assert run.status == "completed", run.errors
    return run


def test_c4_what_the_person_had_is_as_it_was(kernel: Kernel) -> None:
    kernel.do(PREPARE)
    before = state_of(kernel)
    run = report(kernel, goal="Why do customers leave?")
    after = state_of(kernel)
    assert after["theirs"] == []
    assert after.pop("new") == ["df_report", "facts_report", "findings_report", "report_2"]
    before.pop("new")
    assert after == before
    assert "`df_report`" in run.output()


def test_c4_a_report_leaves_four_names_and_a_second_one_its_own(kernel: Kernel) -> None:
    """N3: and the first report's summary stays as it is."""
    kernel.do("import json, warnings\nimport matplotlib, pandas\nbefore = set(globals())")
    first = report(kernel, goal="Why do customers leave?")
    names = json.loads(kernel.do(STATE.replace(repr(THEIR_NAMES), "()"))[0].text)["new"]
    assert names == ["df", "facts", "findings", "report"]
    shown = first.first_output()
    cells = [dict(cell) for cell in first.notebook.cells]
    second = report(kernel, goal="What drives monthly_fee?")
    assert second.first_output() != shown
    assert first.first_output() == shown
    assert [dict(cell) for cell in first.notebook.cells] == cells
    ids = [
        output.get("transient", {}).get("display_id")
        for run in (first, second)
        for cell in run.notebook.cells
        for output in cell.get("outputs", [])
    ]
    known = [one for one in ids if one]
    assert len(known) == len(set(known))
    ours = kernel.do("print(sorted(name for name in globals() if 'report' in name))")
    assert ours[0].text.strip() == str(
        ["df_report", "facts_report", "findings_report", "report", "report_2"]
    )
