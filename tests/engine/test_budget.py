"""Budgets pause a run and say which is used up; resuming grants it once more."""

import pytest

from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.protocol.browser.runs import Counts
from notebook_bcc_ext.settings.names import Settings
from tests.engine.harness import lab
from tests.support.planner_answers import say


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_planner_calls": 3}, "budget of 3 planner calls"),
        ({"max_run_seconds": 60}, "budget of 60 seconds"),
        ({"max_bytes_sent": 5000}, "budget of 5,000 bytes"),
    ],
)
def test_each_budget_is_named_and_granted_again(settings, words):
    now = [0.0]
    budget = Budget(Settings(**settings), Counts(), clock=lambda: now[0])
    assert budget.used_up(Counts()) is None
    spent, now[0] = Counts(planner_calls=3, bytes_sent=5000), 60.0
    assert words in str(budget.used_up(spent))
    budget.grant(spent)
    assert budget.used_up(spent) is None


def test_without_limits_nothing_is_ever_used_up():
    counts = Counts(planner_calls=10**9, bytes_sent=10**12)
    assert Budget(Settings(), counts, clock=lambda: 1e9).used_up(counts) is None


async def test_a_run_pauses_when_its_calls_are_used_up(tmp_path):
    async with lab(tmp_path, max_planner_calls=4) as room:
        room.planner.step("read", behaviors=[[say("one")], [say("two")]])
        await room.go()
        view = room.run.view()
        assert (view.status, view.status_reason) == ("paused", "budget")
        assert "budget of 4 planner calls is used up" in room.warnings()[-1]
        while room.run.status == "paused":
            await room.command("resume")
            await room.to_rest()
        assert room.state == "workflow_completed"
        assert await room.sources() == ["one", "two"]
