"""How deep a value from elsewhere may be nested: the one limit, and the one place that looks.

What is taken in is wrapped (in an operation, a snapshot, a record) and has to be readable again;
pydantic reads JSON no deeper than 200 levels, and writes no deeper than 255.
"""

from __future__ import annotations

MAX_DEPTH = 100
WRAPPED_DEPTH = MAX_DEPTH + 50
"""For what holds values that were taken in: requests with an observation, records of runs."""

NOTEBOOK_DEPTH = 300
"""A notebook is the person's own: nearly as deep as Jupyter itself can save one."""


def is_too_deep(value: object, most: int = MAX_DEPTH, text: str | None = None) -> bool:
    """Whether lists and objects are nested more than `most` levels. No recursion: the value may
    be nested without end. `text`: the same as JSON, which mostly has fewer brackets than that."""
    if text is not None and text.count("[") + text.count("{") <= most:
        return False
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def too_deep(most: int = MAX_DEPTH) -> str:
    return f"it is nested more than {most} levels deep"


def _inside(value: object) -> list[object]:
    """The containers in it; what else it holds has no depth. An empty one counts by itself."""
    if isinstance(value, dict):
        return [item for item in value.values() if isinstance(item, dict | list)]
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict | list)]
    return []
