"""The part of a planner client that does not depend on the dialect it speaks."""

from __future__ import annotations

import httpx

from notebook_bcc_ext.adapters.planner.connection import PlannerConnection
from notebook_bcc_ext.ports import CallListener
from notebook_bcc_ext.settings.names import Settings


class PlannerClient:
    """`transport` lets a planner in this process speak the same wire as a remote one."""

    def __init__(
        self,
        settings: Settings,
        on_call: CallListener,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        first_call_number: int = 1,
    ) -> None:
        self._connection = PlannerConnection(settings, on_call, transport, first_call_number)

    @property
    def _settings(self) -> Settings:
        return self._connection.settings

    def adopt(self, settings: Settings) -> None:
        self._connection.adopt(settings)

    async def close(self) -> None:
        await self._connection.close()
