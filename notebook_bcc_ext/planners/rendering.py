"""Putting values into playbook texts, so that no value can become code or markup.

In code a value is a Python literal, and a placeholder may only stand where an expression can
stand (checked when the playbook is loaded). In markdown a value is text, shown as it is: neither
markdown nor HTML can come of it. Each text is passed over once: a value that looks like a
placeholder stays as it is. What code itself puts into a text in the kernel, `{{ f.x }}` hands to
the playbook's own `text_function`, value by value.
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
_MARKUP = re.compile(r"[`*\[\]|$~]|(?<!\w)_|_(?!\w)")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "&#92;"})
_BACKTICKS = re.compile("`+")
_MAGIC_LINE = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
_LINE_WIDTH = 88
TEXT_KINDS = ("text", "f", "md", "label")
NAME_KIND = "name"
_NAME = re.compile(r"\{\{\s*name\.([A-Za-z]\w*)\s*\}\}")


class RenderingError(BccError):
    """A placeholder that cannot be filled in, or stands where it must not."""


@dataclass(frozen=True)
class Scope:
    """What placeholders can name: variables, and the texts of the step in all languages."""

    variables: Mapping[str, object]
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    language: str = DEFAULT_LANGUAGE
    label_function: str | None = None
    text_function: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """What the playbook's names are called in this kernel."""

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
    """Values as plain text; those inside backticks as code."""
    pattern = re.compile(f"{_CODE_SPAN.pattern}|{PLACEHOLDER.pattern}")

    def fill(found: re.Match[str]) -> str:
        in_span, plain = found.groups()
        if in_span is not None:
            return code_span(scope.value(in_span))
        return escape_markdown(_one_line(scope.value(plain)))

    return pattern.sub(fill, text)


def render_plain(text: str, scope: Scope) -> str:
    """For names and titles that are shown as text: values on one line, nothing escaped."""
    return PLACEHOLDER.sub(lambda found: _one_line(scope.value(found.group(1))), text)


def escape_markdown(text: str) -> str:
    """Shown as it is, wherever it stands. No tag can begin without its `<`."""
    escaped = _MARKUP.sub(lambda found: "\\" + found.group(0), text.translate(_ENTITIES))
    return re.sub(r"^(\s*)([#+\-]|\d+(?=\.))", r"\1\\\2", escaped)


def code_span(value: object) -> str:
    """As code, between more backticks than the value itself has in a row."""
    text = _one_line(value)
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def render_code(code: str, scope: Scope) -> str:
    """Fill in literals; long texts are wrapped the way a formatter would wrap them."""
    code = _with_names(code, scope)

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


def _with_names(code: str, scope: Scope) -> str:
    """`{{ name.x }}` as the name itself: it may stand wherever Python has a name."""
    return _NAME.sub(lambda found: scope.names.get(found.group(1), found.group(1)), code)


def _text_expression(kind: str, name: str, scope: Scope, indent: str) -> str:
    text = scope.text(name)
    english = scope.text(name, DEFAULT_LANGUAGE)
    if kind == "md":
        text = render_markdown(text, scope).replace("{", "{{").replace("}", "}}")
    if kind in ("f", "md"):
        function = scope.text_function
        return _wrapped("f", text, indent) if function is None else _call(function, text, indent)
    if kind == "text" or text == english or scope.label_function is None:
        return _wrapped("", text, indent)
    return f"{scope.label_function}({python_literal(text)}, {python_literal(english)})"


def _call(function: str, text: str, indent: str) -> str:
    """`function("a {} of {}", value, value)`: each value goes through the function."""
    template, values = _fields(text)
    inner = indent + "    "
    arguments = [_wrapped("", template, inner), *values]
    whole = f"{function}({', '.join(arguments)})"
    if len(whole) + len(indent) <= _LINE_WIDTH and "\n" not in whole:
        return whole
    return f"{function}(\n" + "".join(f"{inner}{one},\n" for one in arguments) + f"{indent})"


def _fields(text: str) -> tuple[str, list[str]]:
    """An f-string as a template with `{}` and the source of its values."""
    [statement] = ast.parse("f" + python_literal(text)).body
    parts = statement.value.values if isinstance(statement, ast.Expr) else []  # type: ignore[attr-defined]
    template, values = "", []
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            template += "{}"
            values.append(_formatted(part))
        else:
            template += part.value.replace("{", "{{").replace("}", "}}")
    return template, values


def _formatted(field: ast.FormattedValue) -> str:
    value = ast.unparse(field.value)
    if field.conversion == ord("r"):
        value = f"repr({value})"
    if field.format_spec is None:
        return value
    spec = ast.unparse(field.format_spec).removeprefix("f")
    return f"format({value}, {spec})"


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
    text = " ".join(str(value).split())
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def code_problem(code: str, scope: Scope) -> tuple[int, str] | None:
    """The first thing wrong with a code template: (line, reason), or None."""
    marks: list[str] = []

    def mark(_: re.Match[str]) -> str:
        marks.append(f"placeholder_{len(marks)}_")
        return marks[-1]

    if code.lstrip().startswith("%%"):
        return (1, "a cell magic cannot take placeholders") if placeholders(code) else None
    for magic in _MAGIC_LINE.finditer(code):
        if placeholders(magic.group()):
            line = code[: magic.start()].count("\n") + 1
            return line, "a line for the shell, or a magic, cannot take placeholders"
    marked = _without_magics(PLACEHOLDER.sub(mark, _with_names(code, scope)))
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
