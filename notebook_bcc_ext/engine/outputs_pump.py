"""Carries outputs from the kernel to the notebook, in order, while the cell still runs."""

from __future__ import annotations

import asyncio

from notebook_bcc_ext.ports import NotebookDocument
from notebook_bcc_ext.protocol.notebook_ops import ChangeOutputs


class OutputsPump:
    """The runner reports synchronously; writing is asynchronous. Leaving waits for the rest."""

    def __init__(self, notebook: NotebookDocument) -> None:
        self._notebook = notebook
        self._waiting: list[ChangeOutputs] = []
        self._wake = asyncio.Event()
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    def put(self, changes: list[ChangeOutputs]) -> None:
        self._waiting.extend(changes)
        if self._task is None and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._write())
        self._wake.set()

    async def close(self) -> None:
        self._closed = True
        self._wake.set()
        if self._task is not None:
            await self._task
        await self._write_waiting()

    async def _write(self) -> None:
        while not self._closed:
            await self._wake.wait()
            self._wake.clear()
            await self._write_waiting()

    async def _write_waiting(self) -> None:
        while self._waiting:
            changes, self._waiting = self._waiting, []
            await self._notebook.change_outputs(changes)
