"""A run as people see it (J7): derived from its state, never stored."""

from __future__ import annotations

from notebook_bcc_ext.engine.state import WHOLE_WORKFLOW, RunState
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.fsm import allowed_events
from notebook_bcc_ext.protocol.browser.runs import (
    CommandName,
    NodeStatus,
    RunProgress,
    RunStatus,
    RunView,
    StageNode,
    StepNode,
    Thinking,
    location_of,
)
from notebook_bcc_ext.protocol.clock import utc_now
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate
from notebook_bcc_ext.protocol.states import State


def run_view(
    world: World, *, status: RunStatus, commands: list[CommandName], has_ended: bool
) -> RunView:
    state, gate, error = world.state, world.gate, world.state.error
    if error is not None:
        remedies = [command for command in commands if command not in ("pause", "cancel")]
        error = error.model_copy(update={"remedies": remedies})
    return RunView(
        id=world.run_id,
        revision=state.facts,
        notebook=world.notebook.path,
        state=state.state,
        status=status,
        status_reason=gate.reason if gate.paused else None,
        allowed_events=allowed_events(state.state),
        allowed_commands=commands,
        location=location_of(state.progress.current),
        progress=progress_view(state),
        pending=state.pending,
        decision=state.decisions[-1] if state.decisions else None,
        error=error,
        counts=state.counts,
        planner=world.request.planner.model_dump(mode="json"),
        goal=world.request.goal,
        data=world.request.data,
        approval=world.approval,
        thinking=thinking_view(state),
        doing=world.ledger.activity.doing if status == "running" else None,
        overwritten=state.overwritten,
        created_at=state.created_at,
        updated_at=utc_now(),
        ended_at=_ended_at(state) if has_ended else None,
        rested_ms=state.rest.total_ms,
        resting_since=state.rest.since,
    )


def _ended_at(state: RunState) -> str:
    if state.cancelled_at is not None:
        return state.cancelled_at
    return state.history[-1].timestamp if state.history else state.created_at


def progress_view(run: RunState) -> RunProgress:
    progress, state = run.progress, run.state
    stages = [_stage_node(run, stage) for stage in progress.template.stages]
    nodes = [step for stage in stages for step in stage.steps]
    done = sum(step.status in ("done", "skipped") for step in nodes)
    fraction = done / len(nodes) if nodes else 0.0
    goals = progress.goals
    return RunProgress(
        workflow=progress.template.name,
        fraction=1.0 if state is State.WORKFLOW_COMPLETED else fraction,
        steps_done=done,
        steps_total=len(nodes),
        stages=stages,
        focus=dict(progress.focus),
        goals={"stage": goals.stage, "step": goals.step, "behavior": goals.behavior},
        attainment=progress.outputs.attainment(),
        verdict=run.verdict,
        verdict_level=run.verdict_level,
        reached=WHOLE_WORKFLOW in run.reached,
        estimated_remaining_behaviors=run.estimated_remaining_behaviors,
    )


def _stage_node(run: RunState, stage: StageTemplate) -> StageNode:
    progress, state = run.progress, run.state
    ended = (State.STAGE_COMPLETED, State.WORKFLOW_COMPLETED)
    status: NodeStatus = "pending"
    if stage.id == progress.stage_id and state not in ended:
        status = _current(state)
    elif stage.id in {item.id for item in progress.completed_stages}:
        status = "done"
    elif stage.id in progress.passed_over:
        status = "skipped"
    steps = [_step_node(run, stage, step, status) for step in stage.steps]
    return StageNode(
        id=stage.id,
        name=stage.label,
        status=status,
        reached=stage.id in run.reached,
        steps=steps,
    )


def _step_node(
    run: RunState, stage: StageTemplate, step: StepTemplate, stage_is: NodeStatus
) -> StepNode:
    progress, key, state = run.progress, f"{stage.id}/{step.id}", run.state
    behaviors = run.step_behaviors.get(key, 0)
    current = (stage.id, step.id) == (progress.stage_id, progress.step_id)
    status: NodeStatus = "pending"
    if step.id in progress.done_steps.get(stage.id, []):
        status = "done" if behaviors else "skipped"
    elif stage_is in ("done", "skipped") or key in progress.passed_over:
        status = "skipped"
    elif current:
        status = _current(state)
    return StepNode(
        id=step.id,
        name=step.label,
        status=status,
        reached=key in run.reached,
        behaviors=behaviors,
    )


def _current(state: State) -> NodeStatus:
    return "failed" if state in (State.ERROR, State.CANCELLED) else "running"


def thinking_view(run: RunState) -> Thinking | None:
    thinking = run.thinking
    if thinking is None:
        return None
    return Thinking(agent_name=thinking.agent_name, text=thinking.text)
