"""The workflow state machine: a table, and one step in it."""

from notebook_bcc_ext.fsm.machine import allows, follow, is_running
from notebook_bcc_ext.fsm.table import TRANSITIONS, allowed_events, next_state, owner_of

__all__ = [
    "TRANSITIONS",
    "allowed_events",
    "allows",
    "follow",
    "is_running",
    "next_state",
    "owner_of",
]
