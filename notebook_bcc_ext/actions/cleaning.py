"""Content cleaning (A13): planners echo their instructions and fence their code."""

from __future__ import annotations

import re

_PHRASES = (
    "Add text to the notebook:",
    "Add code to the notebook and run it:",
    "Add code to the notebook:",
    "Update the title of the notebook:",
)
_FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)\n?(?P=fence)", re.DOTALL)
_HEADING = re.compile(r"#{1,6}(?:\s+|$)")


def clean_text(content: str) -> str:
    """One leading phrase off, white space trimmed."""
    text = content.strip()
    for phrase in _PHRASES:
        if text[: len(phrase)].lower() == phrase.lower():
            return text[len(phrase) :].strip()
    return text


def clean_code(content: str) -> str:
    """As text, and without a fence that surrounds the whole."""
    text = clean_text(content)
    fenced = _FENCED.fullmatch(text)
    if fenced is None or _closes_earlier(fenced):
        return text
    return fenced.group("body").strip("\n")


def _closes_earlier(fenced: re.Match[str]) -> bool:
    """Two fenced blocks with text between them are not one fence around the whole."""
    lines = fenced.group("body").splitlines()
    return any(line.startswith(fenced.group("fence")) for line in lines)


def heading(level: int, content: str) -> str:
    """`content` as a heading of that level; a mark it already has is replaced, not doubled."""
    return f"{'#' * level} {_without_mark(content)}"


def _without_mark(content: str) -> str:
    text = clean_text(content)
    mark = _HEADING.match(text)
    return text[mark.end() :].strip() if mark else text


def title_text(content: str) -> str:
    """A title without heading marks, on one line."""
    return " ".join(_without_mark(content).split())
