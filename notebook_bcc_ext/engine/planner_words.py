"""What an answer of the planner makes of a run: its part of the fold (P3, P6)."""

from __future__ import annotations

from typing import Literal

from notebook_bcc_ext.engine.state import WHOLE_WORKFLOW, Jump, RunState, changed
from notebook_bcc_ext.observation.todo import updated_todo_list
from notebook_bcc_ext.protocol.browser.facts import Judged, When
from notebook_bcc_ext.protocol.planner.calls import ContextUpdate, OutputsUpdate, PlanningAnswer


def judged(state: RunState, fact: Judged) -> RunState:
    answer = PlanningAnswer.parse(fact.answer)
    after = with_context(state, answer.context_update, "after" if fact.after_behavior else "before")
    progress = state.progress
    places = {
        "workflow": WHOLE_WORKFLOW,
        "stage": progress.stage_id or "",
        "step": progress.step_key,
    }
    reached = tuple(key for key in state.reached if key != places[fact.level])
    if fact.verdict == "achieved":
        reached = (*reached, places[fact.level])
    wish = Jump(answer.transition.next_stage_id, answer.transition.next_step_id)
    return changed(
        after,
        verdict=fact.verdict,
        verdict_level=fact.level,
        reached=reached,
        context_filter=answer.context_filter,
        estimated_remaining_behaviors=answer.metadata.estimated_remaining_behaviors,
        jump=wish if wish.stage_id or wish.step_id else None,
    )


def with_context(state: RunState, update: ContextUpdate, when: When) -> RunState:
    """Everything of an answer but proposals and what the kernel has to promote (P6)."""
    after = changed(
        state,
        variables={**state.variables, **update.variables},
        progress=state.progress.focused(
            {said.level: said.focus for said in update.progress_update}
        ),
    )
    if update.todo_list_update is not None:
        todo_list = updated_todo_list(state.todo_list, update.todo_list_update)
        after = changed(after, todo_list=tuple(todo_list))
    if update.section_progress is not None:
        after = changed(after, sections=state.sections.told(update.section_progress))
    if update.workflow_progress is not None:
        after = changed(after, workflow_progress=update.workflow_progress)
    if update.effects_update is not None:
        after = changed(after, effects=state.effects.told(update.effects_update))
    return after if update.outputs is None else _with_outputs(after, update.outputs, when)


def outputs_owner(update: OutputsUpdate, when: When) -> Literal["stages", "steps", "behaviors"]:
    """Whose outputs an answer speaks of: before the first behavior, the step is the only owner of
    what was found."""
    return "steps" if update.level == "behaviors" and when == "before" else update.level


def _with_outputs(state: RunState, update: OutputsUpdate, when: When) -> RunState:
    """What an answer between two behaviors says of the one to come is kept for it."""
    outputs, progress = state.progress.outputs, state.progress
    if update.level != "behaviors" or when == "beside":
        return changed(state, progress=changed(progress, outputs=outputs.told(update)))
    if update.expected is not None:
        state = changed(state, next_expected=tuple(update.expected))
    if update.in_progress is not None:
        state = changed(state, next_in_progress=tuple(update.in_progress))
        outputs = outputs.declaring(update.in_progress)
    level = outputs_owner(update, when)
    said = update.model_copy(update={"expected": None, "in_progress": None, "level": level})
    return changed(state, progress=changed(progress, outputs=outputs.told(said)))
