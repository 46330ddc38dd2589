"""The workflow of a playbook, and the optional steps it proposes when the data calls for them.

A proposal is a whole workflow, not a list of steps: the protocol ends a run in error when a list
of steps is rejected, but lets it go on when a workflow is. Optional steps are advice, and
declining advice must not break a run. Each step is asked about once.
"""

from __future__ import annotations

from notebook_bcc_ext.planners.playbook import Stage, Step
from notebook_bcc_ext.planners.situation import ASKED_STEPS, Situation
from notebook_bcc_ext.planners.wording import say
from notebook_bcc_ext.protocol.plan import (
    Requirements,
    StageTemplate,
    StepTemplate,
    WorkflowTemplate,
    WorkflowUpdate,
)
from notebook_bcc_ext.protocol.planner.calls import PlanningAnswer, ProgressUpdate

ACCEPTED_STEPS = "accepted_steps"
"""Planner variable: ids of optional steps that were entered, so a person agreed to them."""


def workflow_of(
    situation: Situation, stage_steps: dict[str, list[StepTemplate]] | None = None
) -> WorkflowTemplate:
    """The playbook's workflow; `stage_steps` replaces the steps of some stages."""
    playbook = situation.playbook
    given = stage_steps or {}
    return WorkflowTemplate(
        name=situation.text(playbook.title),
        description=situation.text(playbook.description),
        goal=_goal(situation),
        requires=_requirements(situation),
        stages=[
            StageTemplate(
                id=stage.id,
                name=situation.text(stage.name),
                goal=situation.text(stage.goal),
                expected_outputs=situation.bound(stage.outputs),
                steps=given.get(stage.id) or _default_steps(situation, stage),
            )
            for stage in playbook.stages
        ],
    )


def _goal(situation: Situation) -> str:
    """The person's own goal, of a playbook that reads it; else what the playbook is for."""
    playbook = situation.playbook
    own = str(situation.variables.get("goal") or "") if playbook.reads_goal else ""
    return own or situation.text(playbook.goal)


def _requirements(situation: Situation) -> Requirements | None:
    given, names = situation.playbook.requires, situation.unseen_names()
    if given is None and not names:
        return None
    return Requirements(**(given.model_dump() if given else {}), free_names=names)


def _default_steps(situation: Situation, stage: Stage) -> list[StepTemplate]:
    accepted = _accepted(situation)
    return [
        _template(situation, step)
        for step in stage.steps
        if step.propose is None or step.id in accepted
    ]


def propose_steps(situation: Situation, finished: Step, answer: PlanningAnswer) -> PlanningAnswer:
    """Add a proposal to the answer when optional steps fit the data and were not asked about."""
    stage = situation.stage
    if stage is None:
        return answer
    present, asked = situation.steps_present(), situation.asked_steps()
    wanted = [
        step
        for step in stage.steps
        if step.propose is not None
        and step.propose.after == finished.id
        and step.id not in present
        and step.id not in asked
        and situation.holds(step.propose.when)
    ]
    if not wanted:
        return answer
    reasons = " ".join(situation.text(step.propose.reason) for step in wanted if step.propose)
    steps = _with_added(situation, stage, present, wanted)
    update = answer.context_update
    update.workflow_update = WorkflowUpdate.parse(
        {
            "updated_workflow": workflow_of(situation, {stage.id: steps}).to_wire(),
            "reason": reasons,
        }
    )
    update.variables = {
        **update.variables,
        ASKED_STEPS: [*asked, *(step.id for step in wanted)],
    }
    focus = say("proposal", situation.language, reasons=reasons)
    update.progress_update = [*update.progress_update, ProgressUpdate(level="stages", focus=focus)]
    return answer


def remember_acceptance(
    situation: Situation, entered: Step, answer: PlanningAnswer
) -> PlanningAnswer:
    """An optional step that is entered was agreed to; later proposals must keep it."""
    accepted = _accepted(situation)
    if entered.propose is not None and entered.id not in accepted:
        answer.context_update.variables = {ACCEPTED_STEPS: [*accepted, entered.id]}
    return answer


def _accepted(situation: Situation) -> list[str]:
    known = situation.variables.get(ACCEPTED_STEPS)
    return [str(one) for one in known] if isinstance(known, list) else []


def _with_added(
    situation: Situation, stage: Stage, present: list[str], wanted: list[Step]
) -> list[StepTemplate]:
    """The client's own list of steps, with the wanted ones at their place in the playbook."""
    order = [step.id for step in stage.steps]
    ids = list(present)
    for step in wanted:
        before = set(order[: order.index(step.id)])
        position = max((index + 1 for index, one in enumerate(ids) if one in before), default=0)
        ids.insert(position, step.id)
    return [_template_by_id(situation, stage, one) for one in ids]


def _template_by_id(situation: Situation, stage: Stage, step_id: str) -> StepTemplate:
    step = stage.step(step_id)
    return _template(situation, step) if step else StepTemplate(id=step_id, name=step_id)


def _template(situation: Situation, step: Step) -> StepTemplate:
    reason = situation.text(step.propose.reason) if step.propose else ""
    return StepTemplate(
        id=step.id,
        name=situation.text(step.name),
        description=reason,
        goal=situation.text(step.goal),
        expected_outputs=situation.bound(step.outputs),
    )
