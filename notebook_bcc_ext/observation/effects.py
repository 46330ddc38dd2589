"""Effects: the actual text that running code printed (O5), bounded in count and size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from notebook_bcc_ext.protocol.planner.calls import EffectsUpdate
from notebook_bcc_ext.protocol.planner.observation import EffectCells, Effects

MAX_CURRENT = 50
MAX_HISTORY = 50
MAX_ENTRY_CHARS = 4_000
WARN = "⚠️ WARN: "


class Warn(NamedTuple):
    """A word to the planner. When what it is `about` is settled, it is taken back."""

    text: str
    about: str | None = None


def about_name(name: str) -> str:
    """Warnings about a variable that is missing: settled when the kernel has it."""
    return f"name:{name}"


@dataclass(frozen=True)
class Effect:
    text: str
    cell: str | None = None
    is_warning: bool = False
    about: str | None = None
    told: bool = False
    """Its behavior has ended: it goes as soon as a later one prints something."""


@dataclass(frozen=True)
class EffectsState:
    """What the latest behavior that printed something has printed (`current`), and what those
    before it did (`history`). Warnings are current, and never become history."""

    current: tuple[Effect, ...] = ()
    history: tuple[Effect, ...] = ()

    def adding(self, text: str, cell: str | None = None) -> EffectsState:
        if not text.strip():
            return self
        after = self
        if any(entry.told for entry in self.current):
            after = self._keeping(entry for entry in self.current if entry.told)
            after = replace(after, current=tuple(e for e in after.current if not e.told))
        return after._with(Effect(bounded(text), cell))

    def warning(self, text: str, about: str | None = None) -> EffectsState:
        """Said again, a warning stays as long as a new one."""
        line = bounded(WARN + text)
        rest = tuple(e for e in self.current if not (e.is_warning and e.text == line))
        return replace(self, current=rest)._with(Effect(line, is_warning=True, about=about))

    def warns(self, text: str) -> bool:
        """Whether this is said already."""
        line = bounded(WARN + text)
        return any(entry.is_warning and entry.text == line for entry in self.current)

    def settled(self, about: Iterable[str]) -> EffectsState:
        gone = set(about)
        rest = tuple(entry for entry in self.current if entry.about not in gone)
        return self if len(rest) == len(self.current) else replace(self, current=rest)

    def told(self, update: EffectsUpdate) -> EffectsState:
        after = self
        for text in update.current:
            after = after.adding(text)
        return after._keeping(Effect(bounded(text)) for text in update.history)

    def behavior_ended(self) -> EffectsState:
        return replace(self, current=tuple(replace(e, told=True) for e in self.current))

    def moved_to_history(self) -> EffectsState:
        """The results have been commented on."""
        after = self._keeping(self.current)
        return replace(after, current=tuple(e for e in after.current if e.is_warning))

    def _with(self, entry: Effect) -> EffectsState:
        return replace(self, current=(*self.current, entry)[-MAX_CURRENT:])

    def _keeping(self, entries: Iterable[Effect]) -> EffectsState:
        news = tuple(entry for entry in entries if not entry.is_warning)
        return replace(self, history=(*self.history, *news)[-MAX_HISTORY:]) if news else self

    def texts(self) -> list[str]:
        return [entry.text for entry in self.current]

    def view(self) -> Effects:
        return effects_view(
            [(entry.text, entry.cell) for entry in self.current],
            [(entry.text, entry.cell) for entry in self.history],
        )


Told = tuple[str, str | None]
"""A text, and the cell that printed it."""


def effects_view(current: Sequence[Told], history: Sequence[Told]) -> Effects:
    """The texts, and beside them their cells, in the same order."""
    fields: dict[str, Any] = {
        "current": [text for text, _ in current],
        "history": [text for text, _ in history],
    }
    if any(cell for _, cell in (*current, *history)):
        fields["cells"] = EffectCells(
            current=[cell for _, cell in current], history=[cell for _, cell in history]
        )
    return Effects(**fields)


def with_cells(effects: Effects) -> tuple[list[Told], list[Told]]:
    """The other way round. A planner's own list may lack cells, or hold objects."""
    cells = effects.cells or EffectCells()
    return _paired(effects.current, cells.current), _paired(effects.history, cells.history)


def _paired(texts: Sequence[Any], cells: Sequence[str | None]) -> list[Told]:
    known = [*cells, *[None] * len(texts)]
    return [(str(text), cell) for text, cell in zip(texts, known, strict=False)]


def bounded(text: str, limit: int = MAX_ENTRY_CHARS) -> str:
    """Keep both ends of a long text: the beginning says what it is, the end how it went."""
    if len(text) <= limit:
        return text
    half = limit // 2
    cut = len(text) - 2 * half
    return f"{text[:half]}\n… {cut} characters left out …\n{text[-half:]}"
