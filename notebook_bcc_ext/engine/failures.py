"""Failures that end a behavior; the driver turns them into FAIL and an error card."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.errors import BccError, RunFailedError
from notebook_bcc_ext.ports import RunResult
from notebook_bcc_ext.protocol.browser.runs import RunError
from notebook_bcc_ext.settings.secrets import Redactor


class ActionFailedError(RunFailedError):
    def __init__(self, message: str, cell_id: str | None, result: RunResult | None) -> None:
        super().__init__(message)
        self.cell_id = cell_id
        self.result = result


class StepsRejectedError(RunFailedError):
    """The machine is in `error` already: the table says so for rejected steps (U7)."""


class GoalNotReachedError(RunFailedError):
    """The planner neither continued nor confirmed the goal (F8)."""


class NotAllowedError(RunFailedError):
    """The planner has no other way than the one that the person did not allow; the run waits
    for them, and nothing failed (N8)."""


class OutOfStepError(RunFailedError):
    """The planner answers for another place than the run is at."""


class LoopGuardError(RunFailedError):
    """Too many behaviors in one step (F15)."""


def kind_of_error(error: type[Exception]) -> str:
    """What an error card says of its class."""
    return error.__name__.removesuffix("Error")


NOT_ALLOWED = kind_of_error(NotAllowedError)


def error_card(error: Exception, location: dict[str, Any], redact: Redactor) -> RunError:
    """What the person is shown; an error that is not ours says so."""
    cell_id, traceback = None, None
    kind = kind_of_error(type(error))
    if isinstance(error, ActionFailedError):
        cell_id = error.cell_id
        if error.result is not None and error.result.status == "interrupted":
            kind = "CellInterrupted"
        if error.result is not None and error.result.error is not None:
            traceback = error.result.error.traceback
    known = isinstance(error, BccError)
    message = str(error) if known else f"unexpected {type(error).__name__}: {error}"
    return RunError(
        message=redact.in_observation(message),
        kind=kind,
        location=location,
        cell_id=cell_id,
        traceback=redact.in_observation(traceback),
    )


def check_loop(step_id: str | None, iteration: int, limit: int) -> None:
    if iteration > limit:
        raise LoopGuardError(
            f"step '{step_id}' was not finished after {limit} behaviors; "
            "raise max_behaviors_per_step or correct the planner"
        )


def not_allowed(step_id: str | None) -> NotAllowedError:
    return NotAllowedError(
        f"you did not allow what the planner wanted to run for step '{step_id}', and it knows no "
        "other way to the goal: retry to be asked once more (you may edit the code then), or "
        "cancel the run"
    )


def goal_not_reached(
    step_id: str | None, degraded: str | None, said: str | None = None
) -> GoalNotReachedError:
    """`said` is the planner's own sentence; nobody knows better why."""
    if said:
        return GoalNotReachedError(said)
    if degraded:
        return GoalNotReachedError(f"the planner gave no judgement of step '{step_id}': {degraded}")
    return GoalNotReachedError(
        f"the planner neither continued nor reached the goal of step '{step_id}'"
    )
