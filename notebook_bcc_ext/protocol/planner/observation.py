"""The observation: everything a planner is told (O1-O8)."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from notebook_bcc_ext.errors import MissingFieldError
from notebook_bcc_ext.protocol.base import WireModel


class CurrentLocation(WireModel):
    stage_id: str | None = None
    step_id: str | None = None
    behavior_id: str | None = None
    behavior_iteration: int | None = None


class Artifact(WireModel):
    artifact_id: str
    """`<base>@<version>`"""
    variable_name: str
    description: str = ""
    source: str | None = None
    parent: str | None = None
    created_at: str | None = None


class OutputsProduced(WireModel):
    """What a finished item left behind; findings of any name are kept beside these."""

    variables: list[str] = Field(default_factory=list)
    artifacts: list[Artifact] = Field(default_factory=list)


class CompletedItem(WireModel):
    """A finished stage, step or behavior; exactly one of the three ids is set."""

    stage_id: str | None = None
    step_id: str | None = None
    behavior_id: str | None = None
    goal: str | None = None
    actions_taken: list[str] = Field(default_factory=list)
    outputs_produced: OutputsProduced = Field(default_factory=OutputsProduced)

    @property
    def id(self) -> str:
        return self.stage_id or self.step_id or self.behavior_id or ""


class CurrentOutputs(WireModel):
    expected: list[str] = Field(default_factory=list)
    produced: list[str] = Field(default_factory=list)
    in_progress: list[str] = Field(default_factory=list)


class LevelProgress(WireModel):
    completed: list[CompletedItem] = Field(default_factory=list)
    current: str | None = None
    remaining: list[str] = Field(default_factory=list)
    focus: str = ""
    current_outputs: CurrentOutputs = Field(default_factory=CurrentOutputs)

    @field_validator("focus", mode="before")
    @classmethod
    def _join_lines(cls, focus: Any) -> Any:
        if isinstance(focus, list):
            return "\n".join(str(line) for line in focus)
        return "" if focus is None else focus


class BehaviorsProgress(LevelProgress):
    iteration: int | None = None


class Progress(WireModel):
    stages: LevelProgress = Field(default_factory=LevelProgress)
    steps: LevelProgress = Field(default_factory=LevelProgress)
    behaviors: BehaviorsProgress = Field(default_factory=BehaviorsProgress)

    @model_validator(mode="before")
    @classmethod
    def _name_plain_ids(cls, raw: Any) -> Any:
        """Older planners list completed items as plain ids."""
        if not isinstance(raw, dict):
            return raw
        return {level: _named(level, value) for level, value in raw.items()}


def _named(level: str, value: Any) -> Any:
    if level not in ("stages", "steps", "behaviors") or not isinstance(value, dict):
        return value
    completed = value.get("completed")
    if not isinstance(completed, list):
        return value
    id_field = f"{level[:-1]}_id"
    items = [{id_field: item} if isinstance(item, str) else item for item in completed]
    return {**value, "completed": items}


class Goals(WireModel):
    stage: str | None = None
    step: str | None = None
    behavior: str | None = None


class Location(WireModel):
    current: CurrentLocation = Field(default_factory=CurrentLocation)
    progress: Progress | None = None
    goals: Goals = Field(default_factory=Goals)


class EffectCells(WireModel):
    """For each entry of the lists of the same name the cell that printed it, or null."""

    current: list[str | None] = Field(default_factory=list)
    history: list[str | None] = Field(default_factory=list)


class Effects(WireModel):
    """The actual text of outputs. Entries of older planners may be objects; they are kept."""

    current: list[Any] = Field(default_factory=list)
    history: list[Any] = Field(default_factory=list)
    cells: EffectCells | None = None


class NotebookSummary(WireModel):
    title: str | None = None
    cell_count: int | None = None
    last_cell_type: str | None = None
    last_output: str | None = None
    cells: list[Any] | None = None
    metadata: dict[str, Any] | None = None


class TransitionRecord(WireModel):
    from_state: str = Field(alias="from")
    event: str
    to_state: str = Field(alias="to")
    timestamp: str


class FsmView(WireModel):
    state: str | None = None
    last_transition: str | None = None
    timestamp: str | None = None
    history: list[Any] = Field(default_factory=list)
    transition: list[Any] = Field(default_factory=list)


class SectionProgress(WireModel):
    current_section_id: str | None = None
    current_section_number: int | None = None
    completed_sections: list[str] = Field(default_factory=list)
    all: list[str] = Field(default_factory=list)


class Context(WireModel):
    variables: dict[str, Any] = Field(default_factory=dict)
    todo_list: list[str] = Field(default_factory=list, serialization_alias="toDoList")
    effects: Effects = Field(default_factory=Effects)
    notebook: NotebookSummary = Field(default_factory=NotebookSummary)
    fsm: FsmView = Field(default_factory=FsmView, serialization_alias="FSM")
    section_progress: SectionProgress | str | None = None
    workflow_progress: Any = None
    inputs: dict[str, Any] | None = None
    """What the person said at the start, where `variables` has something else by that name."""
    left_out: dict[str, int] | None = None
    """How many entries did not fit into the budget, by what they are of."""


class Observation(WireModel):
    location: Location
    context: Context

    def require_progress(self) -> Self:
        """Refuse to send an observation that the protocol calls incomplete (P2)."""
        if self.location.progress is None:
            raise MissingProgressError
        return self


class MissingProgressError(MissingFieldError):
    def __init__(self) -> None:
        super().__init__("observation", "location.progress")
        words = (
            "Missing required 'progress_info' in state. "
            "New POMDP protocol requires hierarchical progress information."
        )
        self.args = (words,)
