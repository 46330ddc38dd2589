"""The extension application: what Jupyter loads, and where the parts are wired together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from traitlets import Dict, List, Unicode

from notebook_bcc_ext import __version__
from notebook_bcc_ext.adapters.jupyter_patches.install import install
from notebook_bcc_ext.hosting.logs import ServerLog, log_into
from notebook_bcc_ext.server.handlers import HOST_SETTING
from notebook_bcc_ext.server.host import Host
from notebook_bcc_ext.server.routes import ROUTES


class NotebookBccApp(ExtensionApp):
    name = "notebook_bcc_ext"
    version = __version__
    description = "Plans a data-science workflow and runs it in the live notebook."
    load_other_extensions = True

    options = Dict(
        help="Settings by name, such as {'dslc_base_url': 'http://localhost:28600'}."
    ).tag(config=True)
    store_path = Unicode(
        help="File that keeps runs and notebook operations; default: in Jupyter's data folder."
    ).tag(config=True)

    playbook_folders = List(
        Unicode(), help="Folders with playbooks, before those in Jupyter's data folders."
    ).tag(config=True)

    def initialize_settings(self) -> None:
        path = Path(self.store_path) if self.store_path else None
        serverapp: Any = self.serverapp
        log_into(ServerLog(serverapp.log))
        install(serverapp)
        self.settings[HOST_SETTING] = Host(serverapp, self.options, path, self.playbook_folders)

    def initialize_handlers(self) -> None:
        self.handlers.extend(ROUTES)

    async def stop_extension(self) -> None:
        # None where the extension could not be set up: the server has to end all the same.
        host: Host | None = self.settings.get(HOST_SETTING)
        if host is not None:
            await host.close()
