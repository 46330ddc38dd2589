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
    "empty", "only_bom", "header_only", "zip_archive", "web_page", "json_text",
}  # fmt: skip
NO_MODEL = NOTHING_TO_ANALYSE | {
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


@pytest.mark.parametrize("name", sorted(FILES))
def test_e3_every_file_ends_in_a_report_or_in_one_sentence(play: Any, name: str) -> None:
    run = play(name)
    assert_clean(run)
    if name in NOTHING_TO_ANALYSE:
        assert "There is nothing to analyse" in run.output()
        assert run.steps_done == ["load"]
        assert "model" in run.steps_skipped
        return
    assert run.steps_done[-1] == "findings"
    assert "Recommended next steps" in run.output()
    assert ("baseline" in run.steps_skipped) == (name in NO_MODEL)
    assert run.figures() <= 12


def test_e3_a_missing_file_is_said_and_nothing_else_is_done(play: Any) -> None:
    run = play("not_there")
    assert_clean(run)
    assert "does not exist" in run.output()
    assert any("not needed: there is no data to analyse" in focus for focus in run.focus)


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
    assert "Validate the model in time order" in run.output()


def test_e3_findings_hold_the_actual_numbers(play: Any) -> None:
    run = play("repeated_rows")
    assert "**140 rows** and **4 columns**" in run.output()
    assert "40 rows (28.6%) repeat an earlier row" in run.output()
    facts = run.variables["facts"]
    assert f"**{facts['best_score']:.3f}**" in run.output()
    first_output = run.notebook.cells[1].outputs[0].data["text/markdown"]
    assert first_output.startswith("**Summary.** The file `repeated_rows.csv` has 140 rows")


@pytest.mark.parametrize(
    ("name", "encoding", "delimiter"),
    [("semicolons", "utf-8", "';'"), ("latin1", "cp1252", "';'"), ("gbk", "gb18030", "','"),
     ("tabs_utf16", "utf-16", "'\\t'"), ("bom", "utf-8-sig", "','")],
)  # fmt: skip
def test_e3_encoding_and_delimiter_are_detected(
    play: Any, name: str, encoding: str, delimiter: str
) -> None:
    run = play(name)
    assert f"Encoding **{encoding}**, delimiter **{delimiter}**" in run.output()
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
    [("member", "The target is `member`, as asked for; this is a classification task"),
     ("INCOME", "The target is `income`, as asked for; this is a regression task"),
     ("nonsense", "there is no column `nonsense`"),
     ("'); import os; os.abort() #", "No model is fitted: there is no column")],
)  # fmt: skip
def test_e3_target_can_be_named(play: Any, target: str, expected: str) -> None:
    run = play("mixed", target=target)
    assert_clean(run)
    assert expected in run.output()


@pytest.mark.parametrize("name", ["dates", "mostly_missing", "empty"])
def test_e3_report_in_chinese(play: Any, name: str) -> None:
    run = play(name, language="zh-CN", goal="价格由什么决定？")
    assert_clean(run)
    assert "**问题**：" in run.markdown()
    assert ("没有可分析的内容" if name == "empty" else "建议的后续工作") in run.output()
    for english in ("The ", "Recommended", "Missing values"):
        assert english not in run.markdown()
