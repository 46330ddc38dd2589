"""Every error the product raises on purpose.

    BccError
    ├── ProtocolError            bytes or fields that do not fit the protocol
    │   ├── MissingFieldError    a required field is absent (names model and field)
    │   ├── TooLargeError        a request's body beyond its limit
    │   ├── NotebookPathError    a path at which no run may work
    │   ├── UnknownActionError   an action type nobody registered
    │   └── InvalidProposalError an update that would break the running workflow
    ├── IllegalTransitionError   a (state, event) pair outside the transition table
    ├── IllegalCommandError      a command that the run's state does not allow
    ├── NotFoundError            a run, cell, playbook or proposal that does not exist
    ├── SettingsError            a setting that cannot be used
    ├── RecordError              a record of a run that cannot be played again
    ├── PlannerError             the planner service failed
    │   ├── PlannerUnavailableError   no usable answer after all tries
    │   │   └── PlannerFailingError   answers, each of them an error of its own
    │   └── PlannerStreamError        a stream broke half way
    ├── KernelError              the kernel cannot do what was asked
    │   ├── KernelGoneError      it died, was restarted or replaced
    │   └── KernelTimeoutError   it did not answer in time
    ├── NotebookError            the notebook cannot be read or written
    │   └── ForeignChangeError   somebody else changed the file; nothing was overwritten
    │       ├── NotebookGoneError    the file was deleted or moved away
    │       └── StaleBaseError       a tab saves what is based on an older state: pull first
    ├── RequirementsError        the kernel lacks what a workflow needs
    ├── RunFailedError           a run cannot go on; its error card says why
    │   ├── ActionFailedError    an action failed, and nobody repairs it
    │   ├── StepsRejectedError   the person rejected the proposed steps
    │   ├── PlanRejectedError    the person did not want the plan; the run ends before it began
    │   ├── GoalNotReachedError  the planner neither continued nor confirmed the goal
    │   ├── NotAllowedError      the planner knows no way but what the person did not allow
    │   ├── OutOfStepError       the planner answers for another place than the run is at
    │   └── LoopGuardError       too many behaviors in one step
    └── StoreError               the run store cannot be read or written

Messages are for people: what was wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


class BccError(Exception):
    """Base of all errors above."""


class ProtocolError(BccError):
    pass


class MissingFieldError(ProtocolError):
    def __init__(self, model: str, field: str) -> None:
        self.model = model
        self.field = field
        super().__init__(f"{model}: required field '{field}' is missing")


class TooLargeError(ProtocolError):
    pass


class NotebookPathError(ProtocolError):
    pass


class UnknownActionError(ProtocolError):
    def __init__(self, action_type: str) -> None:
        self.action_type = action_type
        super().__init__(
            f"unknown action type '{action_type}': register it with the action registry "
            "or correct the planner"
        )


class InvalidProposalError(ProtocolError):
    pass


class IllegalTransitionError(BccError):
    def __init__(self, state: str, event: str, allowed: Iterable[str]) -> None:
        self.state = state
        self.event = event
        self.allowed = tuple(allowed)
        choices = ", ".join(self.allowed) or "none"
        super().__init__(f"event {event} is not allowed in state {state} (allowed: {choices})")


class IllegalCommandError(BccError):
    def __init__(self, command: str, reason: str, allowed: Iterable[str]) -> None:
        self.command = command
        self.reason = reason
        self.allowed = tuple(allowed)
        choices = ", ".join(self.allowed) or "none"
        super().__init__(f"cannot {command}: {reason} (allowed now: {choices})")


class NotFoundError(BccError):
    pass


class SettingsError(BccError):
    pass


class RecordError(BccError):
    pass


class PlannerError(BccError):
    pass


class PlannerUnavailableError(PlannerError):
    pass


class PlannerFailingError(PlannerUnavailableError):
    pass


class PlannerStreamError(PlannerError):
    pass


class RequirementsError(BccError):
    pass


class KernelError(BccError):
    pass


class KernelGoneError(KernelError):
    pass


class KernelTimeoutError(KernelError):
    pass


class NotebookError(BccError):
    pass


class ForeignChangeError(NotebookError):
    pass


class NotebookGoneError(ForeignChangeError):
    pass


class StaleBaseError(ForeignChangeError):
    pass


class RunFailedError(BccError):
    def __init__(self, message: str, *, resumable: bool = False) -> None:
        """`resumable`: a retry goes on behind what was done; otherwise the behavior begins anew."""
        super().__init__(message)
        self.resumable = resumable


class ActionFailedError(RunFailedError):
    def __init__(
        self,
        message: str,
        *,
        cell_id: str | None = None,
        traceback: str | None = None,
        interrupted: bool = False,
        resumable: bool = False,
    ) -> None:
        super().__init__(message, resumable=resumable)
        self.cell_id = cell_id
        self.traceback = traceback
        self.interrupted = interrupted


class StepsRejectedError(RunFailedError):
    """The machine is in `error` already: the table says so for rejected steps (U7)."""


class PlanRejectedError(RunFailedError):
    pass


class GoalNotReachedError(RunFailedError):
    pass


class NotAllowedError(RunFailedError):
    """Nothing failed: the run waits for the person (N8)."""


class OutOfStepError(RunFailedError):
    pass


class LoopGuardError(RunFailedError):
    pass


class StoreError(BccError):
    pass
