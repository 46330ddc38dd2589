"""Failures that end a behavior; the driver turns them into FAIL and an error card."""

from __future__ import annotations

from notebook_bcc_ext.errors import RunFailedError
from notebook_bcc_ext.ports import RunResult


class ActionFailedError(RunFailedError):
    def __init__(self, message: str, cell_id: str | None, result: RunResult | None) -> None:
        super().__init__(message)
        self.cell_id = cell_id
        self.result = result


class StepsRejectedError(RunFailedError):
    """The machine is in `error` already: the table says so for rejected steps (U7)."""


class GoalNotReachedError(RunFailedError):
    """The planner neither continued nor confirmed the goal (F8)."""


class LoopGuardError(RunFailedError):
    """Too many behaviors in one step (F15)."""
