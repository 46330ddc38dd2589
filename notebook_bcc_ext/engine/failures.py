"""What the person is told of a failure that ends a behavior."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.errors import (
    ActionFailedError,
    BccError,
    GoalNotReachedError,
    LoopGuardError,
    NotAllowedError,
)
from notebook_bcc_ext.protocol.browser.runs import RunError
from notebook_bcc_ext.settings.secrets import Redactor


def kind_of_error(error: type[Exception]) -> str:
    """What an error card says of its class."""
    return error.__name__.removesuffix("Error")


NOT_ALLOWED = kind_of_error(NotAllowedError)


def error_card(error: Exception, location: dict[str, Any], redact: Redactor) -> RunError:
    """What the person is shown; an error that is not ours says so."""
    cell_id, traceback = None, None
    kind = kind_of_error(type(error))
    if isinstance(error, ActionFailedError):
        cell_id, traceback = error.cell_id, error.traceback
        if error.interrupted:
            kind = "CellInterrupted"
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
        return GoalNotReachedError(said, resumable=degraded is not None)
    if degraded:
        return GoalNotReachedError(
            f"the planner gave no judgement of step '{step_id}': {degraded}", resumable=True
        )
    return GoalNotReachedError(
        f"the planner neither continued nor reached the goal of step '{step_id}'"
    )
