"""Version and Jupyter entry points."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

__version__ = version("notebook-bcc-ext")


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "notebook-bcc-ext"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    # Imported late: JupyterLab also loads this package just to find its translations.
    from notebook_bcc_ext.server.app import NotebookBccApp  # noqa: PLC0415

    return [{"module": "notebook_bcc_ext", "app": NotebookBccApp}]
