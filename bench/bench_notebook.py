"""What a cell costs in notebooks of different sizes, and how long the event loop is held up.

    python bench/bench_notebook.py

A cell is: insert, read back its source, start, one output, finish; each durable before the next.
The file is flushed in the background meanwhile, as in a run.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

SIZES = (10, 1_000, 5_000)
CELLS = 400
OPERATIONS = 2_000
FLUSH_SHARE = 0.05


async def open_notebook(folder: Path, size: int, flush_interval: float = 2.0) -> tuple[Any, Any]:
    from jupyter_server.services.contents.largefilemanager import (  # noqa: PLC0415
        AsyncLargeFileManager,
    )

    from notebook_bcc_ext.adapters.notebook.apply import empty_notebook  # noqa: PLC0415
    from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess  # noqa: PLC0415
    from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook  # noqa: PLC0415
    from notebook_bcc_ext.adapters.store.database import Database  # noqa: PLC0415
    from notebook_bcc_ext.adapters.store.operation_log import OperationLog  # noqa: PLC0415

    root = folder / f"root-{size}"
    root.mkdir()
    manager = AsyncLargeFileManager(root_dir=str(root))
    notebook = empty_notebook({})
    notebook["cells"] = [
        {
            "id": f"old-{number}",
            "cell_type": "code",
            "metadata": {},
            "source": f"x = {number}\nprint(x)",
            "execution_count": number,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": f"{number}\n"}],
        }
        for number in range(size)
    ]
    model = {"type": "notebook", "format": "json", "content": notebook}
    await manager.save(model, "a.ipynb")
    database = Database(folder / f"runs-{size}.db")
    access = ContentsAccess(manager, flush_share=FLUSH_SHARE)
    document = ContentsNotebook(
        "a.ipynb", access, OperationLog(database), flush_interval=flush_interval
    )
    await document.open()
    return document, database


async def write_cell(document: Any, number: int) -> None:
    from notebook_bcc_ext.ports import NewCell  # noqa: PLC0415
    from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs  # noqa: PLC0415

    await document.ready()
    cell_id = document.insert(NewCell("code", f"x = {number}\nprint(x)"))
    await document.stored()
    await document.text_of(cell_id)
    await document.start_execution(cell_id)
    output = {"output_type": "stream", "name": "stdout", "text": f"{number}\n"}
    document.post_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[output])])
    await document.stored()
    document.finish_execution(cell_id, number)


async def write_cells(document: Any, count: int) -> None:
    for number in range(count):
        await write_cell(document, number)


async def longest_block_during(work: Coroutine[Any, Any, None]) -> float:
    """The longest time the loop did not get round to a task that is always ready to run."""
    task = asyncio.create_task(work)
    longest = 0.0
    last = time.perf_counter()
    while not task.done():
        await asyncio.sleep(0)
        now = time.perf_counter()
        longest = max(longest, now - last)
        last = now
    return longest


async def cost_per_cell(folder: Path, size: int) -> float:
    """Between flushes and during one, weighted with the share of the time that flushes get."""
    document, database = await open_notebook(folder, size, flush_interval=3600.0)
    between = [await timed_cell(document, number) for number in range(CELLS)]
    started = time.perf_counter()
    flush = asyncio.create_task(document.flush())
    during: list[float] = []
    while not flush.done():
        during.append(await timed_cell(document, len(during)))
    flush_time = time.perf_counter() - started
    await document.close()
    await database.close()
    low, high = statistics.mean(between), statistics.mean(during)
    cost = (1 - FLUSH_SHARE) * low + FLUSH_SHARE * high
    print(
        f"{size:>6} cells: {cost * 1e3:5.2f} ms a cell ({low * 1e3:.2f} between flushes,"
        f" {high * 1e3:.2f} during one, which takes {flush_time * 1e3:.0f} ms)"
    )
    return cost


async def timed_cell(document: Any, number: int) -> float:
    started = time.perf_counter()
    await write_cell(document, number)
    return time.perf_counter() - started


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.environ["JUPYTER_DATA_DIR"] = name
        folder = Path(name)
        costs = [await cost_per_cell(folder, size) for size in SIZES]
        for size, cost in zip(SIZES[1:], costs[1:], strict=True):
            print(f"ratio {size} / {SIZES[0]} cells: {cost / costs[0]:.2f}")
        document, database = await open_notebook(folder, 100)
        idle = await longest_block_during(asyncio.sleep(2.0))
        busy = await longest_block_during(write_cells(document, OPERATIONS // 5))
        print(
            f"longest block of the event loop: {busy * 1e3:.1f} ms in {OPERATIONS} operations,"
            f" {idle * 1e3:.1f} ms in two idle seconds"
        )
        await document.close()
        await database.close()


if __name__ == "__main__":
    asyncio.run(main())
