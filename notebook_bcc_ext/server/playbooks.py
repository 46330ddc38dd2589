"""`playbooks`: what the embedded planner can play."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.server.access import for_users, may_read_notebooks
from notebook_bcc_ext.server.handlers import BccHandler


class PlaybooksHandler(BccHandler):
    @for_users
    async def get(self) -> None:
        manager = await self.manager()
        language = self.get_query_argument("language", "en")
        notebook = self.get_query_argument("notebook", None)
        found = manager.library.describe(language)
        if notebook is not None:
            found += await self._beside(notebook, language)
        self.finish_data({"playbooks": found})

    @may_read_notebooks
    async def _beside(self, notebook: str, language: str) -> list[dict[str, Any]]:
        return await (await self.manager()).playbooks_beside(notebook, language)
