"""How long a run rested: waited for the person, was paused, or lay without a process."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass
class Rest:
    """Stored with the run; the tree of the run counts into it."""

    total_ms: int = 0
    """Of the rests that are over, and of the present one as far as it was counted."""
    since: str | None = None
    """When the present rest began, or was last counted; None while there is work going on."""


def ms_between(start: str, end: str) -> int:
    lasted = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, round(lasted.total_seconds() * 1000))
