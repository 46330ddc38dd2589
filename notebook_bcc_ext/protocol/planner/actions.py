"""The actions a planner can send (A1-A12, O10), one model each, and how a line becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from notebook_bcc_ext.errors import MissingFieldError, ProtocolError, UnknownActionError
from notebook_bcc_ext.protocol.base import WireModel, explain
from notebook_bcc_ext.protocol.plan import StepTemplate, WorkflowTemplate
from notebook_bcc_ext.protocol.spelling import normalise_action

LAST_ADDED_CELL = "lastAddedCellId"


class ActionMetadata(WireModel):
    """What a planner says of the cell an action makes (A15)."""

    is_step: bool = False
    is_chapter: bool = False
    is_section: bool = False
    chapter_id: str | None = None
    section_id: str | None = None
    chapter_number: int | None = None
    section_number: int | None = None
    finished_thinking: bool = False
    thinking_text: str | None = None
    source_hidden: bool = False
    """The cell's source is collapsed where the notebook is shown."""
    extra: dict[str, Any] = Field(default_factory=dict)


class _Action(WireModel):
    shot_type: str | None = None
    metadata: ActionMetadata | None = None


class _CellAction(_Action):
    store_id: str | None = None
    """The planner's own name for the cell; later actions may use it as `codecell_id` (A14)."""


class AddAction(_CellAction):
    """A1: add a markdown or code cell."""

    action: Literal["add"]
    content: str
    shot_type: Literal["dialogue", "observation", "markdown", "action"] = "dialogue"

    @property
    def is_code(self) -> bool:
        return self.shot_type == "action"


class ExecAction(_Action):
    """A2: run a code cell in the notebook's kernel."""

    action: Literal["exec"]
    codecell_id: str
    need_output: bool = True
    auto_debug: bool = False
    keep_debug_button_visible: bool = False


class IsThinkingAction(_CellAction):
    """A3: show that the planner thinks, and about what."""

    action: Literal["is_thinking"]
    thinking_text: str | None = None
    agent_name: str | None = None
    custom_text: str | None = None
    text_array: list[str] = Field(default_factory=list)


class FinishThinkingAction(_Action):
    """A4: the thinking cell is finished; nothing is deleted."""

    action: Literal["finish_thinking"]


class NewChapterAction(_CellAction):
    """A5: a `## ` heading."""

    action: Literal["new_chapter"]
    content: str


class NewSectionAction(_CellAction):
    """A6: a `### ` heading; moves the section progress."""

    action: Literal["new_section"]
    content: str


class UpdateTitleAction(_Action):
    """A7: a heading before what the run writes, and the notebook's title where it has none."""

    action: Literal["update_title"]
    title: str


class UpdateWorkflowAction(_Action):
    """A8: propose another workflow."""

    action: Literal["update_workflow"]
    updated_workflow: WorkflowTemplate
    next_stage_id: str | None = None


class UpdateStageStepsAction(_Action):
    """A9: propose another list of steps for one stage."""

    action: Literal["update_stage_steps"]
    stage_id: str
    updated_steps: list[StepTemplate]
    next_step_id: str | None = None


class EndPhaseAction(_Action):
    """A10: the current step is complete; what follows in this stream is skipped."""

    action: Literal["end_phase"]
    step_id: str | None = None


class NextEventAction(_Action):
    """A11: an event for hooks and listeners."""

    action: Literal["next_event"]
    event_type: str


class NewStepAction(_CellAction):
    """A12: a `#### ` heading."""

    action: Literal["new_step"]
    content: str


class CommentResultAction(_CellAction):
    """A12: a markdown comment on results; the current effects move to history."""

    action: Literal["comment_result"]
    content: str


class UpdateLastTextAction(_Action):
    """A12: replace the text of the last markdown cell this run added."""

    action: Literal["update_last_text"]
    content: str


class SetEffectAsThinkingAction(_Action):
    """A12: show the current effects as the text of the thinking cell."""

    action: Literal["set_effect_as_thinking"]
    thinking_text: str | None = None


class PromoteArtifactAction(_Action):
    """O10: rename a temporary in the kernel and register it as an artifact."""

    action: Literal["promote_artifact"]
    variable_name: str
    artifact_id: str
    description: str = ""


class CustomAction(_Action):
    """An action that somebody registered; its fields are its handler's business (A16)."""

    action: str


BuiltinAction = Annotated[
    AddAction
    | ExecAction
    | IsThinkingAction
    | FinishThinkingAction
    | NewChapterAction
    | NewSectionAction
    | UpdateTitleAction
    | UpdateWorkflowAction
    | UpdateStageStepsAction
    | EndPhaseAction
    | NextEventAction
    | NewStepAction
    | CommentResultAction
    | UpdateLastTextAction
    | SetEffectAsThinkingAction
    | PromoteArtifactAction,
    Field(discriminator="action"),
]
Action = BuiltinAction | CustomAction

_BUILTIN_MODELS: Mapping[str, type[_Action]] = {
    get_args(model.model_fields["action"].annotation)[0]: model
    for model in get_args(get_args(BuiltinAction)[0])
}
BUILTIN_ACTION_TYPES = frozenset(_BUILTIN_MODELS)
BUILTIN_ACTION_ADAPTER: TypeAdapter[BuiltinAction] = TypeAdapter(BuiltinAction)


def parse_action(raw: object, custom_types: frozenset[str] = frozenset()) -> Action:
    """Turn one decoded line into an action.

    Raises MissingFieldError (names action and field), UnknownActionError or ProtocolError (A17).
    """
    if not isinstance(raw, Mapping):
        raise ProtocolError(f"an action must be a JSON object, not {type(raw).__name__}")
    fields = normalise_action(raw)
    kind = fields.get("action")
    if kind is None:
        raise MissingFieldError("action", "action")
    if not isinstance(kind, str):
        raise ProtocolError(f"action: the type must be text, not {type(kind).__name__}")
    name = f"action '{kind}'"
    model = _BUILTIN_MODELS.get(kind)
    try:
        if model is not None:
            return model.model_validate(fields)  # type: ignore[return-value]
        if kind in custom_types:
            return CustomAction.model_validate(fields)
    except ValidationError as error:
        raise explain(error, name) from None
    raise UnknownActionError(kind)
