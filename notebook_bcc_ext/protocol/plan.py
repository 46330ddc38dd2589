"""The workflow template: what is to be done, in which order, and what it is to produce."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from pydantic import Field, model_validator

from notebook_bcc_ext.protocol.base import WireModel


class _Part(WireModel):
    """What stages and steps have in common."""

    id: str = Field(min_length=1)
    name: str = ""
    description: str = ""
    goal: str = ""
    expected_outputs: list[str] = Field(default_factory=list)
    verified_artifacts: Any = None
    """Names, `{name: what it is}`, or artifacts: all of them are expected outputs."""

    @model_validator(mode="after")
    def _expect_artifacts(self) -> Self:
        names = [*self.expected_outputs, *_artifact_names(self.verified_artifacts)]
        if len(names) > len(self.expected_outputs):
            self.expected_outputs = list(dict.fromkeys(names))
        return self

    @property
    def label(self) -> str:
        return self.name or self.id

    @property
    def purpose(self) -> str:
        return self.goal or self.description or self.label


def _artifact_names(artifacts: object) -> list[str]:
    """The variables that hold the artifacts; `base@version` is kept in `base_version` (O10)."""
    names: list[str] = []
    for one in artifacts if isinstance(artifacts, (list, tuple, dict)) else []:
        said = one
        if isinstance(one, dict):
            keys = ("variable_name", "artifact_id", "name", "id")
            said = next((one[key] for key in keys if isinstance(one.get(key), str)), None)
        if isinstance(said, str) and said:
            names.append(said.replace("@", "_"))
    return names


class StepTemplate(_Part):
    pass


class StageTemplate(_Part):
    steps: list[StepTemplate] = Field(default_factory=list)

    def step(self, step_id: str) -> StepTemplate | None:
        return next((step for step in self.steps if step.id == step_id), None)


class Requirements(WireModel):
    """What the kernel must have for a workflow; looked at before the first stage begins."""

    language: str | None = None
    packages: dict[str, str] = Field(default_factory=dict)
    """What is imported, and the package to install for it: `{"sklearn": "scikit-learn"}`."""
    free_names: list[str] = Field(default_factory=list)
    """Names that the workflow will bind, and nobody may have in the kernel yet."""


class WorkflowTemplate(WireModel):
    name: str = ""
    description: str = ""
    goal: str = ""
    stages: list[StageTemplate]
    sections: list[str] = Field(default_factory=list)
    """All planned sections, in order; shown as `section_progress.all`."""
    requires: Requirements | None = None

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
