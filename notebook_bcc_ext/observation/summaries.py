"""Short forms of JSON values (O11), for variables that live with the planner.

Objects in the kernel are summarised in the kernel, by the code runner, under the same names.
"""

from __future__ import annotations

import re
from collections.abc import Sized
from typing import Any

from notebook_bcc_ext.errors import ProtocolError

HEAD = 5
_LAST_N = re.compile(r"last_(\d{1,9})_only")


def last_n(strategy: str) -> int | None:
    """The N of `last_N_only`, or None for another strategy."""
    found = _LAST_N.fullmatch(strategy)
    return int(found.group(1)) if found else None


def is_strategy(strategy: str) -> bool:
    fixed = ("shape_only", "describe_only", "head_only")
    return strategy in fixed or last_n(strategy) is not None


def summarize_json(value: Any, strategy: str) -> Any:
    kept = last_n(strategy)
    if kept is not None:
        return _part(value, slice(-kept, None) if kept else slice(0, 0))
    match strategy:
        case "shape_only":
            return _shape(value)
        case "describe_only":
            return _describe(value)
        case "head_only":
            return _part(value, slice(0, HEAD))
        case _:
            raise ProtocolError(
                f"unknown summary '{strategy}': use shape_only, describe_only, head_only "
                "or last_N_only with a number for N"
            )


def _shape(value: Any) -> str:
    size = f"({len(value)})" if isinstance(value, Sized) else ""
    return f"{type(value).__name__}{size}"


def _describe(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return _shape(value)
    numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
    if not numbers or len(numbers) != len(value):
        return _shape(value)
    mean = sum(numbers) / len(numbers)
    return {"count": len(numbers), "mean": mean, "min": min(numbers), "max": max(numbers)}


def _part(value: Any, part: slice) -> Any:
    if isinstance(value, str | list | tuple):
        return value[part]
    if isinstance(value, dict):
        return dict(list(value.items())[part])
    return value
