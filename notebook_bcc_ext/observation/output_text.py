"""The text of outputs: what a person reads in them, never the name of an object (O5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from itertools import groupby

MAX_HTML_CHARS = 50_000
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# How Python writes an object that has no text of its own: `<module.Class object at 0x7f…>`.
_OBJECT = re.compile(r"<[^<>\n]*(?: object| at 0x[0-9a-fA-F]+)>|<Figure size [^<>\n]*>")
_UNSEEN = frozenset({"script", "style", "head", "template"})
_TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)[^<>]*>|[^<]+|<")
_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]"
    "|header|hr|li|main|nav|ol|p|pre|section|summary|table|tr|ul"
)


def text_of_outputs(outputs: Iterable[Mapping[str, object]]) -> str:
    parts: list[str] = []
    for stream, run in groupby(outputs, _stream_name):
        if stream is None:
            parts.extend(map(_text_of_output, run))
        else:
            parts.append(_plain("".join(_joined(one.get("text")) for one in run)).rstrip("\n"))
    return "\n".join(part for part in parts if part)


def _stream_name(output: Mapping[str, object]) -> str | None:
    """Pieces of the same stream that follow each other are one text."""
    return str(output.get("name")) if output.get("output_type") == "stream" else None


def _text_of_output(output: Mapping[str, object]) -> str:
    if output.get("output_type") == "error":
        return _plain(f"{output.get('ename', 'Error')}: {output.get('evalue', '')}")
    data = output.get("data")
    return _text_of_data(data) if isinstance(data, Mapping) else ""


def _text_of_data(data: Mapping[str, object]) -> str:
    """As JupyterLab chooses, but for HTML: where a plain text says the same, that is shorter."""
    if "text/markdown" in data:
        return _plain(data["text/markdown"])
    if "application/json" in data:
        return json.dumps(data["application/json"], ensure_ascii=False)
    plain = _plain(data.get("text/plain"))
    if plain and not _OBJECT.fullmatch(plain.strip()):
        return plain
    seen = text_of_html(_joined(data["text/html"])) if "text/html" in data else ""
    if seen or "text/latex" in data:
        return seen or _plain(data["text/latex"])
    rich = sorted(str(mime) for mime in data if mime != "text/plain")
    return f"[{', '.join(rich)}]" if rich else plain


def _plain(text: object) -> str:
    whole = _joined(text)
    return _ANSI.sub("", whole) if "\x1b" in whole else whole


def _joined(text: object) -> str:
    if isinstance(text, list):
        return "".join(str(part) for part in text)
    return str(text) if text is not None else ""


def text_of_html(html: str) -> str:
    """The words of a piece of HTML, its tables as plain tables.

    Read in one pass: `html.parser` of some Pythons takes minutes for what a stranger may display.
    """
    reader = _Reader()
    for token in _TOKEN.finditer(_without_comments(html[:MAX_HTML_CHARS])):
        if token["tag"] is None:
            reader.words(unescape(token[0]))
        elif token["end"]:
            reader.end(token["tag"].lower())
        else:
            reader.start(token["tag"].lower())
    return reader.text()


def _without_comments(html: str) -> str:
    first, *rest = html.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in rest)


class _Reader:
    """Collects lines; inside a row it collects cells. A table in a cell is read as its words."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []
        self._rows: list[list[str]] = []
        self._tables = 0
        self._unseen: str | None = None

    def start(self, tag: str) -> None:
        if self._unseen is not None:
            return
        if tag in _UNSEEN:
            self._unseen = tag
        elif tag == "table":
            self._end_line()
            self._tables += 1
        elif self._tables == 1 and tag == "tr":
            self._words = []
            self._rows.append([])
        elif self._tables == 1 and tag in ("td", "th"):
            self._words = []
        elif _BLOCKS.fullmatch(tag):
            self._end_line()

    def end(self, tag: str) -> None:
        if tag == self._unseen:
            self._unseen = None
        elif self._unseen is not None:
            return
        elif tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables:
                self._end_table()
        elif self._tables == 1 and tag in ("td", "th"):
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(self._take_words())
        elif _BLOCKS.fullmatch(tag):
            self._end_line()

    def words(self, text: str) -> None:
        if self._unseen is None:
            self._words.append(text)

    def _take_words(self) -> str:
        words = " ".join("".join(self._words).split())
        self._words = []
        return words

    def _end_line(self) -> None:
        if self._tables:
            self._words.append(" ")
        elif line := self._take_words():
            self._lines.append(line)

    def _end_table(self) -> None:
        self._words = []
        self._lines.extend(_aligned([row for row in self._rows if row]))
        self._rows = []

    def text(self) -> str:
        if self._tables:
            self._tables = 0
            self._end_table()
        self._end_line()
        return "\n".join(self._lines)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    columns = max((len(row) for row in rows), default=0)
    widths = [max((len(row[i]) for row in rows if i < len(row)), default=0) for i in range(columns)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
