"""The workflow template: what is to be done, in which order, and what it is to produce."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field, model_validator

from notebook_bcc_ext.protocol.base import WireModel


class StepTemplate(WireModel):
    id: str = Field(min_length=1)
    name: str = ""
    description: str = ""
    goal: str = ""
    expected_outputs: list[str] = Field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name or self.id

    @property
    def purpose(self) -> str:
        return self.goal or self.description or self.label


class StageTemplate(WireModel):
    id: str = Field(min_length=1)
    name: str = ""
    description: str = ""
    goal: str = ""
    expected_outputs: list[str] = Field(default_factory=list)
    steps: list[StepTemplate] = Field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name or self.id

    @property
    def purpose(self) -> str:
        return self.goal or self.description or self.label

    def step(self, step_id: str) -> StepTemplate | None:
        return next((step for step in self.steps if step.id == step_id), None)


class WorkflowTemplate(WireModel):
    name: str = ""
    description: str = ""
    goal: str = ""
    stages: list[StageTemplate]
    sections: list[str] = Field(default_factory=list)
    """All planned sections, in order; shown as `section_progress.all`."""

    def stage(self, stage_id: str) -> StageTemplate | None:
        return next((stage for stage in self.stages if stage.id == stage_id), None)

    def steps(self) -> Iterator[tuple[StageTemplate, StepTemplate]]:
        for stage in self.stages:
            for step in stage.steps:
                yield stage, step


class WorkflowUpdate(WireModel):
    """A proposed workflow, and where to go on if the current stage is no longer in it.

    Planners send the template itself or wrap it as `updated_workflow` / `workflow`.
    """

    updated_workflow: WorkflowTemplate
    next_stage_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _wrap_bare_template(cls, raw: Any) -> Any:
        if isinstance(raw, WorkflowTemplate):
            return {"updated_workflow": raw}
        if not isinstance(raw, dict) or "stages" not in raw:
            if isinstance(raw, dict) and "workflow" in raw:
                rest = {key: value for key, value in raw.items() if key != "workflow"}
                return {"updated_workflow": raw["workflow"], **rest}
            return raw
        template = dict(raw)
        wrapped: dict[str, Any] = {"updated_workflow": template}
        for spelling in ("next_stage_id", "nextStageId"):
            if spelling in template:
                wrapped["next_stage_id"] = template.pop(spelling)
        return wrapped


class StageStepsUpdate(WireModel):
    """A proposed list of steps for one stage."""

    stage_id: str
    updated_steps: list[StepTemplate]
    next_step_id: str | None = None
