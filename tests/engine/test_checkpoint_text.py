"""A step's snapshot as text is the snapshot, whatever a planner put into it."""

from __future__ import annotations

import json

import pytest

from notebook_bcc_ext.engine.memory import (
    RunMemory,
    from_snapshot,
    short_snapshot,
    short_snapshot_json,
)
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.protocol.plain import plain

POSITION = {"state": "action_completed", "transitions": 21}


@pytest.mark.parametrize(
    "value", ["plain", "中文 🎉", 'quote " and \\', "half \ud83d", None, [1, {"a": 2.5}]]
)
def test_text_and_snapshot_are_the_same(value):
    memory, effects = RunMemory(), EffectsLog()
    memory.variables = {"said": value}
    effects.add(str(value))
    text = short_snapshot_json(POSITION, memory, effects)
    assert json.loads(text) == {**POSITION, **plain(short_snapshot(memory, effects))}
    again, _ = from_snapshot(json.loads(text))
    assert again.variables == plain(memory.variables)


def test_half_a_character_is_stored_as_one_that_every_reader_takes():
    memory, effects = RunMemory(), EffectsLog()
    memory.variables = {"said": "half \ud83d"}
    stored = json.loads(short_snapshot_json(POSITION, memory, effects))
    assert stored["memory"]["variables"] == {"said": "half ?"}
