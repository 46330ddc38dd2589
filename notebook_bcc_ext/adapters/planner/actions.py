"""From the bytes of a generating answer to actions (P4), without any input or output.

The answer is NDJSON, or one JSON object `{"actions": [...]}` on one line or pretty-printed over
many. The content type cannot tell them apart (planners send application/json for both), so the
first line decides: no line of NDJSON ends in the middle of a JSON value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from notebook_bcc_ext.errors import ProtocolError, UnknownActionError
from notebook_bcc_ext.ports import Json
from notebook_bcc_ext.protocol.planner.actions import parse_action
from notebook_bcc_ext.protocol.planner.calls import BehaviorInfo
from notebook_bcc_ext.protocol.planner.ndjson import BadLine, NdjsonDecoder, decode_json
from notebook_bcc_ext.protocol.spelling import normalise_action

Item = Json | BadLine

_BOM = b"\xef\xbb\xbf"
_UNFINISHED = (b"{", b"[", b",", b":")


def _as_it_is(value: Json) -> Json:
    return value


class ActionDecoder:
    """Feed it chunks, take actions and bad lines. `behavior` is set when the planner told it.

    Raises ProtocolError when the answer as a whole cannot be used.
    """

    def __init__(self, max_line_bytes: int, clean: Callable[[Json], Json] = _as_it_is) -> None:
        """`clean` is applied to each object before anything is made of it."""
        self._clean = clean
        self.behavior: BehaviorInfo | None = None
        self._max_line_bytes = max_line_bytes
        self._lines = NdjsonDecoder(max_line_bytes)
        self._beginning: bytearray | None = bytearray()
        self._document: bytearray | None = None
        self._understood = False
        self._first_bad: BadLine | None = None

    def feed(self, chunk: bytes) -> list[Item]:
        if self._document is not None:
            self._document += chunk
            return []
        if self._beginning is None:
            return self._items(self._lines.feed(chunk))
        self._beginning += chunk
        first_line = self._first_line(self._beginning)
        if first_line is None and len(self._beginning) <= self._max_line_bytes:
            return []
        beginning, self._beginning = bytes(self._beginning), None
        if first_line is not None and _opens_a_document(first_line):
            self._document = bytearray(beginning)
            return []
        return self._items(self._lines.feed(beginning))

    def close(self) -> list[Item]:
        """The answer ended. Raises ProtocolError when there was something, but nothing usable."""
        if self._document is not None:
            items = self._whole_document(bytes(self._document))
        else:
            items = self._items(self._lines.feed(bytes(self._beginning or b"")))
            items += self._items(self._lines.close())
        if self._first_bad is not None and not self._understood:
            raise ProtocolError(f"there is no usable line in it: {self._first_bad}")
        return items

    @staticmethod
    def _first_line(data: bytearray) -> bytes | None:
        """The first line with anything on it, once its newline is there."""
        content = data.removeprefix(_BOM).lstrip()
        end = content.find(b"\n")
        return bytes(content[:end]) if end != -1 else None

    def _whole_document(self, data: bytes) -> list[Item]:
        try:
            value = decode_json(data.removeprefix(_BOM))
        except ValueError as error:
            # Perhaps the first line was garbage and lines follow after all.
            items = self._items([*self._lines.feed(data), *self._lines.close()])
            if self._understood:
                return items
            raise ProtocolError(str(error)) from None
        if not isinstance(value, dict):
            raise ProtocolError("it is not a JSON object")
        return self._items([value])

    def _items(self, decoded: Iterable[dict[str, object] | BadLine]) -> list[Item]:
        items: list[Item] = []
        for entry in decoded:
            found = [entry] if isinstance(entry, BadLine) else self._of_object(self._clean(entry))
            for item in found:
                if isinstance(item, BadLine) and self._first_bad is None:
                    self._first_bad = item
                items.append(item)
        return items

    def _of_object(self, line: Json) -> list[Item]:
        items: list[Item] = []
        behavior = line.get("behavior")
        is_action = isinstance(normalise_action(line).get("action"), str)
        if isinstance(behavior, dict):
            try:
                self.behavior = BehaviorInfo.parse(behavior)
            except ProtocolError as error:
                items.append(self._bad(line, str(error)))
            else:
                self._understood = True
        if is_action:
            self._understood = True
            items.append(line)
        elif "actions" in line:
            items.extend(checked_actions(line["actions"]))
            self._understood = True
        elif not isinstance(behavior, dict):
            items.append(self._bad(line, "it holds no action"))
        return items

    def _bad(self, line: Json, reason: str) -> BadLine:
        return BadLine(self._lines.line_number, reason, str(line)[:120])


def checked_actions(actions: object) -> list[Json]:
    """The actions of an answer that is not streamed, validated whole before the first runs.

    An action of unknown type passes: whether it is registered is not known here.
    """
    if not isinstance(actions, list):
        raise ProtocolError(f"'actions' must be a list, not {type(actions).__name__}")
    for number, action in enumerate(actions, start=1):
        try:
            parse_action(action)
        except UnknownActionError:
            continue
        except ProtocolError as error:
            raise ProtocolError(f"action {number} of {len(actions)}: {error}") from None
    return actions


def _opens_a_document(line: bytes) -> bool:
    text = line.strip()
    return text.startswith((b"{", b"[")) and text.endswith(_UNFINISHED)
