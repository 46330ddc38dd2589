"""Actions from installed packages (A16): entry points of the group `notebook_bcc_ext.actions`."""

from __future__ import annotations

import logging
from importlib.metadata import entry_points

from notebook_bcc_ext.actions.registry import ENTRY_POINT_GROUP, ActionRegistry

logger = logging.getLogger(__name__)


def load_plugins(registry: ActionRegistry) -> list[str]:
    """Let every package add its actions. A package that fails is named and left out."""
    loaded: list[str] = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            entry.load()(registry)
        except Exception:
            logger.exception("the actions of entry point '%s' could not be loaded", entry.name)
        else:
            loaded.append(entry.name)
    return loaded
