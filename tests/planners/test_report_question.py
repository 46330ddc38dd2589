"""N5: the person's question decides what the report is about, or it says that it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.library import PlaybookLibrary
from tests.planners.simulator import Kernel, Run, Simulator, live_kernel

CUSTOMERS = Path(__file__).parents[2] / "examples" / "customers.csv"
PLANNER = EmbeddedPlanner()
Ask = Callable[..., Run]


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


@pytest.fixture(scope="module")
def ask(kernel: Kernel) -> Ask:
    @cache
    def run(goal: str, language: str | None = "en", stages: int = 2) -> Run:
        kernel.forget()
        given = {"playbook": "lifecycle", "data_path": str(CUSTOMERS), "goal": goal}
        if language is not None:
            given["language"] = language
        return Simulator(kernel, given, planner=PLANNER, stages=stages).run()

    return run


@pytest.mark.parametrize(
    ("goal", "column", "why"),
    [
        ("Why do customers leave?", "churned", "because of the word “leave”. *This is a guess"),
        ("What drives monthly_fee?", "monthly_fee", "the column it names"),
        ("what decides the monthly fee", "monthly_fee", "the column it names"),
        ("How does satisfaction affect churn?", "churned", "the column it names"),
        ("Does usage_hours depend on the plan?", "usage_hours", "the column it names"),
        ("客户为什么流失?", "churned", "because of the word “流失”"),
        ("是什么决定了 monthly_fee?", "monthly_fee", "the column it names"),
        ("monthly_fee 由什么决定？", "monthly_fee", "the column it names"),
        ("Which customers pay the highest price?", "monthly_fee", "because of the word “price”"),
    ],
)
def test_c1_the_column_in_question_is_found_and_it_is_said_why(
    ask: Ask, goal: str, column: str, why: str
) -> None:
    run = ask(goal)
    assert run.variables["facts"]["target"] == column
    assert run.variables["facts"]["answered"] is True
    assert f"about `{column}`, {why}" in run.first_output()


def test_c1_the_answer_comes_first_with_its_numbers(ask: Ask) -> None:
    run = ask("Why do customers leave?", stages=99)
    first = run.first_output()
    assert first.startswith("`churned` is `yes` in **19.7%** of the rows (63 of 320).")
    for column in ("support_calls", "satisfaction", "plan"):
        assert f"- `{column}`: **" in first
    chapters = [c.source for c in run.notebook.cells if c.source.startswith("## ")]
    assert chapters[0] == "## The answer"
    assert run.answers[-1]["metadata"].get("unanswered") is None
    table = run.output().split("lowest, where")[1].split("[plot]")[0]
    for column in ("age", "region", "plan", "channel", "usage_hours", "autopay", "signup_date"):
        assert column in table


def test_c1_a_question_about_a_number_is_answered_with_averages(ask: Ask) -> None:
    first = ask("What drives monthly_fee?").first_output()
    assert first.startswith("`monthly_fee` is **")
    assert "on average" in first
    assert "- `plan`: **" in first


def test_the_extreme_group_is_not_left_out_for_being_small(ask: Ask) -> None:
    """All five customers with satisfaction 1 left: they are told together with those of 2."""
    run = ask("Why do customers leave?", stages=99)
    assert "- `satisfaction`: **3.7%** at `5`, **52.9%** at `1 – 2` (54 and 34 rows)" in (
        run.first_output()
    )
    # Seven rows without a region are too few to be a group.
    assert "Groups of fewer than 10 rows are not compared" in run.output()


@pytest.mark.parametrize("language", ["zh", None])
def test_c1_chinese_questions_are_answered_in_chinese(ask: Ask, language: str | None) -> None:
    first = ask("客户为什么流失?", language).first_output()
    assert first.startswith("**19.7%** 的行中 `churned` 为 `yes`")
    assert "推测" in first


def test_a_run_that_was_told_no_language_speaks_that_of_its_question(kernel: Kernel) -> None:
    """As a server or the command line starts it: the words of the run are handed to the planner."""
    kernel.forget()
    said = {"data_path": str(CUSTOMERS), "goal": "客户为什么流失？"}
    planner = EmbeddedPlanner(default_playbook="lifecycle", said=said)
    run = Simulator(kernel, dict(said), planner=planner, stages=2).run()
    assert run.first_output().startswith("**19.7%** 的行中 `churned` 为 `yes`")


@pytest.mark.parametrize(
    ("goal", "language", "said"),
    [
        ("Is the weather nice?", "en", "**Your question was not answered:** none of the columns"),
        ("Which customer_id is best?", "en", "**Your question was not answered:** `customer_id`"),
        ("天气好吗？", "zh", "**你的问题没有得到回答**：无法从问题中识别出任何一列"),
    ],
)
def test_c1_a_question_that_cannot_be_answered_is_not_called_reached(
    ask: Ask, goal: str, language: str, said: str
) -> None:
    run = ask(goal, language, 99)
    assert run.status == "completed"
    assert run.first_output().startswith(said)
    assert run.answers[-1]["metadata"]["unanswered"] == run.focus[-1]
    assert run.variables["facts"]["answered"] is False


def test_c1_a_playbook_says_whether_it_reads_goals(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\ntitle: Own\ndescription: Own\ngoal: Own\nstages:\n"
        "  - {id: a, name: A, goal: A, steps: [{id: b, name: B, goal: B, behaviors: "
        "[{id: c, goal: C}]}]}\n"
    )
    described = {one["name"]: one["reads_goal"] for one in PlaybookLibrary([own]).describe()}
    assert described == {"lifecycle": True, "own": False}


def test_c10_a_group_without_values_is_named_in_the_plot_whatever_the_fonts(
    ask: Ask, kernel: Kernel
) -> None:
    kernel.do(
        "from matplotlib.axes import Axes\n"
        "Axes.named = []\n"
        "def set_xticks(self, ticks, labels=None, *, original=Axes.set_xticks, **more):\n"
        "    type(self).named.extend(labels or [])\n"
        "    return original(self, ticks, labels, **more)\n"
        "Axes.set_xticks = set_xticks"
    )
    ask("客户为什么流失？", "zh")
    [printed] = kernel.do("from matplotlib.axes import Axes; print(*Axes.named, sep='|')")
    named = printed.text.strip().split("|")
    assert {"(missing)", "（缺失）"} & set(named)
    # The values of `satisfaction`, each once: the gap does not pass for one of them.
    assert named.count("5") == 1


def test_c10_more_names_than_are_shown_are_told_in_words(ask: Ask) -> None:
    english = ask("Why do customers leave?", stages=99).output()
    assert "`plan` and 3 more." in english
    chinese = ask("客户为什么流失?", "zh", 99).output()
    assert "`support_calls`、`satisfaction`、`plan` 等 6 项" in chinese
    assert "(+" not in english + chinese
