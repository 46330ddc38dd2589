"""What is told to whoever is watching, and not kept."""

from __future__ import annotations

from typing import Literal

from notebook_bcc_ext.protocol.browser.news import Dated, Json
from notebook_bcc_ext.protocol.browser.runs import RunStatus
from notebook_bcc_ext.protocol.states import State


class StatusTold(Dated):
    kind: Literal["status"] = "status"
    status: RunStatus
    state: State
    reason: str | None = None


class KernelStarting(Dated):
    kind: Literal["kernel_starting"] = "kernel_starting"


class CellRunning(Dated):
    kind: Literal["cell_running"] = "cell_running"
    cell_id: str


class Said(Dated):
    """Something an action of the planner's, or of a package, wants to have told."""

    kind: Literal["said"] = "said"
    name: str
    payload: Json
