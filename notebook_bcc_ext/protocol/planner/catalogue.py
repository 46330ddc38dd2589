"""The models that have a published JSON Schema, by the name `jupyter bcc schema` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter

from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.actions import BUILTIN_ACTION_ADAPTER
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorFeedback,
    ContextFilter,
    ContextUpdate,
    GeneratingAnswer,
    PlannerRequest,
    PlanningAnswer,
)
from notebook_bcc_ext.protocol.planner.dialect_v1 import V1Answer, V1Request
from notebook_bcc_ext.protocol.planner.observation import Observation

Schema = dict[str, Any]

CATALOGUE: Mapping[str, type[BaseModel] | TypeAdapter[Any]] = {
    "action": BUILTIN_ACTION_ADAPTER,
    "behavior-feedback": BehaviorFeedback,
    "context-filter": ContextFilter,
    "context-update": ContextUpdate,
    "generating-answer": GeneratingAnswer,
    "observation": Observation,
    "planner-request": PlannerRequest,
    "planning-answer": PlanningAnswer,
    "v1-answer": V1Answer,
    "v1-request": V1Request,
    "workflow": WorkflowTemplate,
}


def json_schema(name: str) -> Schema:
    """The schema of what is accepted under that name. Raises KeyError for an unknown one."""
    model = CATALOGUE[name]
    if isinstance(model, TypeAdapter):
        schema = model.json_schema(mode="validation")
    else:
        schema = model.model_json_schema(mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"bcc:{name}",
        **schema,
    }
