"""Takes a planning answer in: the context update at once, proposals into the queue (P6, U2)."""

from __future__ import annotations

from typing import Literal

from notebook_bcc_ext.engine.memory import Json, RunMemory
from notebook_bcc_ext.engine.proposals import Update
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.observation.todo import updated_todo_list
from notebook_bcc_ext.protocol.planner.calls import (
    ContextUpdate,
    OutputsUpdate,
    PlanningAnswer,
    Promotion,
)

When = Literal["before", "beside", "after"]
"""Whether an answer came before a behavior, with its actions, or after they ran."""


def apply_context_update(
    memory: RunMemory, effects: EffectsLog, update: ContextUpdate, when: When
) -> list[Promotion]:
    """Everything but proposals; what is left for the kernel to promote."""
    memory.variables.update(update.variables)
    if update.todo_list_update is not None:
        memory.todo_list = updated_todo_list(memory.todo_list, update.todo_list_update)
    if update.section_progress is not None:
        memory.sections.apply(update.section_progress)
    if update.workflow_progress is not None:
        memory.workflow_progress = update.workflow_progress
    memory.progress.set_focus({said.level: said.focus for said in update.progress_update})
    if update.effects_update is not None:
        effects.apply(update.effects_update)
    if update.outputs is None:
        return []
    for warning in memory.progress.outputs.apply(_of_this_behavior(memory, update.outputs, when)):
        effects.warn(*warning)
    return update.outputs.promote


def _of_this_behavior(memory: RunMemory, outputs: OutputsUpdate, when: When) -> OutputsUpdate:
    """What an answer between two behaviors says of the one to come is kept for it; before the
    first one, the step is the only owner of what was found."""
    if outputs.level != "behaviors" or when == "beside":
        return outputs
    if outputs.expected is not None:
        memory.next_expected = outputs.expected
    if outputs.in_progress is not None:
        memory.next_in_progress = outputs.in_progress
        memory.progress.outputs.declare_temporaries(outputs.in_progress)
    level = "steps" if when == "before" else outputs.level
    changes = {"expected": None, "in_progress": None, "level": level}
    return outputs.model_copy(update=changes)


def proposals_in(answer: PlanningAnswer) -> list[Update]:
    """All proposals of an answer, wherever they stand (U1); the same one twice counts once."""
    update = answer.context_update
    found = [
        update.workflow_update,
        answer.transition.workflow_update,
        update.stage_steps_update,
    ]
    proposals: list[Update] = []
    for proposal in found:
        if proposal is not None and proposal not in proposals:
            proposals.append(proposal)
    return proposals


def as_action(proposal: Update) -> Json:
    """A proposal of an answer as the action that the state machine knows."""
    kind = "update_workflow" if hasattr(proposal, "updated_workflow") else "update_stage_steps"
    return {"action": kind, **proposal.to_wire()}
