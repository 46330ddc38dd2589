"""The time as it is written down everywhere: UTC, ISO 8601, so that two of them compare as text."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ms_between(start: str, end: str) -> int:
    lasted = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, round(lasted.total_seconds() * 1000))
