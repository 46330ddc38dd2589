"""Effects: the actual text that running code printed (O5), bounded in count and size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from notebook_bcc_ext.protocol.observation import Effects
from notebook_bcc_ext.protocol.planner import EffectsUpdate

MAX_CURRENT = 50
MAX_HISTORY = 50
MAX_ENTRY_CHARS = 4_000
WARN = "⚠️ WARN: "


class EffectsLog:
    """Output of the running behavior (`current`) and of those before it (`history`)."""

    def __init__(self, current: Iterable[str] = (), history: Iterable[str] = ()) -> None:
        self._current: deque[str] = deque(map(_bounded, current), maxlen=MAX_CURRENT)
        self._history: deque[str] = deque(map(_bounded, history), maxlen=MAX_HISTORY)

    def add(self, text: str) -> None:
        if text.strip():
            self._current.append(_bounded(text))

    def warn(self, text: str) -> None:
        self._current.append(_bounded(WARN + text))

    def apply(self, update: EffectsUpdate) -> None:
        for text in update.current:
            self.add(text)
        self._history.extend(map(_bounded, update.history))

    def move_to_history(self) -> None:
        """A behavior ended, or its results have been commented on."""
        self._history.extend(self._current)
        self._current.clear()

    def clear(self) -> None:
        self._current.clear()
        self._history.clear()

    @property
    def current(self) -> list[str]:
        return list(self._current)

    @property
    def history(self) -> list[str]:
        return list(self._history)

    def view(self) -> Effects:
        return Effects(current=list(self._current), history=list(self._history))


def _bounded(text: str) -> str:
    """Keep both ends of a long text: the beginning says what it is, the end how it went."""
    if len(text) <= MAX_ENTRY_CHARS:
        return text
    half = MAX_ENTRY_CHARS // 2
    cut = len(text) - 2 * half
    return f"{text[:half]}\n… {cut} characters left out …\n{text[-half:]}"


def text_of_outputs(outputs: Iterable[Mapping[str, object]]) -> str:
    """What a person would read in the outputs, as plain text."""
    parts = (_text_of_output(output) for output in outputs)
    return "\n".join(part for part in parts if part)


def _text_of_output(output: Mapping[str, object]) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _joined(output.get("text")).rstrip("\n")
    if kind == "error":
        return f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
    data = output.get("data")
    if not isinstance(data, Mapping):
        return ""
    for mime in ("text/plain", "text/markdown"):
        if mime in data:
            return _joined(data[mime])
    return f"[{', '.join(sorted(str(mime) for mime in data))}]"


def _joined(text: object) -> str:
    if isinstance(text, list):
        return "".join(str(part) for part in text)
    return str(text) if text is not None else ""
