"""Effects: the actual text that running code printed (O5), bounded in count and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
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


@dataclass
class Effect:
    text: str
    cell: str | None = None
    is_warning: bool = False
    about: str | None = None
    told: bool = False
    """Its behavior has ended: it goes as soon as a later one prints something."""


class EffectsLog:
    """What the latest behavior that printed something has printed (`current`), and what those
    before it did (`history`). Warnings are current, and never become history."""

    def __init__(
        self, current: Iterable[str | Effect] = (), history: Iterable[str | Effect] = ()
    ) -> None:
        self._current = [_effect(entry) for entry in current][-MAX_CURRENT:]
        self._history = [_effect(entry) for entry in history][-MAX_HISTORY:]

    def add(self, text: str, cell: str | None = None) -> None:
        if not text.strip():
            return
        if any(entry.told for entry in self._current):
            self._keep(entry for entry in self._current if entry.told)
            self._current = [entry for entry in self._current if not entry.told]
        self._append(Effect(bounded(text), cell))

    def warn(self, text: str, about: str | None = None) -> bool:
        """Whether it was not said already; said again, it stays as long as a new one."""
        line = bounded(WARN + text)
        said = [entry for entry in self._current if entry.is_warning and entry.text == line]
        self._current = [entry for entry in self._current if entry not in said]
        self._append(Effect(line, is_warning=True, about=about))
        return not said

    def settle(self, about: Iterable[str]) -> None:
        settled = set(about)
        self._current = [entry for entry in self._current if entry.about not in settled]

    def apply(self, update: EffectsUpdate) -> None:
        for text in update.current:
            self.add(text)
        self._keep(Effect(bounded(text)) for text in update.history)

    def behavior_ended(self) -> None:
        for entry in self._current:
            entry.told = True

    def move_to_history(self) -> None:
        """The results have been commented on."""
        self._keep(self._current)
        self._current = [entry for entry in self._current if entry.is_warning]

    def clear(self) -> None:
        self._current.clear()
        self._history.clear()

    def _append(self, entry: Effect) -> None:
        self._current.append(entry)
        del self._current[:-MAX_CURRENT]

    def _keep(self, entries: Iterable[Effect]) -> None:
        self._history.extend(entry for entry in entries if not entry.is_warning)
        del self._history[:-MAX_HISTORY]

    @property
    def current(self) -> list[str]:
        return [entry.text for entry in self._current]

    @property
    def history(self) -> list[str]:
        return [entry.text for entry in self._history]

    def view(self) -> Effects:
        return effects_view(
            [(entry.text, entry.cell) for entry in self._current],
            [(entry.text, entry.cell) for entry in self._history],
        )

    def to_snapshot(self) -> dict[str, Any]:
        return {
            "current": [asdict(entry) for entry in self._current],
            "history": [asdict(entry) for entry in self._history],
        }

    @classmethod
    def from_snapshot(cls, stored: Mapping[str, Any]) -> EffectsLog:
        return cls(
            [_stored(entry) for entry in stored["current"]],
            [_stored(entry) for entry in stored["history"]],
        )


def _effect(entry: str | Effect) -> Effect:
    return entry if isinstance(entry, Effect) else Effect(bounded(entry))


def _stored(entry: Any) -> str | Effect:
    """Earlier versions stored the text alone."""
    return Effect(**entry) if isinstance(entry, dict) else str(entry)


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
