"""A run as people see it (J7): derived from its memory, never stored."""

from __future__ import annotations

from notebook_bcc_ext.engine.memory import RunMemory
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate
from notebook_bcc_ext.protocol.runs import (
    NodeStatus,
    RunProgress,
    StageNode,
    StepNode,
    Thinking,
)
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
        estimated_remaining_behaviors=memory.estimated_remaining_behaviors,
    )


def _stage_node(memory: RunMemory, stage: StageTemplate, state: State) -> StageNode:
    progress = memory.progress
    done = {item.id for item in progress.completed_stages}
    status: NodeStatus = "pending"
    if stage.id == progress.stage_id:
        status = _current(state, ended=(State.STAGE_COMPLETED, State.WORKFLOW_COMPLETED))
    elif stage.id in done:
        status = "done"
    steps = [_step_node(memory, stage, step, status, state) for step in stage.steps]
    return StageNode(id=stage.id, name=stage.label, status=status, steps=steps)


def _step_node(
    memory: RunMemory, stage: StageTemplate, step: StepTemplate, stage_is: NodeStatus, state: State
) -> StepNode:
    progress = memory.progress
    behaviors = memory.step_behaviors.get(f"{stage.id}/{step.id}", 0)
    status: NodeStatus = "pending"
    if stage.id == progress.stage_id:
        completed = {item.id for item in progress.completed_steps}
        if step.id in completed:
            status = "done" if behaviors else "skipped"
        elif step.id == progress.step_id:
            status = _current(state, ended=())
        elif stage_is == "done":
            status = "skipped"
    elif stage_is == "done":
        status = "done" if behaviors else "skipped"
    return StepNode(id=step.id, name=step.label, status=status, behaviors=behaviors)


def _current(state: State, ended: tuple[State, ...]) -> NodeStatus:
    if state in ended:
        return "done"
    return "failed" if state in (State.ERROR, State.CANCELLED) else "running"


def thinking_view(memory: RunMemory) -> Thinking | None:
    thinking = memory.thinking
    if thinking is None:
        return None
    return Thinking(agent_name=thinking.agent_name, text=thinking.text)
