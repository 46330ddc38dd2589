"""Notebooks and kernels of the Jupyter server this extension lives in (J3, J4)."""

from __future__ import annotations

import weakref
from typing import Any

from notebook_bcc_ext.adapters.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.contents_notebook import ContentsNotebook, Settle
from notebook_bcc_ext.adapters.kernel_runner import KernelRunner
from notebook_bcc_ext.adapters.kernel_session import SessionKernelSource
from notebook_bcc_ext.adapters.kernel_starts import KernelStarts
from notebook_bcc_ext.adapters.merged_saves import MergedSaves
from notebook_bcc_ext.adapters.room_mirror import NoRooms, Rooms
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.protocol.settings import Settings
from notebook_bcc_ext.server.live_notebooks import within


class ServerWorkplace:
    def __init__(self, serverapp: Any, storage: Storage) -> None:
        self._serverapp = serverapp
        self._log = storage.log
        self.access = ContentsAccess(serverapp.contents_manager)
        self.saves = MergedSaves(serverapp.contents_manager, self.access, storage.log)
        self.saves.install()
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
        from notebook_bcc_ext.adapters.shared_notebook import SharedNotebooks  # noqa: PLC0415

        return SharedNotebooks(settings)

    async def unfinished_files(self) -> list[str]:
        lagging = await self._log.unflushed(self.access.root)
        paths = (self.access.path_of(state.place) for state in lagging)
        return [path for path in paths if path is not None]

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

    async def notebook_moved(self, old_path: str, new_path: str | None) -> None:
        """A notebook, or a folder of them, was renamed; None: deleted, and the next write says so.

        Also notebooks without a run have a log that has to follow.
        """
        if new_path is None:
            return
        for source in list(self._sources):
            if within(source.path, old_path):
                source.path = new_path + source.path[len(old_path) :]
        open_paths = set()
        for notebook in list(self._notebooks):
            if notebook.is_open and within(notebook.path, old_path):
                open_paths.add(notebook.path)
                await notebook.follow_rename(new_path + notebook.path[len(old_path) :])
        if old_path not in open_paths:
            state = await self._log.find(place=self.access.place(old_path))
            if state is not None:
                await self._log.move(state.log_id, self.access.place(new_path))
        self.access.states.moved(old_path, new_path)

    def _kernelspec(self) -> dict[str, Any]:
        """For a notebook that says nothing about its kernel: the server's default."""
        name = self._serverapp.kernel_manager.default_kernel_name
        return {"kernelspec": {"name": name, "display_name": name}}
