"""The to-do list that a planner keeps (P6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from notebook_bcc_ext.protocol.planner.calls import TodoListUpdate


def updated_todo_list(items: Sequence[str], update: TodoListUpdate) -> list[str]:
    """add: without duplicates; remove: exact text; replace: as given, without duplicates."""
    match update.operation:
        case "add":
            return _unique([*items, *update.items])
        case "remove":
            gone = set(update.items)
            return [item for item in items if item not in gone]
        case "replace":
            return _unique(update.items)
        case _:
            assert_never(update.operation)


def _unique(items: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(items))
