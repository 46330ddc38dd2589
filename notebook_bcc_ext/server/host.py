"""What lives as long as the server: settings, store, runs, tabs. Opened on first use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from notebook_bcc_ext.adapters.jupyter_patches.install import install
from notebook_bcc_ext.adapters.notebook.contents_access import place_of
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.hosting.settings import SettingsService
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.planners.library import PlaybookLibrary, default_folders
from notebook_bcc_ext.server.contents_events import follow_moves
from notebook_bcc_ext.server.live_notebooks import LiveNotebooks
from notebook_bcc_ext.server.workplace import ServerWorkplace

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Opened:
    manager: RunManager
    workplace: ServerWorkplace
    notebooks: LiveNotebooks
    stop_following: Callable[[], None]


class Host:
    """A store that cannot be opened is told to whoever asks; JupyterLab starts all the same."""

    def __init__(
        self,
        serverapp: Any,
        configured: Mapping[str, object],
        store_path: Path | None,
        playbook_folders: Sequence[str] = (),
    ) -> None:
        self._playbook_folders = [*map(Path, playbook_folders), *default_folders()]
        self._serverapp = serverapp
        self._store_path = store_path
        self._opening = asyncio.Lock()
        self._all: _Opened | None = None
        self.settings = SettingsService(configured)

    async def manager(self) -> RunManager:
        return (await self._opened()).manager

    async def workplace(self) -> ServerWorkplace:
        return (await self._opened()).workplace

    async def notebooks(self) -> LiveNotebooks:
        return (await self._opened()).notebooks

    async def _opened(self) -> _Opened:
        async with self._opening:
            if self._all is None:
                storage = await Storage.open(
                    self._store_path,
                    place=place_of(self._serverapp.contents_manager),
                    settings=self.settings.current().settings,
                )
                try:
                    self._all = await self._open_with(storage)
                except BaseException:
                    # Whoever asks next tries again, from the beginning.
                    await storage.close()
                    raise
            return self._all

    async def _open_with(self, storage: Storage) -> _Opened:
        workplace = ServerWorkplace(self._serverapp, storage)
        notebooks = LiveNotebooks(workplace.access, storage.log, workplace.saves.log_of)
        workplace.settle = notebooks.settle

        async def on_moved(old_path: str, new_path: str | None) -> None:
            await workplace.notebook_moved(old_path, new_path)
            notebooks.notebook_moved(old_path, new_path)

        library = PlaybookLibrary(folders=self._playbook_folders)
        manager = RunManager(storage, workplace, self.settings.of_run, library)
        workplace.saves.logs.is_in_use = lambda path: manager.active_run_of(path) is not None
        await manager.open()
        install(self._serverapp, workplace.saves)
        stop_following = follow_moves(self._serverapp, on_moved)
        return _Opened(manager, workplace, notebooks, stop_following)

    async def close(self) -> None:
        """Nothing that goes wrong here may keep the server from ending."""
        opened = self._all
        if opened is None:
            return
        try:
            opened.stop_following()
            opened.notebooks.close()
            await opened.manager.close()
        except Exception:
            logger.exception("notebook-bcc was closed incompletely")
