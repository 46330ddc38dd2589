"""Notebooks and kernels of the Jupyter server this extension lives in (J3, J4)."""

from __future__ import annotations

import weakref
from datetime import UTC, datetime
from typing import Any

from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import MergedSaves
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.session import SessionKernelSource
from notebook_bcc_ext.adapters.kernel.starts import KernelStarts
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook, Settle
from notebook_bcc_ext.adapters.notebook.room_mirror import NoRooms, Rooms
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.hosting.workplace import ContentsWorkplace
from notebook_bcc_ext.server.live_notebooks import within
from notebook_bcc_ext.settings.names import Settings

ACTIVITY = "notebook_bcc_last_activity"


class ServerWorkplace(ContentsWorkplace):
    def __init__(self, serverapp: Any, storage: Storage) -> None:
        super().__init__(ContentsAccess(serverapp.contents_manager), storage)
        self._serverapp = serverapp
        self.saves = MergedSaves(serverapp.contents_manager, self.access, storage.log)
        self.settle: Settle | None = None
        self._starts = KernelStarts()
        self._notebooks: weakref.WeakSet[ContentsNotebook] = weakref.WeakSet()
        self._sources: weakref.WeakSet[SessionKernelSource] = weakref.WeakSet()

    def notebook(self, path: str) -> ContentsNotebook:
        notebook = ContentsNotebook(
            path,
            self.access,
            self._log,
            metadata=self._kernelspec(),
            rooms=self._rooms(),
            settle=self.settle,
        )
        self._notebooks.add(notebook)
        return notebook

    def _rooms(self) -> Rooms:
        settings = self._serverapp.web_app.settings
        if "jupyter_server_ydoc" not in settings:
            return NoRooms()
        # Only here: what it is written with comes with jupyter-collaboration.
        from notebook_bcc_ext.adapters.notebook.shared_notebook import SharedNotebooks  # noqa: PLC0415

        return SharedNotebooks(settings)

    def runner(self, path: str, settings: Settings) -> KernelRunner:
        app = self._serverapp
        source = SessionKernelSource(app.session_manager, app.kernel_manager, path)
        self._sources.add(source)
        return KernelRunner(
            source,
            cell_timeout=settings.cell_timeout or None,
            start_timeout=settings.kernel_start_timeout,
            starts=self._starts,
        )

    def mark_active(self) -> None:
        # Jupyter looks at all settings whose names end like this one.
        self._serverapp.web_app.settings[ACTIVITY] = datetime.now(UTC)

    async def notebook_moved(self, old_path: str, new_path: str | None) -> None:
        """A notebook, or a folder of them, was renamed; None: deleted, and the next write says so.

        Also notebooks without a run have a log that has to follow, or to go.
        """
        if new_path is None:
            await self.access.run(lambda: self.saves.logs.deleted(old_path))
            self.access.states.forget(old_path)
            return
        for source in list(self._sources):
            if within(source.path, old_path):
                source.path = new_path + source.path[len(old_path) :]
        for notebook in list(self._notebooks):
            if notebook.is_open and within(notebook.path, old_path):
                await notebook.follow_rename(new_path + notebook.path[len(old_path) :])
        old_place, new_place = self.access.place(old_path), self.access.place(new_path)
        for state in await self._log.within(old_place):
            await self._log.move(state.log_id, new_place + state.place[len(old_place) :])
        self.access.states.moved(old_path, new_path)

    def _kernelspec(self) -> dict[str, Any]:
        """For a notebook that says nothing about its kernel: the server's default."""
        name = self._serverapp.kernel_manager.default_kernel_name
        return {"kernelspec": {"name": name, "display_name": name}}
