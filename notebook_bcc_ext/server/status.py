"""`GET status`: which version answers, and in which state the machine is."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from pydantic import BaseModel
from tornado.web import authenticated

from notebook_bcc_ext import __version__
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.server.handlers import BccHandler


class Status(BaseModel):
    version: str
    state: State


class StatusHandler(BccHandler):
    @authenticated
    @authorized
    async def get(self) -> None:
        manager = await self.manager()
        self.finish_json(Status(version=__version__, state=manager.state))
