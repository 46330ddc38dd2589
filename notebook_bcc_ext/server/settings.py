"""`settings`: the values in force and where each comes from; changeable at run time (P1)."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from notebook_bcc_ext.server.handlers import BccHandler


class SettingsHandler(BccHandler):
    @authenticated
    @authorized
    async def get(self) -> None:
        self.finish_data({"settings": self.settings_service.current().public_view()})

    @authenticated
    @authorized
    async def patch(self) -> None:
        resolved = self.settings_service.change(self.json_object())
        self.finish_data({"settings": resolved.public_view()})
