"""Which planner client the settings ask for; the engine does not know which dialect is spoken."""

from __future__ import annotations

import httpx

from notebook_bcc_ext.adapters.planner.dialect_v1 import V1Planner
from notebook_bcc_ext.adapters.planner.http import HttpPlanner
from notebook_bcc_ext.ports import CallListener, Planner
from notebook_bcc_ext.settings.names import Settings


def make_planner(
    settings: Settings,
    on_call: CallListener,
    transport: httpx.AsyncBaseTransport | None = None,
    *,
    first_call_number: int = 1,
) -> Planner:
    client = V1Planner if settings.dialect == "v1" else HttpPlanner
    return client(settings, on_call, transport, first_call_number=first_call_number)
