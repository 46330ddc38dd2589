"""`GET status`: which version answers, and in which state the machine is."""

from __future__ import annotations

from pydantic import BaseModel

from notebook_bcc_ext import __version__
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.server.access import for_users
from notebook_bcc_ext.server.handlers import BccHandler


class Status(BaseModel):
    version: str
    state: State


class StatusHandler(BccHandler):
    @for_users
    async def get(self) -> None:
        manager = await self.manager()
        self.finish_json(Status(version=__version__, state=manager.state))
