"""`settings`: the values in force and where each comes from; changeable at run time (P1)."""

from __future__ import annotations

from notebook_bcc_ext.server.access import for_users, for_workers
from notebook_bcc_ext.server.handlers import BccHandler
from notebook_bcc_ext.settings.layers import ResolvedSettings


class SettingsHandler(BccHandler):
    @for_users
    async def get(self) -> None:
        self._show(self.settings_service.current())

    @for_workers
    async def patch(self) -> None:
        self._show(self.settings_service.change(self.json_object()))

    def _show(self, resolved: ResolvedSettings) -> None:
        self.finish_data(
            {
                "settings": resolved.public_view(),
                "endpoints": resolved.settings.endpoints,
                "notices": resolved.notices,
            }
        )
