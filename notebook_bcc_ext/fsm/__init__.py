"""The workflow state machine: a table, a lookup, a machine with history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_bcc_ext.fsm.table import TRANSITIONS, allowed_events, next_state, owner_of

if TYPE_CHECKING:
    from notebook_bcc_ext.fsm.machine import StateMachine

__all__ = ["TRANSITIONS", "StateMachine", "allowed_events", "next_state", "owner_of"]


def __getattr__(name: str) -> Any:
    # The machine's records are pydantic models; who only reads the table need not wait for them.
    if name == "StateMachine":
        from notebook_bcc_ext.fsm.machine import StateMachine  # noqa: PLC0415

        return StateMachine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
