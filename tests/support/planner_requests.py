"""Requests to a planner, small but complete, for tests."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.protocol.planner.calls import PlannerRequest
from notebook_bcc_ext.settings.names import Settings


def planner_request(
    state: str = "STEP_RUNNING",
    *,
    step: str | None = "s1",
    iteration: int = 1,
    feedback: dict[str, Any] | None = None,
    **context: Any,
) -> PlannerRequest:
    body: dict[str, Any] = {
        "observation": {
            "location": {
                "current": {
                    "stage_id": "stage",
                    "step_id": step,
                    "behavior_id": f"behavior_{iteration:03d}",
                    "behavior_iteration": iteration,
                },
                "progress": {
                    "stages": {"current": "stage"},
                    "steps": {"current": step},
                    "behaviors": {"iteration": iteration},
                },
                "goals": {"stage": "goal of stage", "step": f"goal of {step}"},
            },
            "context": {"variables": {}, "FSM": {"state": state}, **context},
        }
    }
    if feedback is not None:
        body["behavior_feedback"] = feedback
    return PlannerRequest.parse(body)


FEEDBACK = {
    "behavior_id": "behavior_001",
    "actions_executed": 2,
    "actions_succeeded": 2,
    "sections_added": 0,
    "last_action_result": "success",
}


def quick_settings(url: str, **changes: Any) -> Settings:
    """Waits short enough for tests; nothing in them is measured."""
    return Settings.model_validate(
        {"dslc_base_url": url, "retry_wait": 0.001, "retry_wait_max": 0.01, **changes}
    )
