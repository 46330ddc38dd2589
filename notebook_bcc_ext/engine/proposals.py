"""Proposed updates: are they sound, what would they change, and how they are applied (U4-U7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from notebook_bcc_ext.errors import InvalidProposalError
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.protocol.browser.runs import Change
from notebook_bcc_ext.protocol.plan import (
    StageStepsUpdate,
    StageTemplate,
    StepTemplate,
    WorkflowTemplate,
    WorkflowUpdate,
)
from notebook_bcc_ext.protocol.planner.calls import PlanningAnswer

Update = WorkflowUpdate | StageStepsUpdate
Json = dict[str, Any]
Kind = Literal["added", "removed", "renamed", "moved", "changed"]


def kind_of(update: Update) -> Literal["workflow", "steps"]:
    return "workflow" if isinstance(update, WorkflowUpdate) else "steps"


def parse_update(kind: Literal["workflow", "steps"], raw: dict[str, Any]) -> Update:
    return WorkflowUpdate.parse(raw) if kind == "workflow" else StageStepsUpdate.parse(raw)


# -- U1: where they come from -----------------------------------------------------------------


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


# -- U4: sound? -------------------------------------------------------------------------------


def check_workflow(template: WorkflowTemplate) -> None:
    if not template.stages:
        raise InvalidProposalError("the workflow has no stages")
    _check_unique("stage", [stage.id for stage in template.stages])
    for stage in template.stages:
        if not stage.steps:
            raise InvalidProposalError(f"stage '{stage.id}' has no steps")
        _check_unique(f"step of stage '{stage.id}'", [step.id for step in stage.steps])


def check_update(update: Update, progress: ProgressState) -> None:
    if isinstance(update, WorkflowUpdate):
        _check_workflow_update(update, progress)
    else:
        _check_steps_update(update, progress)


def _check_workflow_update(update: WorkflowUpdate, progress: ProgressState) -> None:
    template = update.updated_workflow
    check_workflow(template)
    wanted = update.next_stage_id
    if wanted is not None and template.stage(wanted) is None:
        raise InvalidProposalError(f"next_stage_id '{wanted}' is not a stage of the new workflow")
    if template.stage(progress.stage_id or "") is None and wanted is None:
        done = {item.id for item in progress.completed_stages}
        if all(stage.id in done for stage in template.stages):
            raise InvalidProposalError(
                f"the current stage '{progress.stage_id}' is not in the new workflow and no stage "
                "is left to go on with; name one as nextStageId"
            )


def _check_steps_update(update: StageStepsUpdate, progress: ProgressState) -> None:
    if progress.template.stage(update.stage_id) is None:
        raise InvalidProposalError(f"the workflow has no stage '{update.stage_id}'")
    if not update.updated_steps:
        raise InvalidProposalError(f"stage '{update.stage_id}' would have no steps")
    ids = [step.id for step in update.updated_steps]
    _check_unique(f"step of stage '{update.stage_id}'", ids)
    if update.next_step_id is not None and update.next_step_id not in ids:
        raise InvalidProposalError(f"next_step_id '{update.next_step_id}' is not in the new steps")
    current = progress.step_id
    if update.stage_id != progress.stage_id or current is None or current in ids:
        return
    done = {item.id for item in progress.completed_steps}
    if update.next_step_id is None and all(step_id in done for step_id in ids):
        raise InvalidProposalError(
            f"the current step '{current}' is not in the new list and no step is left to go on with"
        )


def _check_unique(what: str, ids: Sequence[str]) -> None:
    for position, item in enumerate(ids):
        if item in ids[:position]:
            raise InvalidProposalError(f"the id '{item}' is used twice as a {what}")


# -- U5: what changes? ------------------------------------------------------------------------


def describe_changes(update: Update, progress: ProgressState) -> list[Change]:
    if isinstance(update, StageStepsUpdate):
        stage = progress.template.stage(update.stage_id)
        return _step_changes(update.stage_id, stage.steps if stage else [], update.updated_steps)
    old, new = progress.template, _completed(update.updated_workflow, progress.template)
    changes = _workflow_changes(old, new)
    changes += _item_changes("stage", None, old.stages, new.stages)
    for stage in new.stages:
        before = old.stage(stage.id)
        if before is not None:
            changes += _step_changes(stage.id, before.steps, stage.steps)
    return changes


def _workflow_changes(old: WorkflowTemplate, new: WorkflowTemplate) -> list[Change]:
    def told(kind: Kind, before: str, after: str) -> Change:
        return Change(
            change=kind, level="workflow", id="", name=new.name, before=before, after=after
        )

    changes = [] if old.name == new.name else [told("renamed", old.name, new.name)]
    if _rest(old) != _rest(new):
        changes.append(told("changed", *_differences(_rest(old), _rest(new))))
    return changes


def _step_changes(
    stage_id: str, old: Sequence[StepTemplate], new: Sequence[StepTemplate]
) -> list[Change]:
    return _item_changes("step", stage_id, old, new)


@dataclass(frozen=True)
class _Item:
    id: str
    name: str
    rest: Json


def _item_changes(
    level: Literal["stage", "step"],
    stage_id: str | None,
    old: Sequence[StageTemplate] | Sequence[StepTemplate],
    new: Sequence[StageTemplate] | Sequence[StepTemplate],
) -> list[Change]:
    before, after = _items(old), _items(new)
    common_before = [key for key in before if key in after]
    common_after = [key for key in after if key in before]
    moved = _moved(common_before, common_after)
    changes: list[Change] = []

    def note(kind: Kind, item: _Item, was: str | None = None, is_now: str | None = None) -> None:
        changes.append(
            Change(
                change=kind,
                level=level,
                id=item.id,
                stage_id=stage_id,
                name=item.name,
                before=was,
                after=is_now,
            )
        )

    for key, item in after.items():
        was = before.get(key)
        if was is None:
            note("added", item)
            continue
        if was.name != item.name:
            note("renamed", item, was.name, item.name)
        if was.rest != item.rest:
            note("changed", item, *_differences(was.rest, item.rest))
        if key in moved:
            places = (list(before).index(key) + 1, list(after).index(key) + 1)
            note("moved", item, str(places[0]), str(places[1]))
    for key, item in before.items():
        if key not in after:
            note("removed", item)
    return changes


def _items(items: Iterable[StageTemplate | StepTemplate]) -> dict[str, _Item]:
    return {item.id: _Item(item.id, item.label, _rest(item)) for item in items}


def _rest(item: WorkflowTemplate | StageTemplate | StepTemplate) -> Json:
    """Everything that is neither name nor position; a field that says nothing counts as absent."""
    dumped = item.model_dump(mode="json", exclude={"id", "name", "stages", "steps"})
    return {field: value for field, value in dumped.items() if value not in ("", [], None)}


def _differences(before: Json, after: Json) -> tuple[str, str]:
    """The fields that differ, as they were and as they would be."""
    fields = [f for f in dict.fromkeys((*before, *after)) if before.get(f) != after.get(f)]
    return _told(before, fields), _told(after, fields)


def _told(rest: Json, fields: Iterable[str]) -> str:
    def words(value: Any) -> str:
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return "; ".join(f"{field}: {words(rest[field])}" for field in fields if field in rest)


def _moved(before: list[str], after: list[str]) -> set[str]:
    """Which items changed their order: all but a longest common run in the old order."""
    position = {key: index for index, key in enumerate(before)}
    best: list[list[str]] = []
    for key in after:
        fitting = [run for run in best if position[run[-1]] < position[key]]
        longest = max(fitting, key=len, default=[])
        best.append([*longest, key])
    kept = max(best, key=len, default=[])
    return set(after) - set(kept)


# -- U6, U7: apply ----------------------------------------------------------------------------

GoesOnAt = tuple[str | None, str | None]
"""A stage, or a step of the current one."""


def with_update(update: Update, progress: ProgressState) -> tuple[ProgressState, GoesOnAt | None]:
    """Where the run is once the update is in force, and where it is to go on if that was said, or
    if the current stage vanished. What is completed stays completed."""
    if isinstance(update, WorkflowUpdate):
        after = _with_template(_completed(update.updated_workflow, progress.template), progress)
        if after.stage is not None or after.stage_id is None:
            return after, None
        target = update.next_stage_id or next(iter(after.remaining_stages()), None)
        return after, None if target is None else (target, None)
    stages = [
        stage.model_copy(update={"steps": update.updated_steps})
        if stage.id == update.stage_id
        else stage
        for stage in progress.template.stages
    ]
    after = _with_template(progress.template.model_copy(update={"stages": stages}), progress)
    wanted = update.next_step_id if update.stage_id == progress.stage_id else None
    return after, None if wanted is None else (None, wanted)


def _with_template(template: WorkflowTemplate, progress: ProgressState) -> ProgressState:
    """A completed stage that has new steps is not completed any more: a plan that was approved
    is run, wherever in it something was added."""
    old, after = progress.template, progress.with_template(template)
    for stage in template.stages:
        before = old.stage(stage.id)
        completed = stage.id in {item.id for item in progress.completed_stages}
        if before is None or not completed or stage.id == progress.stage_id:
            continue
        if any(before.step(step.id) is None for step in stage.steps):
            after = after.reopening_stage(stage.id)
    return after


def _completed(new: WorkflowTemplate, old: WorkflowTemplate) -> WorkflowTemplate:
    """A planner that proposes other stages need not repeat what the workflow is called."""
    said = new.model_fields_set
    kept = {
        field: getattr(old, field)
        for field in WorkflowTemplate.model_fields
        if field not in said and field in old.model_fields_set
    }
    return new.model_copy(update=kept)
