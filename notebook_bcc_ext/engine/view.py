"""A run as people see it (J7): derived from its memory, never stored."""

from __future__ import annotations

from notebook_bcc_ext.engine.memory import WHOLE_WORKFLOW, RunMemory
from notebook_bcc_ext.protocol.browser.runs import (
    NodeStatus,
    RunProgress,
    StageNode,
    StepNode,
    Thinking,
)
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate
from notebook_bcc_ext.protocol.states import State


def progress_view(memory: RunMemory, state: State) -> RunProgress:
    progress = memory.progress
    stages = [_stage_node(memory, stage, state) for stage in progress.template.stages]
    nodes = [step for stage in stages for step in stage.steps]
    done = sum(step.status in ("done", "skipped") for step in nodes)
    fraction = done / len(nodes) if nodes else 0.0
    goals = progress.location().goals
    return RunProgress(
        workflow=progress.template.name,
        fraction=1.0 if state is State.WORKFLOW_COMPLETED else fraction,
        steps_done=done,
        steps_total=len(nodes),
        stages=stages,
        focus=dict(progress.focus),
        goals={"stage": goals.stage, "step": goals.step, "behavior": goals.behavior},
        attainment=progress.outputs.attainment(),
        verdict=memory.verdict,
        verdict_level=memory.verdict_level,
        reached=WHOLE_WORKFLOW in memory.reached,
        estimated_remaining_behaviors=memory.estimated_remaining_behaviors,
    )


def _stage_node(memory: RunMemory, stage: StageTemplate, state: State) -> StageNode:
    progress = memory.progress
    ended = (State.STAGE_COMPLETED, State.WORKFLOW_COMPLETED)
    status: NodeStatus = "pending"
    if stage.id == progress.stage_id and state not in ended:
        status = _current(state)
    elif stage.id in {item.id for item in progress.completed_stages}:
        status = "done"
    elif stage.id in progress.passed_over:
        status = "skipped"
    steps = [_step_node(memory, stage, step, status, state) for step in stage.steps]
    return StageNode(
        id=stage.id,
        name=stage.label,
        status=status,
        reached=stage.id in memory.reached,
        steps=steps,
    )


def _step_node(
    memory: RunMemory, stage: StageTemplate, step: StepTemplate, stage_is: NodeStatus, state: State
) -> StepNode:
    progress, key = memory.progress, f"{stage.id}/{step.id}"
    behaviors = memory.step_behaviors.get(key, 0)
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
        reached=key in memory.reached,
        behaviors=behaviors,
    )


def _current(state: State) -> NodeStatus:
    return "failed" if state in (State.ERROR, State.CANCELLED) else "running"


def thinking_view(memory: RunMemory) -> Thinking | None:
    thinking = memory.thinking
    if thinking is None:
        return None
    return Thinking(agent_name=thinking.agent_name, text=thinking.text)
