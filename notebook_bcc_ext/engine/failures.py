"""Failures that end a behavior; the driver turns them into FAIL and an error card."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.errors import BccError, RunFailedError
from notebook_bcc_ext.ports import RunResult
from notebook_bcc_ext.protocol.runs import RunError


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


def error_card(error: Exception, location: dict[str, Any]) -> RunError:
    """What the person is shown; an error that is not ours says so."""
    cell_id, traceback = None, None
    if isinstance(error, ActionFailedError):
        cell_id = error.cell_id
        if error.result is not None and error.result.error is not None:
            traceback = error.result.error.traceback
    known = isinstance(error, BccError)
    return RunError(
        message=str(error) if known else f"unexpected {type(error).__name__}: {error}",
        kind=type(error).__name__.removesuffix("Error"),
        location=location,
        cell_id=cell_id,
        traceback=traceback,
    )


def check_loop(step_id: str | None, iteration: int, limit: int) -> None:
    if iteration > limit:
        raise LoopGuardError(
            f"step '{step_id}' was not finished after {limit} behaviors; "
            "raise max_behaviors_per_step or correct the planner"
        )


def goal_not_reached(step_id: str | None, degraded: str | None) -> GoalNotReachedError:
    if degraded:
        return GoalNotReachedError(f"the planner gave no judgement of step '{step_id}': {degraded}")
    return GoalNotReachedError(
        f"the planner neither continued nor reached the goal of step '{step_id}'"
    )
