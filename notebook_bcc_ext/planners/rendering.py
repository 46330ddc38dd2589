"""Putting values into playbook texts, so that no value can become code or markup.

In code a value is a Python literal, and a placeholder may only stand where an expression can
stand (checked when the playbook is loaded). In markdown a value is text. Each text is passed
over once: a value that looks like a placeholder stays as it is.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.playbook import DEFAULT_LANGUAGE, in_language

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}")
_CODE_SPAN = re.compile(r"`\s*" + PLACEHOLDER.pattern + r"\s*`")
_MARKUP = re.compile(r"([\\`*\[\]<>|$~])|(?<!\w)(_)|(_)(?!\w)")
_MAGIC_LINE = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
_LINE_WIDTH = 88
TEXT_KINDS = ("text", "f", "label")


class RenderingError(BccError):
    """A placeholder that cannot be filled in, or stands where it must not."""


@dataclass(frozen=True)
class Scope:
    """What placeholders can name: variables, and the texts of the step in all languages."""

    variables: Mapping[str, object]
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    language: str = DEFAULT_LANGUAGE
    label_function: str | None = None

    def value(self, path: str) -> object:
        name, *keys = path.split(".")
        value = self.variables.get(name)
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def text(self, name: str, language: str | None = None) -> str:
        if name not in self.texts:
            raise RenderingError(f"there is no text '{name}' among the step's texts")
        return in_language(dict(self.texts[name]), language or self.language)


def placeholders(text: str) -> list[str]:
    return [found.group(1) for found in PLACEHOLDER.finditer(text)]


def render_markdown(text: str, scope: Scope) -> str:
    """Values as plain text; inside backticks as they are, without backticks of their own."""
    pattern = re.compile(f"{_CODE_SPAN.pattern}|{PLACEHOLDER.pattern}")

    def fill(found: re.Match[str]) -> str:
        in_span, plain = found.groups()
        if in_span is not None:
            return f"`{_one_line(scope.value(in_span)).replace('`', chr(39))}`"
        return escape_markdown(_one_line(scope.value(plain)))

    return pattern.sub(fill, text)


def render_plain(text: str, scope: Scope) -> str:
    """For names and titles that are shown as text: values on one line, nothing escaped."""
    return PLACEHOLDER.sub(lambda found: _one_line(scope.value(found.group(1))), text)


def escape_markdown(text: str) -> str:
    escaped = _MARKUP.sub(lambda found: "\\" + found.group(0), text)
    return re.sub(r"^(\s*)([#+\-]|\d+(?=\.))", r"\1\\\2", escaped)


def render_code(code: str, scope: Scope) -> str:
    """Fill in literals; long texts are wrapped the way a formatter would wrap them."""

    def fill(found: re.Match[str]) -> str:
        kind, _, name = found.group(1).partition(".")
        if kind not in TEXT_KINDS or not name:
            return python_literal(scope.value(found.group(1)))
        line_start = code.rfind("\n", 0, found.start()) + 1
        line = code[line_start : found.start()]
        indent = line[: len(line) - len(line.lstrip())]
        around = code[found.start() - 1 : found.start()] + code[found.end() : found.end() + 1]
        text = _text_expression(kind, name, scope, indent)
        # Where brackets already enclose the text, its own parentheses would be noise.
        return text[1:-1] if around in ("()", "[]") and text.startswith("(") else text

    return PLACEHOLDER.sub(fill, code)


def _text_expression(kind: str, name: str, scope: Scope, indent: str) -> str:
    text = scope.text(name)
    english = scope.text(name, DEFAULT_LANGUAGE)
    if kind == "f":
        return _wrapped("f", text, indent)
    if kind == "text" or text == english or scope.label_function is None:
        return _wrapped("", text, indent)
    return f"{scope.label_function}({python_literal(text)}, {python_literal(english)})"


def _wrapped(prefix: str, text: str, indent: str) -> str:
    whole = _literal(prefix, text)
    if len(whole) + len(indent) <= _LINE_WIDTH:
        return whole
    parts = [f"{indent}    {_literal(prefix, part)}" for part in _chunks(text, _LINE_WIDTH - 20)]
    return "(\n" + "\n".join(parts) + f"\n{indent})"


def _literal(prefix: str, text: str) -> str:
    return (prefix if "{" in text else "") + python_literal(text)


def _chunks(text: str, width: int) -> list[str]:
    """Cut between words (or between Chinese characters), never inside a `{field}`."""
    chunks, current, columns = [], "", 0
    for piece in _pieces(text):
        size = sum(2 if char > "\u2e7f" else 1 for char in piece)
        if current and columns + size > width and not piece.isspace():
            chunks.append(current)
            current, columns = "", 0
        current += piece
        columns += size
    return [*chunks, current]


def _pieces(text: str) -> Iterator[str]:
    """Words, blanks, single Chinese characters, and fields with all that is nested in them."""
    piece, depth = "", 0
    for char in text:
        is_single = char.isspace() or char > "\u2e7f"
        if depth == 0 and piece and (is_single or char == "{"):
            yield piece
            piece = ""
        depth += (char == "{") - (char == "}" and depth > 0)
        piece += char
        if depth == 0 and (is_single or char == "}"):
            yield piece
            piece = ""
    yield piece


def python_literal(value: object) -> str:
    """Source code of a JSON value. Anything else is passed on as its text."""
    match value:
        case None | bool():
            return repr(value)
        case float() if not math.isfinite(value):
            return f"float({str(value)!r})"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return "[" + ", ".join(python_literal(item) for item in value) + "]"
        case Mapping():
            pairs = ((python_literal(key), python_literal(item)) for key, item in value.items())
            return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
        case _:
            text = str(value)
            return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def _one_line(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_one_line(item) for item in value)
    return " ".join(str(value).split())


def code_problem(code: str, scope: Scope) -> tuple[int, str] | None:
    """The first thing wrong with a code template: (line, reason), or None."""
    marks: list[str] = []

    def mark(_: re.Match[str]) -> str:
        marks.append(f"placeholder_{len(marks)}_")
        return marks[-1]

    if code.lstrip().startswith("%%"):
        return (1, "a cell magic cannot take placeholders") if placeholders(code) else None
    marked = _without_magics(PLACEHOLDER.sub(mark, code))
    try:
        tree = ast.parse(marked)
        expressions = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        misplaced = [name for name in marks if name not in expressions]
        if misplaced:
            line = marked[: marked.index(misplaced[0])].count("\n") + 1
            return line, (
                "a placeholder must stand where a Python expression can stand, "
                "not inside a string, a comment or another name"
            )
        ast.parse(_without_magics(render_code(code, scope)))
    except SyntaxError as error:
        return error.lineno or 1, f"not valid Python: {error.msg}"
    except RenderingError as error:
        return 1, str(error)
    return None


def _without_magics(code: str) -> str:
    return _MAGIC_LINE.sub(r"\1pass", code)
