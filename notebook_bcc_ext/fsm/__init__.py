"""The workflow state machine: a table, a lookup, a machine with history."""

from notebook_bcc_ext.fsm.machine import StateMachine
from notebook_bcc_ext.fsm.table import TRANSITIONS, allowed_events, next_state, owner_of

__all__ = ["TRANSITIONS", "StateMachine", "allowed_events", "next_state", "owner_of"]
