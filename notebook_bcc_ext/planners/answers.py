"""The planning answers that the embedded planner gives, each built in one place."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.planners.generation import variables_needed
from notebook_bcc_ext.planners.playbook import Behavior, Stage, Step
from notebook_bcc_ext.planners.situation import REPAIR_SUFFIX, Situation
from notebook_bcc_ext.planners.wording import say
from notebook_bcc_ext.protocol.plan import WorkflowTemplate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.calls import (
    AnswerMetadata,
    BehaviorInfo,
    ContextFilter,
    ContextUpdate,
    EffectsConfig,
    Level,
    OutputsTracking,
    OutputsUpdate,
    PlanningAnswer,
    ProgressUpdate,
    TodoListUpdate,
    Transition,
)


def definition(
    situation: Situation, workflow: WorkflowTemplate, variables: dict[str, Any]
) -> PlanningAnswer:
    """At the start: the workflow, the variables filled in, and the to-do list."""
    title = situation.text(situation.playbook.title)
    focus = say("plan_ready", situation.language, title=title, stages=len(workflow.stages))
    return PlanningAnswer(
        target_achieved=False,
        context_update=ContextUpdate(
            variables=variables,
            todo_list_update=TodoListUpdate(
                operation="replace", items=[step.label for _, step in workflow.steps()]
            ),
            progress_update=[ProgressUpdate(level="stages", focus=focus)],
            workflow_update=WorkflowUpdate(updated_workflow=workflow),
        ),
    )


def go_on(focus: str, level: Level = "stages") -> PlanningAnswer:
    said = [ProgressUpdate(level=level, focus=focus)] if focus else []
    return PlanningAnswer(target_achieved=False, context_update=ContextUpdate(progress_update=said))


def achieved(situation: Situation, step: Step | None, focus: str) -> PlanningAnswer:
    update = ContextUpdate(progress_update=[ProgressUpdate(level="steps", focus=focus)])
    if step is not None:
        done = TodoListUpdate(operation="remove", items=[situation.text(step.name)])
        update.todo_list_update = done
    return PlanningAnswer(
        target_achieved=True,
        transition=Transition(continue_behaviors=False, target_achieved=True),
        context_update=update,
        metadata=AnswerMetadata(estimated_remaining_behaviors=0),
    )


def not_needed(situation: Situation, part: Stage | Step, reason: str) -> PlanningAnswer:
    """Met before anything was done, or not applicable: the reason is said."""
    name = situation.text(part.name)
    steps = part.steps if isinstance(part, Stage) else [part]
    focus = say("not_needed", situation.language, name=name, reason=reason)
    level: Level = "stages" if isinstance(part, Stage) else "steps"
    return PlanningAnswer(
        target_achieved=True,
        transition=Transition(continue_behaviors=False, target_achieved=True),
        context_update=ContextUpdate(
            progress_update=[ProgressUpdate(level=level, focus=focus)],
            todo_list_update=TodoListUpdate(
                operation="remove", items=[situation.text(step.name) for step in steps]
            ),
        ),
    )


def finished(situation: Situation, focus: str, unanswered: str | None) -> PlanningAnswer:
    """At the end. The work is done, which is not to say that the person's goal was answered."""
    answer = achieved(situation, None, focus)
    answer.metadata.unanswered = unanswered
    return answer


def left_to_person(situation: Situation) -> PlanningAnswer:
    """A step that a person put into the plan, and the playbook knows nothing of: it is passed."""
    location = situation.observation.location
    name = location.goals.step or location.current.step_id or ""
    return achieved(situation, None, say("foreign_step", situation.language, name=name))


def stuck(explanation: str) -> PlanningAnswer:
    """Neither goes on nor claims the goal; the explanation is for the person."""
    return PlanningAnswer(
        target_achieved=False,
        transition=Transition(continue_behaviors=False, target_achieved=False),
        context_update=ContextUpdate(
            progress_update=[ProgressUpdate(level="steps", focus=explanation)]
        ),
        metadata=AnswerMetadata(failure=explanation),
    )


def next_behavior(
    situation: Situation, step: Step, behavior: Behavior, *, is_feedback: bool
) -> PlanningAnswer:
    goal = situation.text(behavior.goal)
    focus = [
        ProgressUpdate(level="steps", focus=situation.text(step.goal)),
        ProgressUpdate(level="behaviors", focus=goal),
    ]
    info = BehaviorInfo(id=behavior.id, target=goal)
    answer = _run_behavior(situation, step, behavior, info)
    answer.context_update.progress_update = focus
    if is_feedback:
        answer.transition = Transition(continue_behaviors=True, target_achieved=False)
    return answer


def repair(situation: Situation, step: Step, behavior: Behavior, error: str) -> PlanningAnswer:
    goal = situation.text(behavior.repair.goal) if behavior.repair else ""
    told = say("repairing", situation.language, error=error, goal=goal)
    info = BehaviorInfo(id=behavior.id + REPAIR_SUFFIX, target=goal)
    answer = _run_behavior(situation, step, behavior, info)
    answer.context_update.progress_update = [ProgressUpdate(level="behaviors", focus=told)]
    answer.transition = Transition(continue_behaviors=True, target_achieved=False)
    return answer


def _run_behavior(
    situation: Situation, step: Step, behavior: Behavior, info: BehaviorInfo
) -> PlanningAnswer:
    remaining = situation.remaining_behaviors(step, behavior)
    outputs = situation.bound(behavior.outputs)
    return PlanningAnswer(
        target_achieved=False,
        context_update=ContextUpdate(outputs=OutputsUpdate(expected=outputs)),
        context_filter=ContextFilter(
            variables_to_include=variables_needed(situation, step, behavior),
            effects_config=EffectsConfig(include_current=False, include_history=False),
            focus_to_include=["steps", "behaviors"],
            outputs_tracking=OutputsTracking(expected_variables=outputs),
        ),
        behavior=info,
        metadata=AnswerMetadata(estimated_remaining_behaviors=remaining),
    )
