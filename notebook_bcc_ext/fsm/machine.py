"""One step of the state machine (F2-F5)."""

from __future__ import annotations

import logging

from notebook_bcc_ext.errors import IllegalTransitionError
from notebook_bcc_ext.fsm.table import allowed_events, next_state
from notebook_bcc_ext.protocol.states import Event, State

logger = logging.getLogger(__name__)

_AT_REST = frozenset({State.IDLE, State.ERROR, State.CANCELLED, State.WORKFLOW_COMPLETED})


def is_running(state: State) -> bool:
    return state not in _AT_REST


def allows(state: State, event: Event) -> bool:
    return next_state(state, event) is not None


def follow(state: State, event: Event) -> State:
    """Where the event leads; IllegalTransitionError, and a warning in the log, where it leads
    nowhere."""
    target = next_state(state, event)
    if target is None:
        error = IllegalTransitionError(state, event, allowed_events(state))
        logger.warning("refused: %s", error)
        raise error
    return target
