"""Regular expressions from a stranger, matched safely (O11).

The pattern comes from the planner. A bad one is reported, and one that would run for ages is
stopped by `regex`'s timeout; both become warnings, never a hang.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import regex

from notebook_bcc_ext.observation.effects import Told

MAX_PATTERNS = 20
MAX_PATTERN_CHARS = 500
SECONDS_PER_MATCH = 0.01


class PatternSet:
    """Several patterns, any of which may match; broken ones are left out and named."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.warnings: list[str] = []
        self._compiled: dict[str, regex.Pattern[str]] = {}
        for pattern in patterns[:MAX_PATTERNS]:
            self._compile(pattern)
        if len(patterns) > MAX_PATTERNS:
            self.warnings.append(f"only the first {MAX_PATTERNS} patterns are used")

    def __bool__(self) -> bool:
        return bool(self._compiled)

    def _compile(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN_CHARS:
            self.warnings.append(
                f"pattern ignored, longer than {MAX_PATTERN_CHARS} characters: {pattern[:40]}…"
            )
            return
        try:
            self._compiled[pattern] = regex.compile(pattern, flags=regex.MULTILINE)
        except (regex.error, RecursionError, OverflowError) as error:
            self.warnings.append(f"pattern ignored, not a regular expression: {pattern} ({error})")

    def matches(self, text: str) -> bool:
        """Whether any pattern is found. A pattern that runs out of time is dropped, with a word."""
        return any(self._search(pattern, text) for pattern in list(self._compiled))

    def _search(self, pattern: str, text: str) -> bool:
        try:
            return self._compiled[pattern].search(text, timeout=SECONDS_PER_MATCH) is not None
        except TimeoutError:
            del self._compiled[pattern]
            self.warnings.append(f"pattern ignored, it takes too long to match: {pattern}")
            return False


def select(entries: Iterable[Told], include: PatternSet, exclude: PatternSet) -> list[Told]:
    """Those whose text some include pattern finds (all, without any) and no exclude pattern."""
    wanted = bool(include)
    return [
        (text, cell)
        for text, cell in entries
        if not exclude.matches(text) and (not wanted or include.matches(text))
    ]
