"""What the person said at the start, as the planner's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebook_bcc_ext.protocol.browser.runs import RunRequest


def initial_variables(request: RunRequest) -> dict[str, Any]:
    said: Mapping[str, Any] = {"goal": request.goal, "data_path": request.data}
    known = {key: value for key, value in said.items() if value is not None}
    return {**known, **request.variables}
