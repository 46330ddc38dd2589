"""Every JSON example of the five founding documents is accepted by the model it belongs to.

`seed_examples.json` lists them by document, line and row id of the specification, with comments
and `...` taken out.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from notebook_bcc_ext.protocol.base import WireModel
from notebook_bcc_ext.protocol.planner import calls as planner
from notebook_bcc_ext.protocol.planner import dialect_v1, observation
from notebook_bcc_ext.protocol.planner.actions import parse_action
from notebook_bcc_ext.protocol.spelling import snake

EXAMPLES = json.loads((Path(__file__).parent / "seed_examples.json").read_text(encoding="utf-8"))
MODELS = {**vars(observation), **vars(planner), **vars(dialect_v1)}


def example_id(example):
    return f"{example['document']}:{example['line']}-{example['row']}-{example['model']}"


def parsed(example) -> WireModel:
    if example["model"] == "action":
        return parse_action(example["example"])
    model: type[WireModel] = MODELS[example["model"]]
    return model.parse(example["example"])


def canonical(value):
    """Keys in one spelling, so that two forms of the same message can be compared."""
    if isinstance(value, dict):
        return {
            snake(key).replace("to_do_list", "todo_list"): canonical(v) for key, v in value.items()
        }
    return [canonical(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("example", EXAMPLES, ids=example_id)
def test_example_is_accepted_and_survives_a_round_trip(example):
    model = parsed(example)
    again = parsed({**example, "example": model.to_wire()})
    assert again.to_wire() == model.to_wire()


@pytest.mark.parametrize(
    "example",
    [e for e in EXAMPLES if e["row"] in {"O1", "O2", "O3", "O5", "O6", "O7"}],
    ids=example_id,
)
def test_observation_examples_come_out_with_the_same_fields(example):
    assert canonical(parsed(example).to_wire()) == canonical(example["example"])


def test_the_list_covers_every_document_and_row():
    per_document = Counter(example["document"] for example in EXAMPLES)
    assert per_document == {
        "ACTION_PROTOCOL": 29,
        "API_PROTOCOL": 23,
        "FINAL_ARCHITECTURE": 2,
        "OBSERVATION_PROTOCOL": 19,
        "STATE_MACHINE_PROTOCOL": 5,
    }
    rows = {example["row"] for example in EXAMPLES}
    assert rows >= {*(f"A{n}" for n in range(1, 12)), *(f"O{n}" for n in range(1, 8))}
    assert rows >= {"P2", "P3", "P4", "P5", "P6", "P8", "O11"}
