"""Puts the observation together (O1-O8). It only arranges what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from notebook_bcc_ext.observation.effects import EffectsState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.protocol.planner.observation import (
    Context,
    FsmView,
    NotebookSummary,
    Observation,
    TransitionRecord,
)
from notebook_bcc_ext.protocol.states import State

DEFAULT_HISTORY_SHOWN = 5


@dataclass(frozen=True)
class ContextParts:
    """Everything of an observation but the location."""

    state: State
    transitions: Sequence[TransitionRecord]
    variables: Mapping[str, Any]
    todo_list: Sequence[str]
    effects: EffectsState
    notebook: NotebookSummary
    sections: SectionsState
    workflow_progress: Any = None
    hidden_inputs: Mapping[str, Any] = field(default_factory=dict)
    history_shown: int = DEFAULT_HISTORY_SHOWN


def merged_variables(planner: Mapping[str, Any], kernel: Mapping[str, Any]) -> dict[str, Any]:
    """The planner's own variables with the kernel's on top: the kernel has the real ones (O4)."""
    return {**planner, **kernel}


def hidden_inputs(inputs: Mapping[str, Any], kernel: Mapping[str, Any]) -> dict[str, Any]:
    """What the person said at the start, where a kernel variable of the same name hides it."""
    return {name: said for name, said in inputs.items() if kernel.get(name, said) != said}


def build_observation(progress: ProgressState, parts: ContextParts) -> Observation:
    fields: dict[str, Any] = {
        "variables": dict(parts.variables),
        "todo_list": list(parts.todo_list),
        "effects": parts.effects.view(),
        "notebook": _notebook(parts),
        "fsm": fsm_view(parts.state, parts.transitions, parts.history_shown),
    }
    sections = parts.sections.view()
    if sections is not None:
        fields["section_progress"] = sections
    if parts.hidden_inputs:
        fields["inputs"] = dict(parts.hidden_inputs)
    if parts.workflow_progress is not None:
        fields["workflow_progress"] = parts.workflow_progress
    return Observation(location=progress.location(), context=Context(**fields))


def _notebook(parts: ContextParts) -> NotebookSummary:
    """Without the last output where the effects have it already (O6)."""
    last = (parts.notebook.last_output or "").strip()
    said = (*parts.effects.current, *parts.effects.history)
    if last and not any(last in entry.text for entry in said):
        return parts.notebook
    return NotebookSummary.model_validate(
        parts.notebook.model_dump(exclude={"last_output"}, exclude_unset=True)
    )


def fsm_view(state: State, transitions: Sequence[TransitionRecord], shown: int) -> FsmView:
    """The state in upper case and the latest transitions: whole, and as `EVENT -> STATE` (O7)."""
    latest = list(transitions)[-shown:] if shown > 0 else []
    fields: dict[str, Any] = {"state": state.upper()}
    if transitions:
        last = transitions[-1]
        fields["last_transition"] = _arrow(last)
        fields["timestamp"] = last.timestamp
    fields["history"] = [record.to_wire() for record in latest]
    fields["transition"] = [_arrow(record) for record in latest]
    return FsmView(**fields)


def _arrow(record: TransitionRecord) -> str:
    return f"{record.event} -> {record.to_state.upper()}"
