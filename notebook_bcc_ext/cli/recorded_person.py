"""The person of a recorded run: what they decided then is decided again."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.cli.headless import TypedAnswers
from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.engine.failures import NOT_ALLOWED
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import RecordError
from notebook_bcc_ext.planners.record_file import CANCELLED, Record, RecordedTransition
from notebook_bcc_ext.planners.replay import ReplayTransport
from notebook_bcc_ext.protocol.browser.records import RecordedDecision
from notebook_bcc_ext.protocol.browser.runs import Command, CommandName, Pending, RunView
from notebook_bcc_ext.protocol.states import Event, State

# What the person said to a run at rest is known by the event that it fired. `debug` fires the
# same one as `retry` and differs only in what the planner is told.
_ORDERS: dict[Event, CommandName] = {
    Event.START_BEHAVIOR: "retry",
    Event.START_WORKFLOW: "restart",
    Event.RESET: "reset",
}
_NOT_AS_RECORDED = RecordError.__name__.removesuffix("Error")
_AT_REST = (State.ERROR, State.CANCELLED)


class RecordedPerson:
    """With `typed`, questions are answered there; how the run goes on comes from the record."""

    def __init__(
        self, record: Record, transport: ReplayTransport, typed: TypedAnswers | None = None
    ) -> None:
        self._record = record
        self._transport = transport
        self._typed = typed
        self._given: tuple[CommandName | None, int] | None = None
        self._decisions = list(record.decisions)
        self._orders = [entry for entry in record.transitions if entry.from_state in _AT_REST]

    async def answer(self, pending: Pending) -> Command | None:
        if self._typed is not None:
            return await self._typed.answer(pending)
        same = [one for one in self._decisions if _same_question(one, pending)]
        # A server that stopped left its question open, and the next one asked it anew.
        answered = [one for one in same if one.decision in ("confirmed", "rejected")]
        asked = next(iter(answered or same), None)
        if asked is not None:
            self._decisions.remove(asked)
        if asked is None or not answered:
            self._tell_undecided(pending, asked)
            return None
        return Command(
            command="confirm" if asked.decision == "confirmed" else "reject",
            proposal_id=pending.id,
            reason=asked.reason,
            edited=asked.edited,
        )

    def _tell_undecided(self, pending: Pending, asked: RecordedDecision | None) -> None:
        why = "was not answered in the recorded run" if asked else "is not in the record"
        _tell(
            f"stopped at a question of the kind '{pending.kind}' ({pending.summary}) that {why}. "
            "Give an answer to all questions with --approve yes, no or ask"
        )

    def order(self, run: Run) -> Command | None:
        if run.world.gate.reason == "limit" or not self._transport.calls_left:
            return None
        error = run.world.state.error
        if error is not None and error.kind == _NOT_AS_RECORDED:
            return None
        wanted = self._next_order(run)
        given = (wanted, self._transport.calls_left)
        if wanted is None or wanted not in run.allowed_commands or given == self._given:
            # An order that led to no call, such as a retry without a kernel, is not repeated.
            return None
        self._given = given
        return Command(command=wanted)

    def _next_order(self, run: Run) -> CommandName | None:
        if run.status == "paused" and run.world.state.error is None:
            return "resume"
        following = self._orders[0] if self._orders else None
        if run.status == "paused" and _was_not_allowed(run):
            return self._take(following)
        if run.status == "paused":
            return "retry" if self._transport.asks_again else None
        if run.status != "failed":
            return None
        latest = self._transport.latest
        broken_off = latest is not None and latest.error == CANCELLED
        if broken_off and (following is None or following.from_state is State.ERROR):
            # No person did that: a server stopped in mid-stream, and went on when it was back.
            # Between two actions it began the behavior again by itself.
            if following is not None and _stopped_between_actions(run):
                self._take(following)
            return "retry"
        return self._take(following)

    def _take(self, following: RecordedTransition | None) -> CommandName | None:
        if following is None:
            return None
        self._orders.pop(0)
        return _ORDERS.get(following.event)

    def farewell(self, view: RunView) -> None:
        was = self._record.run.status
        if view.status_reason == "limit":
            _tell(f"this is as far as the recorded run came before it was {was}")
        elif view.status != was:
            left = self._transport.calls_left
            unplayed = f"; {left} of its planner calls were not played" if left else ""
            _tell(f"the recorded run was {was}, this one is {view.status}{unplayed}")


def _was_not_allowed(run: Run) -> bool:
    error = run.world.state.error
    return error is not None and error.kind == NOT_ALLOWED


def _stopped_between_actions(run: Run) -> bool:
    return run.world.state.history[-1].from_state == State.ACTION_COMPLETED


def _same_question(recorded: RecordedDecision, pending: Pending) -> bool:
    return recorded.kind == pending.kind and (
        _lasting(recorded.content) == _lasting(pending.content)
    )


def _lasting(content: dict[str, Any]) -> dict[str, Any]:
    """Cells are named anew in every run."""
    return {key: value for key, value in content.items() if key not in ("cell_id", "codecell_id")}


def _tell(text: str) -> None:
    complain(f"jupyter bcc replay: {text}")
