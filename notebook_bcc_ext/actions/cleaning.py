"""Content cleaning (A13): planners echo their instructions and fence their code."""

from __future__ import annotations

import os.path
import re

_PHRASES = (
    "Add text to the notebook:",
    "Add code to the notebook and run it:",
    "Add code to the notebook:",
    "Update the title of the notebook:",
)
_FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)\n?(?P=fence)", re.DOTALL)
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
_HEADING = re.compile(r"#{1,6}(?:\s+|$)")


def clean_text(content: str) -> str:
    """One leading phrase off, blank lines around it off, and an indent that all lines share."""
    text = content.lstrip()
    for phrase in _PHRASES:
        if text[: len(phrase)].lower() == phrase.lower():
            return trimmed(text[len(phrase) :].lstrip(" \t"))
    return trimmed(content)


def clean_code(content: str) -> str:
    """As text, and without a fence that surrounds the whole."""
    text = clean_text(content)
    fenced = _FENCED.fullmatch(text)
    if fenced is None or _closes_earlier(fenced):
        return text
    return trimmed(fenced.group("body"))


def trimmed(text: str) -> str:
    """Lines keep their indent against each other: in code it has a meaning."""
    lines = _BLANK_LINES.sub("", text).rstrip().split("\n")
    written = [line for line in lines if line.strip()]
    shared = os.path.commonprefix(written)  # noqa: RUF071 - character by character is meant
    margin = shared[: len(shared) - len(shared.lstrip(" \t"))]
    return "\n".join(line[len(margin) :] for line in lines)


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
