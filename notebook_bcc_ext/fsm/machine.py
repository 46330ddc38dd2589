"""A state machine that follows the table and remembers how it got here (F2-F5)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import islice

from notebook_bcc_ext.errors import IllegalTransitionError
from notebook_bcc_ext.fsm.table import allowed_events, next_state
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord
from notebook_bcc_ext.protocol.states import Event, State

logger = logging.getLogger(__name__)

_AT_REST = frozenset({State.IDLE, State.ERROR, State.CANCELLED, State.WORKFLOW_COMPLETED})

# The machine keeps the latest transitions for observations; the run store keeps them all.
HISTORY_KEPT = 200


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class StateMachine:
    """`fire` is synchronous on purpose: nothing can happen between decision and change (F3)."""

    def __init__(
        self,
        state: State = State.IDLE,
        history: Iterable[TransitionRecord] = (),
        *,
        count: int = 0,
        clock: Callable[[], str] = utc_now,
    ) -> None:
        self._state = state
        self._history: deque[TransitionRecord] = deque(history, maxlen=HISTORY_KEPT)
        self.count = count
        """How many transitions there have been, also those no longer in the history."""
        self._listeners: list[Callable[[TransitionRecord], None]] = []
        self._clock = clock

    @property
    def state(self) -> State:
        return self._state

    @property
    def history(self) -> tuple[TransitionRecord, ...]:
        return tuple(self._history)

    def latest(self, count: int) -> tuple[TransitionRecord, ...]:
        """The last transitions, oldest first; at least one, because the latest is always told."""
        wanted = max(1, count)
        start = max(0, len(self._history) - wanted)
        return tuple(islice(self._history, start, None))

    @property
    def is_running(self) -> bool:
        return self._state not in _AT_REST

    @property
    def allowed_events(self) -> list[Event]:
        return allowed_events(self._state)

    def allows(self, event: Event) -> bool:
        return next_state(self._state, event) is not None

    def watch(self, listener: Callable[[TransitionRecord], None]) -> None:
        """Tell `listener` of every transition from now on."""
        self._listeners.append(listener)

    def fire(self, event: Event) -> TransitionRecord:
        """Change state, or raise IllegalTransitionError and leave it unchanged."""
        target = next_state(self._state, event)
        if target is None:
            error = IllegalTransitionError(self._state, event, self.allowed_events)
            logger.warning("refused: %s", error)
            raise error
        record = TransitionRecord.model_construct(
            from_state=self._state.value,
            event=str(event),
            to_state=target.value,
            timestamp=self._clock(),
        )
        self._state = target
        self._history.append(record)
        self.count += 1
        for listener in self._listeners:
            listener(record)
        return record
