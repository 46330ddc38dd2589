"""The settings that decide which way a run takes: they belong to its record."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import Settings

STEERING_SETTINGS = (
    "approval",
    "approve_plan",
    "cell_timeout",
    "custom_action_seconds",
    "dialect",
    "max_actions_per_behavior",
    "max_answer_bytes",
    "max_behaviors_per_step",
    "max_debug_attempts",
    "max_line_bytes",
    "on_action_error",
    "stream",
    "strict_actions",
)
"""Which way a run takes depends on them. None of them is a secret, an address or a place."""


def steering_settings(settings: Settings, request: RunRequest) -> dict[str, Any]:
    chosen = settings.model_dump(mode="json", include=set(STEERING_SETTINGS))
    if request.planner.kind == "embedded":
        # Whatever dialect is set for the services, the embedded planner speaks the current one.
        chosen["dialect"] = "v2"
    return chosen
