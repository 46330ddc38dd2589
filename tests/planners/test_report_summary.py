"""C8: what speaks against relying on a report stands in its summary, in the words of one metric."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.planners.simulator import Kernel, Run, Simulator, live_kernel

FIRST_YEAR, YEARS, ROWS_A_YEAR = 2018, 6, 120


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


@pytest.fixture(scope="module")
def turning_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Who buys depends on the price the other way round every year. Rows of the same year tell it;
    the years before tell the opposite."""
    path = tmp_path_factory.mktemp("data") / "offers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["offered", "price", "bought"])
        for number in range(YEARS * ROWS_A_YEAR):
            year, at = divmod(number, ROWS_A_YEAR)
            day = date(FIRST_YEAR + year, 1, 1) + timedelta(days=at * 3)
            price = number * 37 % 99 + 0.5
            bought = (price > 50) == (year % 2 == 0)
            rows.writerow([day.isoformat(), price, "yes" if bought else "no"])
    return path


def report(kernel: Kernel, data: Path, language: str, *, approve: bool = True) -> Run:
    kernel.forget()
    given = {
        "playbook": "lifecycle",
        "data_path": str(data),
        "goal": "What decides bought?",
        "language": language,
    }
    return Simulator(kernel, given, approve=approve).run()


FAILS = {
    "en": r"The model \*\*fails in time order\*\*: .* predicts later rows worse than guessing "
    r"\(balanced accuracy 0\.\d+, guessing 0\.500\)\. Do not use it for forecasts\.",
    "zh": r"模型\*\*按时间顺序失效\*\*：.*对之后数据的预测比猜测更差"
    r"（平衡准确率 0\.\d+，猜测 0\.500）。请勿用于预测未来。",
}


@pytest.mark.parametrize(
    ("language", "advises", "metric"),
    [
        ("en", "Find out what changed over time", "balanced accuracy"),
        ("zh", "先查明随时间发生了什么变化", "平衡准确率"),
    ],
)
def test_c8_a_model_that_fails_in_time_order_is_no_good_news(
    kernel: Kernel, turning_data: Path, language: str, advises: str, metric: str
) -> None:
    run = report(kernel, turning_data, language)
    facts, first, everything = run.variables["facts"], run.first_output(), run.output()
    assert facts["beats_dummy"], "or there is no good news to hide the bad"
    assert facts["time_score"] < facts["time_dummy"] - 0.02

    assert re.search(FAILS[language], first)
    scores = [f"{facts[name]:.3f}" for name in ("best_score", "time_score", "time_dummy")]
    assert scores[0] not in first, "what it reaches in random splits is no summary"
    advice = everything.rpartition("1. ")[2]
    assert advises in advice.splitlines()[0]

    # One metric all the way, and each score is told with the same digits.
    for other in ("ROC", "AUC", "F1", "R²", "accuracy", "准确率"):
        assert other not in everything.replace(metric, ""), other
    assert all(score in everything for score in scores)
    good_news = {
        "en": ("A random forest predicts", "does not depend on the draw", "refine the", "holds in"),
        "zh": ("并已按时间顺序检验", "不取决于抽样", "然后再改进", "结论依然成立"),
    }
    for words in good_news[language]:
        assert words not in everything, words


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "; in time order it was not tested."), ("zh", "，但未按时间顺序检验。")],
)
def test_a_test_that_nobody_allowed_is_not_passed_over_in_the_summary(
    kernel: Kernel, turning_data: Path, language: str, said: str
) -> None:
    run = report(kernel, turning_data, language, approve=False)
    assert "time_score" not in run.variables["facts"]
    assert said in run.first_output()
