"""E3: the shipped lifecycle over data that analyses stumble over, in a real kernel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from tests.planners.csv_files import FILES
from tests.planners.simulator import Kernel, Run, Simulator, live_kernel

NOTHING_TO_ANALYSE = {
    "empty": "'empty.csv' is empty",
    "only_bom": "'only_bom.csv' is empty",
    "header_only": "'header_only.csv' has column names but no rows",
    "zip_archive": "'zip_archive.csv' is neither text nor a kind of table",
    "web_page": "'web_page.csv' holds a web page or XML",
}
NO_MODEL = NOTHING_TO_ANALYSE.keys() | {"json_text"} | {
    "one_column", "one_row", "two_rows", "only_dates", "mostly_missing", "all_missing",
    "semicolons", "tabs_utf16", "latin1", "bom", "carriage_returns", "ragged", "open_quote",
    "comments_before", "comment_as_header", "money_and_percent", "pandas_names",
}  # fmt: skip
PLANNER = EmbeddedPlanner()


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


@pytest.fixture(scope="module")
def play(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("data")

    @cache
    def run(name: str, *, approve: bool = True, **variables: object) -> Run:
        path: Path = folder / f"{name}.csv"
        if name in FILES:
            path.write_bytes(FILES[name]())
        given = {"playbook": "lifecycle", "data_path": str(path), **variables}
        kernel.forget()
        return Simulator(kernel, given, approve=approve, planner=PLANNER).run()

    return run


def assert_clean(run: Run) -> None:
    """Completed, valid, and no cell shows an error or a warning."""
    assert run.status == "completed", run.focus[-3:]
    assert run.errors == []
    nbformat.validate(run.notebook)
    for cell in run.notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            assert output.get("name") != "stderr", output.text
            assert "{{" not in cell.source


def assert_failed_with(run: Run, sentence: str) -> None:
    """N6: one sentence for the person, the same in the notebook, and nothing counted as done."""
    assert run.status == "error"
    failure = run.answers[-1]["metadata"]["failure"]
    assert sentence in failure
    assert failure.count(". ") == 0
    assert run.output().strip() == failure
    assert run.errors == []
    assert run.steps_done == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_e3_every_file_ends_in_a_report_or_in_one_sentence(play: Any, name: str) -> None:
    run = play(name)
    if name in NOTHING_TO_ANALYSE:
        assert_failed_with(run, NOTHING_TO_ANALYSE[name])
        return
    assert_clean(run)
    assert run.steps_done[-1] == "findings"
    assert "Recommended next steps" in run.output()
    assert ("baseline" not in run.steps_done) == (name in NO_MODEL)
    assert run.figures() <= 12


def test_e3_a_missing_file_is_said_and_nothing_else_is_done(play: Any) -> None:
    assert_failed_with(play("not_there"), "not_there.csv' does not exist")


def test_e3_step_is_skipped_when_its_goal_is_met(play: Any) -> None:
    run = play("mixed")
    assert "missing" in run.steps_skipped
    assert "No value is missing" in run.output()
    assert any("no value is missing" in focus for focus in run.focus)


@pytest.mark.parametrize(
    ("name", "step"),
    [("dates", "time_order"), ("rare_class", "imbalance"), ("mostly_missing", "missing_patterns")],
)
def test_u1_data_calls_for_a_step_and_a_person_agrees(play: Any, name: str, step: str) -> None:
    run = play(name)
    assert len(run.proposals) == 1
    assert run.proposals[0]["reason"]
    stages = run.proposals[0]["updated_workflow"]["stages"]
    assert step in [one["id"] for stage in stages for one in stage["steps"]]
    assert step in run.steps_done


def test_u6_a_declined_proposal_is_not_asked_again_and_the_run_goes_on(play: Any) -> None:
    run = play("dates", approve=False)
    assert_clean(run)
    assert len(run.proposals) == 1
    assert "time_order" not in run.steps_done
    assert "Test the model in time order" in run.output()


def test_e3_findings_hold_the_actual_numbers(play: Any) -> None:
    run = play("repeated_rows")
    assert "**140 rows** and **4 columns**" in run.output()
    assert "40 rows repeat an earlier row (28.6%)" in run.output()
    facts = run.variables["facts"]
    assert f"**{facts['best_score']:.3f}**" in run.output()
    assert "40 of 140 rows repeat an earlier row" in run.first_output()
    assert "Data: `repeated_rows.csv`, 140 rows and 4 columns" in run.first_output()


@pytest.mark.parametrize(
    ("name", "encoding", "delimiter"),
    [("semicolons", "utf-8", ";"), ("latin1", "cp1252", ";"), ("gbk", "gb18030", ","),
     ("tabs_utf16", "utf-16", "\\t"), ("bom", "utf-8-sig", ",")],
)  # fmt: skip
def test_e3_encoding_and_delimiter_are_detected(
    play: Any, name: str, encoding: str, delimiter: str
) -> None:
    run = play(name)
    assert f"with encoding **{encoding}** and delimiter `{delimiter}`" in run.output()
    assert run.variables["facts"]["numbers"] == 2


@pytest.mark.parametrize(
    ("name", "said", "facts"),
    [("comments_before", "The first 3 lines,", {"rows": 30, "columns": 4, "numbers": 2}),
     ("comment_as_header", "The first 1 line,", {"rows": 30, "columns": 4, "numbers": 2}),
     ("money_and_percent", "Converted from text:", {"rows": 30, "numbers": 2, "dates": 1})],
)  # fmt: skip
def test_e3_what_is_written_for_people_is_read(
    play: Any, name: str, said: str, facts: dict[str, int]
) -> None:
    run = play(name)
    assert said in run.output()
    assert facts.items() <= run.variables["facts"].items()


@pytest.mark.parametrize(
    ("target", "expected"),
    [("member", "about `member`, the column that was asked for"),
     ("INCOME", "about `income`, the column that was asked for"),
     ("nonsense", "there is no column `nonsense`"),
     ("'); import os; os.abort() #", "there is no column `'); import os; os.abort() #`")],
)  # fmt: skip
def test_e3_target_can_be_named(play: Any, target: str, expected: str) -> None:
    run = play("mixed", target=target)
    assert_clean(run)
    assert expected in run.output()


@pytest.mark.parametrize("name", ["dates", "mostly_missing", "empty"])
def test_e3_report_in_chinese(play: Any, name: str) -> None:
    run = play(name, language="zh-CN", goal="价格由什么决定？")
    if name == "empty":
        assert_failed_with(run, "没有可分析的内容")
    else:
        assert_clean(run)
        assert "建议的后续工作" in run.output()
    assert "**问题**：" in run.markdown()
    for english in ("The ", "Recommended", "Missing values"):
        assert english not in run.markdown()
