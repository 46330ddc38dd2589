"""Every accepted spelling, normalised in one place.

The protocol grew over several documents: camelCase beside snake_case, `type` beside `action`,
older names beside newer ones. Models know canonical names only; this module turns what arrives
into them. It touches the keys of *models*, never the keys of free-form data (a user's variable
called `dfTrain` stays `dfTrain`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

Json = dict[str, object]

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# model name -> {accepted spelling (after snake_casing): canonical field}
FIELD_ALIASES: Mapping[str, Mapping[str, str]] = {
    "StepTemplate": {
        "step_id": "id",
        "title": "name",
        "target": "goal",
        "expected": "expected_outputs",
        "outputs": "expected_outputs",
    },
    "StageTemplate": {
        "stage_id": "id",
        "title": "name",
        "target": "goal",
        "expected": "expected_outputs",
        "outputs": "expected_outputs",
    },
    "WorkflowTemplate": {"title": "name", "workflow_name": "name", "target": "goal"},
    "StageStepsUpdate": {"steps": "updated_steps", "id": "stage_id"},
    "Context": {"to_do_list": "todo_list", "state_machine": "fsm"},
    "BehaviorsProgress": {"behavior_iteration": "iteration"},
    "BehaviorInfo": {"behavior_id": "id", "behavior_iteration": "iteration", "goal": "target"},
    "AnsweredPlace": {
        "current_stage_id": "stage_id",
        "current_step_id": "step_id",
        "current_behavior_id": "behavior_id",
    },
    "ContextUpdate": {
        "to_do_list_update": "todo_list_update",
        "todo_update": "todo_list_update",
        "effects": "effects_update",
        "outputs_update": "outputs",
    },
    "OutputsUpdate": {"variables": "produced"},
    "TodoListUpdate": {"op": "operation"},
    "UpdateTitleAction": {"content": "title"},
    "UpdateWorkflowAction": {"workflow": "updated_workflow", "workflow_update": "updated_workflow"},
    "UpdateStageStepsAction": {"steps": "updated_steps"},
    "ExecAction": {"cell_id": "codecell_id", "code_cell_id": "codecell_id"},
    "V1Location": {
        "stage_id": "current_stage_id",
        "step_id": "current_step_id",
        "step_index": "current_step_id",
        "current_behavior_id": "behavior_id",
    },
    "V1Context": {"to_do_list": "todo_list"},
    "V1Observation": {"state": "context"},
}

# accepted action type -> (canonical type, fields it implies)
ACTION_ALIASES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "add-text": ("add", {"shot_type": "dialogue"}),
    "add_text": ("add", {"shot_type": "dialogue"}),
    "add-code": ("add", {"shot_type": "action"}),
    "add_content": ("add", {}),
    "execute_code": ("exec", {}),
    "add_section": ("new_section", {}),
    "update_step_list": ("update_stage_steps", {}),
    "complete_step": ("end_phase", {}),
}

SHOT_TYPES: Mapping[str, str] = {"text": "dialogue", "code": "action"}


def snake(key: str) -> str:
    """`shotType` -> `shot_type`; `codecellId` -> `codecell_id`; `FSM` -> `fsm`."""
    return _HUMP.sub("_", key).lower()


def normalise_keys(model: str, fields: Collection[str], raw: Mapping[str, object]) -> Json:
    """Give the known keys of `raw` their canonical names; leave unknown ones as they are.

    When the same field arrives in two spellings the canonical one wins.
    """
    aliases = FIELD_ALIASES.get(model, {})
    result: Json = {}
    renamed: Json = {}
    for key, value in raw.items():
        if key in fields:
            result[key] = value
            continue
        plain = snake(key)
        target = plain if plain in fields else aliases.get(plain)
        if target is None:
            result[key] = value
        else:
            renamed.setdefault(target, value)
    for field, value in renamed.items():
        result.setdefault(field, value)
    return result


def normalise_action(raw: Mapping[str, object]) -> Json:
    """Give an action its canonical type, under the key `action`, and its canonical shot type.

    `{"action": {...}}` is unwrapped. The result keeps every other key as it came.
    """
    body: Mapping[str, object] = raw
    wrapped = raw.get("action")
    if isinstance(wrapped, Mapping):
        body = {str(key): value for key, value in wrapped.items()}
    result = dict(body)
    kind = result.pop("action", None)
    other_kind = result.pop("type", None)
    if kind is None:
        kind = other_kind
    if kind is None:
        return result
    implied: Mapping[str, str] = {}
    if isinstance(kind, str):
        kind, implied = ACTION_ALIASES.get(kind, (kind, {}))
    result["action"] = kind
    if kind == "add":
        _normalise_shot_type(result, implied)
    return result


def _normalise_shot_type(action: Json, implied: Mapping[str, str]) -> None:
    given = [
        action.pop(key, None) for key in ("shot_type", "shotType", "content_type", "contentType")
    ]
    shot_type = next((value for value in given if value is not None), implied.get("shot_type"))
    if isinstance(shot_type, str):
        action["shot_type"] = SHOT_TYPES.get(shot_type, shot_type)
