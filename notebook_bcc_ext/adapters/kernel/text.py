"""Stream text as a terminal shows it: `\\r` and `\\b` are worked off as the text arrives."""

from __future__ import annotations

import re

_CONTROL = re.compile("([\n\r\b])")


class StreamText:
    """The text of one stream output, and what was added to it since it was last reported.

    Carriage return overwrites from the start of the line, backspace takes away one character, and
    neither leaves its line: the same rules by which JupyterLab joins stream messages.
    """

    def __init__(self) -> None:
        self._finished: list[str] = []
        self._finished_bytes = 0
        self._line = ""
        self._cursor = 0
        self._added: list[str] | None = []

    @property
    def text(self) -> str:
        if len(self._finished) > 1:
            self._finished = ["".join(self._finished)]
        return "".join(self._finished) + self._line

    @property
    def size(self) -> int:
        return self._finished_bytes + _utf8_length(self._line)

    @property
    def at_line_start(self) -> bool:
        return not self._line

    def take_added(self) -> str | None:
        """The text to add to what was reported, or None when earlier text was rewritten."""
        added, self._added = self._added, []
        return None if added is None else "".join(added)

    def feed(self, text: str) -> None:
        before = self._line
        if "\r" not in text and "\b" not in text and self._cursor == len(before):
            head, newline, tail = text.rpartition("\n")
            if newline:
                self._finish(before + head + newline)
                self._line = tail
            else:
                self._line = before + tail
            self._cursor = len(self._line)
            self._note(text)
            return
        new = self._overwrite(text)
        if new.startswith(before):
            self._note(new[len(before) :])
        else:
            self._added = None

    def _overwrite(self, text: str) -> str:
        """Work through `text` with its control characters; what stands from the old line on."""
        finished: list[str] = []
        line, cursor = list(self._line), self._cursor
        for piece in _CONTROL.split(text):
            if piece == "\n":
                finished.append("".join(line) + "\n")
                line, cursor = [], 0
            elif piece == "\r":
                cursor = 0
            elif piece == "\b":
                if cursor:
                    cursor -= 1
                    del line[cursor]
            else:
                line[cursor : cursor + len(piece)] = piece
                cursor += len(piece)
        done = "".join(finished)
        if done:
            self._finish(done)
        self._line, self._cursor = "".join(line), cursor
        return done + self._line

    def _finish(self, text: str) -> None:
        self._finished.append(text)
        self._finished_bytes += _utf8_length(text)

    def _note(self, added: str) -> None:
        if self._added is not None and added:
            self._added.append(added)


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
