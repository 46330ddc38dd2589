"""What lives as long as the server: settings, store, runs. Opened on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.hosting.settings import SettingsService
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.server.workplace import ServerWorkplace


class Host:
    """A store that cannot be opened is told to whoever asks; JupyterLab starts all the same."""

    def __init__(
        self, serverapp: Any, configured: Mapping[str, object], store_path: Path | None
    ) -> None:
        self._serverapp = serverapp
        self._store_path = store_path
        self._opening = asyncio.Lock()
        self._manager: RunManager | None = None
        self.settings = SettingsService(configured)

    async def manager(self) -> RunManager:
        async with self._opening:
            if self._manager is None:
                storage = await Storage.open(self._store_path)
                self._manager = RunManager(
                    storage,
                    ServerWorkplace(self._serverapp, storage),
                    self.settings.of_run,
                    PlaybookLibrary(),
                )
            return self._manager

    async def close(self) -> None:
        if self._manager is not None:
            await self._manager.close()
