"""Cells and outputs, written as a run writes them."""

from __future__ import annotations

from notebook_bcc_ext.ports import NewCell, NotebookDocument
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs


async def insert(document: NotebookDocument, cell: NewCell) -> str:
    await document.ready()
    return document.insert(cell)


async def show(document: NotebookDocument, *changes: ChangeOutputs) -> None:
    """Outputs, durable on return."""
    document.post_outputs(changes)
    await document.stored()
