"""`playbooks`: what the embedded planner can play."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from notebook_bcc_ext.server.handlers import BccHandler


class PlaybooksHandler(BccHandler):
    @authenticated
    @authorized
    async def get(self) -> None:
        manager = await self.manager()
        language = self.get_query_argument("language", "en")
        self.finish_data({"playbooks": manager.library.describe(language)})
