"""The models that have a published JSON Schema, by the name `jupyter bcc schema` takes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

Schema = dict[str, Any]

# Where each is, imported when its schema is wanted: a list of the names needs none of them.
CATALOGUE: Mapping[str, tuple[str, str]] = {
    "action": ("planner.actions", "BUILTIN_ACTION_ADAPTER"),
    "behavior-feedback": ("planner.calls", "BehaviorFeedback"),
    "context-filter": ("planner.calls", "ContextFilter"),
    "context-update": ("planner.calls", "ContextUpdate"),
    "generating-answer": ("planner.calls", "GeneratingAnswer"),
    "observation": ("planner.observation", "Observation"),
    "planner-request": ("planner.calls", "PlannerRequest"),
    "planning-answer": ("planner.calls", "PlanningAnswer"),
    "v1-answer": ("planner.dialect_v1", "V1Answer"),
    "v1-request": ("planner.dialect_v1", "V1Request"),
    "workflow": ("plan", "WorkflowTemplate"),
}


def model_of(name: str) -> Any:
    """A model, or an adapter of several. Raises KeyError for an unknown name."""
    module, attribute = CATALOGUE[name]
    return getattr(import_module(f"notebook_bcc_ext.protocol.{module}"), attribute)


def json_schema(name: str) -> Schema:
    """The schema of what is accepted under that name. Raises KeyError for an unknown one."""
    model = model_of(name)
    make = getattr(model, "model_json_schema", None) or model.json_schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"bcc:{name}",
        **make(mode="validation"),
    }
