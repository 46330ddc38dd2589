"""Newline-delimited JSON from a byte stream (P4).

Chunks may cut a line or a UTF-8 character anywhere; the last line may lack its newline. A line
that is not usable is reported as `BadLine`, never raised: one bad line does not stop a stream.
Splitting happens on bytes: 0x0A never occurs inside a multi-byte UTF-8 character.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from notebook_bcc_ext.protocol.nesting import MAX_DEPTH, is_too_deep, too_deep

DEFAULT_MAX_LINE_BYTES = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_EXCERPT = 120


@dataclass(frozen=True)
class BadLine:
    """A line that was skipped: where, why, and how it began."""

    number: int
    reason: str
    excerpt: str

    def __str__(self) -> str:
        return f"line {self.number} of the stream was skipped: {self.reason} ({self.excerpt})"


Decoded = dict[str, object] | BadLine


class NdjsonDecoder:
    """Feed it chunks, take objects. Memory is bounded by the line ceiling."""

    def __init__(self, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._oversized = False
        self._line_number = 0

    @property
    def line_number(self) -> int:
        """Of the line decoded last, counted from 1; blank lines count."""
        return self._line_number

    def feed(self, chunk: bytes) -> Iterator[Decoded]:
        start = 0
        while (end := chunk.find(b"\n", start)) != -1:
            self._keep(chunk[start:end])
            yield from self._finish_line()
            start = end + 1
        self._keep(chunk[start:])

    def close(self) -> Iterator[Decoded]:
        """The stream ended: what is left is the last line, with or without its newline."""
        if self._size or self._oversized:
            yield from self._finish_line()

    def _keep(self, part: bytes) -> None:
        if not part or self._oversized:
            return
        if self._size + len(part) > self._max:
            room = max(0, min(_EXCERPT, self._max) - self._size)
            self._parts = [b"".join(self._parts)[:_EXCERPT] + part[:room]]
            self._oversized = True
            return
        self._parts.append(part)
        self._size += len(part)

    def _finish_line(self) -> Iterator[Decoded]:
        self._line_number += 1
        line = b"".join(self._parts)
        oversized = self._oversized
        self._parts, self._size, self._oversized = [], 0, False
        if self._line_number == 1:
            line = line.removeprefix(_BOM)
        if oversized:
            yield self._bad(line, f"it is longer than {self._max} bytes")
        elif line.strip():
            yield self._decode(line)

    def _decode(self, line: bytes) -> Decoded:
        try:
            value = decode_json(line)
        except ValueError as error:
            return self._bad(line, str(error))
        if not isinstance(value, dict):
            return self._bad(line, "it is not a JSON object")
        return value

    def _bad(self, line: bytes, reason: str) -> BadLine:
        text = line[:_EXCERPT].decode("utf-8", errors="replace").strip()
        return BadLine(self._line_number, reason, text)


def decode_json(data: bytes, most_depth: int = MAX_DEPTH) -> object:
    """One JSON document from elsewhere: no deeper than it can be kept, and all of its text and
    numbers such that they can be written again. Raises ValueError, with a reason that fits into a
    sentence."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError(too_deep(most_depth)) from None
    except ValueError:
        raise ValueError("it is not JSON") from None
    if is_too_deep(value, most_depth, text):
        raise ValueError(too_deep(most_depth))
    return _without_lone_surrogates(value) if "\\ud" in text.lower() else value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is larger than any number")
    return number


def _without_lone_surrogates(value: object) -> object:
    """Half a surrogate pair is legal JSON but cannot be saved as UTF-8; it becomes `?`."""
    encoded = json.dumps(value, ensure_ascii=False).encode("utf-8", errors="replace")
    return json.loads(encoded)
