"""Fits an observation into its budget of bytes (O12).

What is worth most for the next decision is filled in first. Each part gets its share; what others
left over goes round once more, in the same order. What did not fit is counted in `left_out`.

    PARTS = order of use. A new field of the observation takes its place there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from notebook_bcc_ext.observation.effects import bounded, effects_view, with_cells
from notebook_bcc_ext.observation.summaries import summarize_json
from notebook_bcc_ext.protocol.planner.observation import Observation

Json = dict[str, Any]
Path = tuple[str, ...]
Shorter = Callable[[Any, int], Any]
"""(value, bytes) -> a shorter form of it that fits, or None."""

_FOR_LEFT_OUT = 400
_SHORTEST_TEXT = 40
_SHORT_GOAL = 120


def _cut(text: Any, room: int) -> Any:
    """Both ends of a text; other values have no shorter form here."""
    if not isinstance(text, str):
        return None
    limit = min(len(text), room)
    while limit >= _SHORTEST_TEXT:
        shorter = bounded(text, limit)
        if size_of(shorter) <= room:
            return shorter
        limit = limit * 3 // 4
    return None


def _cut_effect(told: Any, room: int) -> Any:
    text, cell = told
    shorter = _cut(text, room - size_of(cell) - 3)
    return None if shorter is None else (shorter, cell)


def _shape(value: Any, _room: int) -> Any:
    return summarize_json(value, "shape_only")


def _item_in_short(item: Any, _room: int) -> Any:
    """That it is completed, and what for."""
    ids = {key: value for key, value in item.items() if key.endswith("_id")}
    goal = item.get("goal")
    return {**ids, "goal": bounded(goal, _SHORT_GOAL)} if goal else ids


@dataclass(frozen=True)
class Part:
    label: str
    """Under which `left_out` counts it."""
    path: Path
    share: float
    """Of the budget, on the first round."""
    kind: type = list
    """What stands there: a `dict` or `list` is told by entries, anything else as a whole."""
    newest: bool = False
    """Of a list, the last entries are worth most."""
    shorter: Shorter = _cut
    shorten_late: bool = False
    """Only when all shares are known: the whole may still find room."""
    whole: int | None = None
    """So many of a list at most are told whole, the others in their shorter form."""
    keep: frozenset[str] = frozenset()
    """Entries of a `dict` that are not counted here: small, or parts of their own."""


_OUTPUTS = ("expected", "produced", "in_progress")


def _of_levels(label: str, *below: str, share: float, **how: Any) -> Iterable[Part]:
    for level in ("behaviors", "steps", "stages"):
        yield Part(label, ("location", "progress", level, *below), share, **how)


PARTS: tuple[Part, ...] = (
    Part("goals", ("location", "goals"), 1 / 8, dict),
    Part("inputs", ("context", "inputs"), 1 / 8, dict),
    *_of_levels("focus", "focus", share=1 / 8, kind=str),
    *(
        part
        for name in _OUTPUTS
        for part in _of_levels("outputs", "current_outputs", name, share=1 / 24)
    ),
    *_of_levels("remaining", "remaining", share=1 / 16),
    *_of_levels("completed", "completed", share=1 / 8, newest=True, shorter=_item_in_short,
                whole=3),
    *_of_levels(
        "findings", "current_outputs", share=1 / 24, kind=dict, keep=frozenset(_OUTPUTS)
    ),
    Part("variables", ("context", "variables"), 1 / 3, dict, shorter=_shape, shorten_late=True),
    Part("effects", ("context", "effects", "current"), 1 / 3, newest=True, shorter=_cut_effect),
    Part("effects", ("context", "effects", "history"), 1 / 8, newest=True, shorter=_cut_effect),
    Part("toDoList", ("context", "toDoList"), 1 / 16),
    Part("section_progress", ("context", "section_progress"), 1 / 16, str),
    Part("section_progress", ("context", "section_progress", "completed_sections"), 1 / 24),
    Part("section_progress", ("context", "section_progress", "all"), 1 / 24),
    Part("workflow_progress", ("context", "workflow_progress"), 1 / 16, object),
    Part("notebook", ("context", "notebook", "title"), 1 / 24, str),
    Part("notebook", ("context", "notebook", "last_output"), 1 / 8, str),
    Part("cells", ("context", "notebook", "cells"), 1 / 2, newest=True),
    Part("notebook", ("context", "notebook", "metadata"), 1 / 24, dict),
    Part("transitions", ("context", "FSM", "transition"), 1 / 24, newest=True),
    Part("transitions", ("context", "FSM", "history"), 1 / 24, newest=True),
)  # fmt: skip


@dataclass
class _Filling:
    """One part on its way back into the observation."""

    part: Part
    owner: Json
    waiting: list[tuple[Any, Any]]
    """(key or index, value), the most useful first."""
    told: dict[Any, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.part.path[-1]

    def fill(self, room: int, *, shorten: bool) -> int:
        """How much of the room was taken."""
        taken, left = 0, list[tuple[Any, Any]]()
        for key, value in self.waiting:
            # No gaps in a list of which the latest count: behind the first that is left out, all.
            skipped = bool(left) and self.part.newest
            told = None if skipped else self._in(room - taken, key, value, shorten=shorten)
            if told is None:
                left.append((key, value))
            else:
                self.told[key] = told[0]
                taken += _cost(key, told[0])
        self.waiting = left
        return taken

    def _in(self, room: int, key: Any, value: Any, *, shorten: bool) -> tuple[Any] | None:
        """The value, or a shorter form of it, if it fits."""
        if _cost(key, value) <= room:
            return (value,)
        left = room - _cost(key, "")
        shorter = self.part.shorter(value, left) if shorten and left > 0 else None
        return None if shorter is None or _cost(key, shorter) > room else (shorter,)

    def put_back(self) -> None:
        whole = self.owner.get(self.key)
        if isinstance(whole, dict):
            whole.update(self.told)
        elif isinstance(whole, list):
            whole.extend(self.told[index] for index in sorted(self.told))
        elif self.told:
            self.owner[self.key] = self.told[None]


def size_of(value: object) -> int:
    """In bytes, as it is sent."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode("utf-8", "surrogatepass"))


def _cost(key: Any, value: Any) -> int:
    named = size_of(key) + 1 if isinstance(key, str) else 0
    return size_of(value) + named + 1


def fit(observation: Observation, limit: int) -> Observation:
    """The observation within `limit` bytes. Ids and states are never cut."""
    wire = observation.to_wire()
    if size_of(wire) <= limit:
        return observation
    effects = observation.context.effects
    wire["context"]["effects"] = dict(zip(("current", "history"), with_cells(effects), strict=True))
    _tracked_first(wire)
    fillings = [found for part in PARTS if (found := _take_out(part, wire)) is not None]
    room = limit - size_of(wire) - _FOR_LEFT_OUT
    for filling in fillings:
        share = int(limit * filling.part.share)
        room -= filling.fill(min(share, room), shorten=not filling.part.shorten_late)
    for filling in fillings:
        room -= filling.fill(room, shorten=True)
    left_out: dict[str, int] = {}
    for filling in fillings:
        filling.put_back()
        if filling.waiting:
            label = filling.part.label
            left_out[label] = left_out.get(label, 0) + len(filling.waiting)
    told = wire["context"]["effects"]
    wire["context"]["effects"] = effects_view(told["current"], told["history"]).to_wire()
    if left_out:
        wire["context"]["left_out"] = left_out
    return Observation.parse(wire)


def _tracked_first(wire: Json) -> None:
    """Of the variables, those that a level is to produce or has produced."""
    variables = wire["context"].get("variables", {})
    levels = (wire["location"].get("progress") or {}).values()
    now = (one for level in levels for one in level.get("current_outputs", {}).items())
    names = [name for key, found in now if key in _OUTPUTS for name in found]
    for item in (item for level in levels for item in level.get("completed", [])):
        names += item.get("outputs_produced", {}).get("variables", [])
    first = [name for name in names if name in variables]
    wire["context"]["variables"] = {name: variables[name] for name in (*first, *variables)}


def _take_out(part: Part, wire: Json) -> _Filling | None:
    """Empty what stands at its place; None where nothing does."""
    *way, key = part.path
    owner: Any = wire
    for name in way:
        owner = owner.get(name) if isinstance(owner, dict) else None
    value: Any = owner.get(key) if isinstance(owner, dict) else None
    if not value or not isinstance(value, part.kind):
        return None
    value = cast("Any", value)
    if part.kind is list:
        items: list[tuple[Any, Any]] = list(enumerate(value))
        first = items[::-1] if part.newest else items
        rest = first[part.whole :] if part.whole is not None else []
        owner[key] = []
        in_short = [(index, part.shorter(item, 0)) for index, item in rest]
        return _Filling(part, owner, [*first[: len(first) - len(rest)], *in_short])
    if part.kind is dict:
        entries = [(name, one) for name, one in value.items() if name not in part.keep]
        owner[key] = {name: one for name, one in value.items() if name in part.keep}
        return _Filling(part, owner, entries)
    if part.kind is str:
        owner[key] = ""
    else:
        del owner[key]
    return _Filling(part, owner, [(None, value)])
