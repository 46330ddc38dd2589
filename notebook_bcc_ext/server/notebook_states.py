"""Saved states of notebooks in the words of the protocol."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import SavedNotebook
from notebook_bcc_ext.protocol.browser.notebooks import NotebookState


def iso(moment: Any) -> str:
    """As jupyter_server writes dates, so that a browser may compare them."""
    if isinstance(moment, datetime):
        return moment.isoformat().replace("+00:00", "Z")
    return str(moment)


def state_of(path: str, saved: SavedNotebook) -> NotebookState:
    return NotebookState(
        path=path,
        hash=saved.stamp.token,
        has_hash=bool(saved.stamp.hash),
        last_modified=iso(saved.stamp.last_modified),
        log_id=saved.log_id,
        seq=saved.seq,
        current=saved.current,
        content=saved.content,
    )
