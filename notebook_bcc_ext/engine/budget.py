"""Budgets as guards: planner calls, seconds and bytes of one run. Used up, the run pauses.

Whoever resumes it grants the same amount once more. Actions have their own limit in the gate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from notebook_bcc_ext.protocol.browser.runs import Counts
from notebook_bcc_ext.settings.names import Settings


@dataclass(frozen=True)
class Spent:
    planner_calls: int = 0
    seconds: float = 0.0
    bytes_sent: int = 0


class Budget:
    def __init__(
        self, settings: Settings, counts: Counts, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = settings
        self._clock = clock
        self.grant(counts)

    def used_up(self, counts: Counts) -> str | None:
        """Which budget is used up, in words; None while there is something left of each."""
        now, since = self._spent(counts), self._granted
        limits = (
            ("planner calls", now.planner_calls - since.planner_calls, "max_planner_calls"),
            ("seconds", now.seconds - since.seconds, "max_run_seconds"),
            ("bytes sent to the planner", now.bytes_sent - since.bytes_sent, "max_bytes_sent"),
        )
        for words, spent, name in limits:
            limit = getattr(self.settings, name)
            if limit and spent >= limit:
                return f"the budget of {limit:,} {words} is used up; resume grants it once more"
        return None

    def grant(self, counts: Counts) -> None:
        self._granted = self._spent(counts)

    def _spent(self, counts: Counts) -> Spent:
        return Spent(counts.planner_calls, self._clock(), counts.bytes_sent)
