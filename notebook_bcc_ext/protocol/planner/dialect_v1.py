"""The older dialect `v1` (P8): flat location, one answer with behavior, actions and transition."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from notebook_bcc_ext.protocol.base import WireModel
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorFeedback,
    PlannerRequest,
    PlanningAnswer,
    RequestOptions,
)
from notebook_bcc_ext.protocol.planner.observation import Effects, NotebookSummary, SectionProgress


class V1Location(WireModel):
    current_stage_id: str | None = None
    current_step_id: str | None = None
    behavior_id: str | None = None
    behavior_iteration: int | None = None


class V1Context(WireModel):
    variables: dict[str, Any] = Field(default_factory=dict)
    todo_list: list[str] = Field(default_factory=list, serialization_alias="toDoList")
    effects: Effects = Field(default_factory=Effects)
    section_progress: SectionProgress | str | None = None
    notebook: NotebookSummary = Field(default_factory=NotebookSummary)


class V1Observation(WireModel):
    location: V1Location
    context: V1Context


class V1Request(WireModel):
    observation: V1Observation
    behavior_feedback: BehaviorFeedback | None = None
    options: RequestOptions = Field(default_factory=RequestOptions)


class V1Answer(PlanningAnswer):
    """`GET /v1/actions` and `POST /v1/reflection` answer with judgement and actions together."""

    actions: list[dict[str, Any]] = Field(default_factory=list)


def to_v1(request: PlannerRequest) -> V1Request:
    """The same request in the flat form."""
    location = request.observation.location.current
    context = request.observation.context
    fields: dict[str, Any] = {
        "observation": V1Observation(
            location=V1Location(
                current_stage_id=location.stage_id,
                current_step_id=location.step_id,
                behavior_id=location.behavior_id,
                behavior_iteration=location.behavior_iteration,
            ),
            context=V1Context(
                variables=context.variables,
                todo_list=context.todo_list,
                effects=context.effects,
                section_progress=context.section_progress,
                notebook=context.notebook,
            ),
        ),
        "options": request.options,
    }
    if request.behavior_feedback is not None:
        fields["behavior_feedback"] = request.behavior_feedback
    return V1Request(**fields)
