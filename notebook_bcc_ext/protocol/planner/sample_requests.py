"""Complete, legal requests at every level of a workflow, to ask a planner service with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest
from notebook_bcc_ext.protocol.states import State

Json = dict[str, Any]

_PLACEHOLDER = WorkflowTemplate.parse(
    {
        "name": "check",
        "stages": [
            {"id": "stage_1", "goal": "check", "steps": [{"id": "step_1", "goal": "check"}]}
        ],
    }
)
_BEFORE_A_STAGE = (State.IDLE,)
_BEFORE_A_STEP = (State.IDLE, State.STAGE_RUNNING, State.STAGE_COMPLETED)
_BEFORE_A_BEHAVIOR = (*_BEFORE_A_STEP, State.STEP_RUNNING, State.STEP_COMPLETED)


@dataclass
class SampleRequests:
    """Requests as a run would make them in its first step."""

    variables: Mapping[str, Any] = field(default_factory=dict)
    workflow: WorkflowTemplate = field(default_factory=lambda: _PLACEHOLDER)

    def at(self, state: State, *, feedback: bool = False, stream: bool = False) -> PlannerRequest:
        body: Json = {
            "observation": {"location": self._location(state), "context": self._context(state)},
            "options": {"stream": stream},
        }
        if feedback:
            body["behavior_feedback"] = {
                "behavior_id": "behavior_001",
                "actions_executed": 2,
                "actions_succeeded": 2,
                "sections_added": 0,
                "last_action_result": "success",
            }
        return PlannerRequest.parse(body)

    def _location(self, state: State) -> Json:
        stage, step = next(self.workflow.steps())
        has_stage = state not in _BEFORE_A_STAGE
        has_step = state not in _BEFORE_A_STEP
        has_behavior = state not in _BEFORE_A_BEHAVIOR
        stages = [entry.id for entry in self.workflow.stages] if has_stage else []
        steps = [entry.id for entry in stage.steps] if has_stage else []
        return {
            "current": {
                "stage_id": stage.id if has_stage else None,
                "step_id": step.id if has_step else None,
                "behavior_id": "behavior_001" if has_behavior else None,
                "behavior_iteration": 1 if has_behavior else None,
            },
            "progress": {
                "stages": _level(stages[0] if stages else None, stages[1:]),
                "steps": _level(step.id if has_step else None, steps[1:] if has_step else steps),
                "behaviors": {
                    **_level("behavior_001" if has_behavior else None, []),
                    "iteration": 1 if has_behavior else None,
                },
            },
            "goals": {
                "stage": stage.purpose if has_stage else None,
                "step": step.purpose if has_step else None,
                "behavior": None,
            },
        }

    def _context(self, state: State) -> Json:
        return {
            "variables": dict(self.variables),
            "toDoList": [],
            "effects": {"current": [], "history": []},
            "notebook": {
                "title": None,
                "cell_count": 0,
                "last_cell_type": None,
                "last_output": None,
            },
            "FSM": {
                "state": state.value.upper(),
                "last_transition": None,
                "timestamp": datetime.now(UTC).isoformat(),
                "history": [],
                "transition": [],
            },
        }


def _level(current: str | None, remaining: list[str]) -> Json:
    return {
        "completed": [],
        "current": current,
        "remaining": remaining,
        "focus": "",
        "current_outputs": {"expected": [], "produced": [], "in_progress": []},
    }
