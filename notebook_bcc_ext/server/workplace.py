"""Notebooks and kernels of the Jupyter server this extension lives in (J3, J4)."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.adapters.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.kernel_runner import KernelRunner
from notebook_bcc_ext.adapters.kernel_session import SessionKernelSource
from notebook_bcc_ext.hosting.storage import Storage


class ServerWorkplace:
    def __init__(self, serverapp: Any, storage: Storage) -> None:
        self._serverapp = serverapp
        self._log = storage.log
        self.access = ContentsAccess(serverapp.contents_manager)

    def notebook(self, path: str) -> ContentsNotebook:
        return ContentsNotebook(path, self.access, self._log, metadata=self._kernelspec())

    def runner(self, path: str) -> KernelRunner:
        app = self._serverapp
        return KernelRunner(SessionKernelSource(app.session_manager, app.kernel_manager, path))

    def _kernelspec(self) -> dict[str, Any]:
        """For a notebook that says nothing about its kernel: the server's default."""
        name = self._serverapp.kernel_manager.default_kernel_name
        return {"kernelspec": {"name": name, "display_name": name}}
