"""Writes into a notebook until it is killed, and notes what has been acknowledged.

Run by `test_kill` in a process of its own.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import LargeFileManager

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.ports import NewCell
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs
from tests.support.cells import show

MOST_CELLS = 5_000


def write_until_killed(folder: str, round_number: int, *, atomic: bool) -> None:
    os.environ["JUPYTER_DATA_DIR"] = folder
    asyncio.run(_write(Path(folder), round_number, atomic=atomic))


async def _write(folder: Path, round_number: int, *, atomic: bool) -> None:
    manager = LargeFileManager(root_dir=str(folder / "root"), use_atomic_writing=atomic)
    database = Database(folder / "runs.db")
    # Writing all the time: most kills then fall into a save.
    access = ContentsAccess(manager, flush_share=1.0)
    document = ContentsNotebook(
        "a.ipynb", access, OperationLog(database, keep_operations=50), flush_interval=0.0
    )
    await document.open()
    acknowledged = os.open(folder / "acknowledged", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    for number in range(MOST_CELLS):
        await document.ready()
        cell_id = document.insert(
            NewCell("code", "text " * 200, wanted_id=f"r{round_number}-{number}")
        )
        await document.stored()
        os.write(acknowledged, f"cell {cell_id}\n".encode())
        await document.start_execution(cell_id)
        for letter in "abc":
            await show(document, _step(cell_id, letter))
        document.finish_execution(cell_id, number)
        # Durable with the next change.
        await document.set_metadata(cell_id, {"tried": number})
        os.write(acknowledged, f"done {cell_id} {number}\n".encode())


def _step(cell_id: str, letter: str) -> ChangeOutputs:
    if letter == "a":
        first = {"output_type": "stream", "name": "stdout", "text": "a"}
        return ChangeOutputs(cell_id=cell_id, change="append", outputs=[first])
    return ChangeOutputs(cell_id=cell_id, change="extend", index=0, text=letter)
