"""Version and Jupyter entry points."""

from __future__ import annotations

from typing import Any

__version__: str


def __getattr__(name: str) -> str:
    # Asked for late: reading the package's metadata takes longer than printing a help text.
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("notebook-bcc-ext")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "notebook-bcc-ext"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    # Imported late: JupyterLab also loads this package just to find its translations.
    from notebook_bcc_ext.server.app import NotebookBccApp  # noqa: PLC0415

    return [{"module": "notebook_bcc_ext", "app": NotebookBccApp}]
