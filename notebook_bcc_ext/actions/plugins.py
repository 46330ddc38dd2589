"""Actions from installed packages (A16): entry points of the group `notebook_bcc_ext.actions`."""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from notebook_bcc_ext.actions.registry import ENTRY_POINT_GROUP, ActionRegistry

logger = logging.getLogger(__name__)


@cache
def _installed() -> tuple[EntryPoint, ...]:
    # Asking reads the metadata of every installed package: not once per run, on the event loop.
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def load_plugins(registry: ActionRegistry) -> list[str]:
    """Let every package add its actions. A package that fails is named and left out."""
    loaded: list[str] = []
    for entry in _installed():
        try:
            entry.load()(registry)
        except Exception:
            logger.exception("the actions of entry point '%s' could not be loaded", entry.name)
        else:
            loaded.append(entry.name)
    return loaded
