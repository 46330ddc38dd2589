"""What is sent to a planner and what it answers (P2-P6, O11)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from notebook_bcc_ext.protocol.base import WireModel
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.observation import Artifact, Observation, SectionProgress

Level = Literal["stages", "steps", "behaviors"]


class RequestOptions(WireModel):
    stream: bool = False


class BehaviorFeedback(WireModel):
    """True counts of what a behavior did (P5)."""

    behavior_id: str | None = None
    actions_executed: int = 0
    actions_succeeded: int = 0
    sections_added: int = 0
    last_action_result: str = ""


class PlannerRequest(WireModel):
    """The body of /planning and of /generating."""

    observation: Observation
    behavior_feedback: BehaviorFeedback | None = None
    options: RequestOptions = Field(default_factory=RequestOptions)


class TodoListUpdate(WireModel):
    operation: Literal["add", "remove", "replace"]
    items: list[str] = Field(default_factory=list)


class ProgressUpdate(WireModel):
    level: Level
    focus: str = ""

    @field_validator("focus", mode="before")
    @classmethod
    def _join_lines(cls, focus: Any) -> Any:
        return "\n".join(str(line) for line in focus) if isinstance(focus, list) else focus

    @field_validator("level", mode="before")
    @classmethod
    def _plural(cls, level: Any) -> Any:
        return f"{level}s" if level in ("stage", "step", "behavior") else level


class EffectsUpdate(WireModel):
    """Lines to add to the current effects or the history."""

    current: list[str] = Field(default_factory=list)
    history: list[str] = Field(default_factory=list)


class Promotion(WireModel):
    variable_name: str
    artifact_id: str
    description: str = ""


class OutputsUpdate(WireModel):
    """What the current behavior is to produce, temporaries to promote, and what was found: fields
    of any other name are findings (O2, O9, O10)."""

    level: Level = "behaviors"
    expected: list[str] | None = None
    produced: list[str] | None = None
    in_progress: list[str] | None = None
    promote: list[Promotion] = Field(default_factory=list)
    artifacts: list[Artifact] = Field(default_factory=list)

    @property
    def findings(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class ContextUpdate(WireModel):
    variables: dict[str, Any] = Field(default_factory=dict)
    todo_list_update: TodoListUpdate | None = None
    section_progress: SectionProgress | str | None = None
    workflow_progress: Any = None
    progress_update: list[ProgressUpdate] = Field(default_factory=list)
    effects_update: EffectsUpdate | None = None
    outputs: OutputsUpdate | None = None
    workflow_update: WorkflowUpdate | None = None
    stage_steps_update: StageStepsUpdate | None = None

    @field_validator(
        "todo_list_update", "workflow_update", "stage_steps_update", "effects_update", mode="before"
    )
    @classmethod
    def _empty_means_absent(cls, value: Any) -> Any:
        return None if value == {} else value

    @field_validator("progress_update", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value

    @field_validator("effects_update", mode="before")
    @classmethod
    def _lines_are_current(cls, value: Any) -> Any:
        return {"current": value} if isinstance(value, list) else value


class EffectPatterns(WireModel):
    include: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)


class EffectsConfig(WireModel):
    include_current: bool = True
    current_limit: int | None = Field(default=None, ge=0)
    include_history: bool = True
    history_limit: int | None = Field(default=None, ge=0)
    patterns: EffectPatterns = Field(default_factory=EffectPatterns)


class OutputsTracking(WireModel):
    expected_variables: list[str] = Field(default_factory=list)
    validation_required: list[str] = Field(default_factory=list)


class NotebookFilter(WireModel):
    cells: int = Field(default=0, ge=0)
    """So many of the latest cells, and the notebook's metadata (O6)."""


class ContextFilter(WireModel):
    """Shapes the next generating request (O11). An absent part leaves that part whole."""

    variables_to_include: list[str] | None = None
    variables_to_summarize: dict[str, str] = Field(default_factory=dict)
    effects_config: EffectsConfig | None = None
    focus_to_include: list[Level] | None = None
    outputs_tracking: OutputsTracking | None = None
    notebook: NotebookFilter | None = None


class Transition(WireModel):
    strategy: str | None = None
    next_stage_id: str | None = None
    next_step_id: str | None = None
    continue_behaviors: bool | None = None
    target_achieved: bool | None = None
    workflow_update: WorkflowUpdate | None = None

    @field_validator("workflow_update", mode="before")
    @classmethod
    def _empty_means_absent(cls, value: Any) -> Any:
        return None if value == {} else value


class BehaviorInfo(WireModel):
    id: str | None = None
    iteration: int | None = None
    target: str | None = None


class AnswerMetadata(WireModel):
    target_achieved: bool | None = None
    estimated_remaining_behaviors: int | None = None
    failure: str | None = None
    """Why the goal cannot be reached, for the person; with neither continue nor achieved (F8)."""
    unanswered: str | None = None
    """With the last verdict: the plan is done, but why the person's own goal was not answered."""


class AnsweredPlace(WireModel):
    """For which place an answer is, where the planner says so."""

    stage_id: str | None = None
    step_id: str | None = None
    behavior_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, raw: Any) -> Any:
        """As the observation has it, `{"current": {…}}`, or the ids alone."""
        inner = raw.get("current") if isinstance(raw, dict) else None
        return inner if isinstance(inner, dict) else raw

    @field_validator("stage_id", "step_id", "behavior_id", mode="before")
    @classmethod
    def _ids_are_text(cls, value: Any) -> Any:
        return value if isinstance(value, str) else None


class PlanningAnswer(WireModel):
    target_achieved: bool | None = Field(default=None, serialization_alias="targetAchieved")
    transition: Transition = Field(default_factory=Transition)
    context_update: ContextUpdate = Field(default_factory=ContextUpdate)
    context_filter: ContextFilter | None = None
    behavior: BehaviorInfo | None = None
    metadata: AnswerMetadata = Field(default_factory=AnswerMetadata)
    location: AnsweredPlace | None = None

    @field_validator("location", mode="before")
    @classmethod
    def _other_things_are_no_place(cls, value: Any) -> Any:
        return value if isinstance(value, (dict, AnsweredPlace)) else None

    @property
    def place(self) -> AnsweredPlace:
        """The place it is for: as `location`, or as ids beside the verdict."""
        if self.location is not None:
            return self.location
        return AnsweredPlace.model_validate(self.model_extra or {})

    @property
    def achieved(self) -> bool:
        """The verdict, wherever the planner put it; the outermost statement wins (P3)."""
        for verdict in (
            self.target_achieved,
            self.transition.target_achieved,
            self.metadata.target_achieved,
        ):
            if verdict is not None:
                return verdict
        return False

    @property
    def continues(self) -> bool:
        return self.transition.continue_behaviors is True

    @property
    def has_verdict(self) -> bool:
        return not (
            self.target_achieved is None
            and self.transition.target_achieved is None
            and self.metadata.target_achieved is None
            and self.transition.continue_behaviors is None
        )


class GeneratingAnswer(WireModel):
    """The answer that is not streamed (P4). Actions stay raw: each is parsed on its own."""

    actions: list[dict[str, Any]]
    behavior: BehaviorInfo | None = None
