"""Everything that changes Jupyter, in order; the table is in this package's docstring."""

from __future__ import annotations

from typing import Any

from notebook_bcc_ext.adapters.jupyter_patches.garbage_collection import leave_modules_alone
from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import MergedSaves
from notebook_bcc_ext.adapters.jupyter_patches.session_sharing import share_sessions


def install(serverapp: Any, saves: MergedSaves | None = None) -> None:
    """When the extension is loaded, and again with the merging, which needs the run store that is
    opened on first use. Doing it twice changes nothing.

    What `saves` works with, a `ContentsAccess`, has patched the contents manager by then
    (`patch_contents`): a run without a server needs that of its own manager too.
    """
    share_sessions(serverapp.session_manager)
    # When the loop starts: by then all extensions are loaded, and nobody waits yet.
    serverapp.io_loop.add_callback(leave_modules_alone)
    if saves is not None:
        saves.install()
