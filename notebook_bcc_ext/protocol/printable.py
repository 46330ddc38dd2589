"""Text of strangers as a terminal may show it: what would steer the terminal is made visible."""

from __future__ import annotations

import re

# Control characters (C0 but tab and newline, DEL, C1), what turns the direction of the text,
# separators of lines, and halves of characters that no terminal can take.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LINE_BREAKS = re.compile(r"\s*[\r\n]+\s*")


def printable(text: str) -> str:
    """`\\x1b` instead of what it stands for. Line breaks stay."""
    return _STEERING.sub(_named, text.replace("\r\n", "\n"))


def on_one_line(text: str) -> str:
    """For a place in a list or a log, where a line break would make a second entry."""
    return printable(_LINE_BREAKS.sub(" ", text))


def printable_json(text: str) -> str:
    """JSON text that means the same and holds none of them."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _named(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004
