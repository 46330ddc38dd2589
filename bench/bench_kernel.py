"""What a code cell costs in a kernel: raw jupyter_client, nbclient, and our runner.

    python -m bench.bench_kernel [--cells 300] [--quick]

Every contender runs the same `x=1; print(x)` cells in a kernel of its own. They take turns, cell by
cell, so that whatever else the machine does hits all of them alike; a kernel's start is left out.
Also printed: the price of a snapshot with 1,000 user variables, small ones and large ones, with the
runner's usual limit of names and with all of them told.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import time
from collections.abc import AsyncGenerator, Callable

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode, from_dict

from bench.verdicts import at_most
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.adapters.kernel.variables import VariableLimits

CODE = "x=1; print(x)"
WARM_UP_CELLS = 10

USER_VARIABLES = 1_000

Laps = AsyncGenerator[float, None]

# Lists, strings and arrays in turn: only their size differs between small and large.
USER_CODE = """
import numpy as np
for i in range({names}):
    globals()[f'v{{i}}'] = [list(range({size})), 'x' * {size}, np.zeros({size})][i % 3]
"""
SIZES = {"small": 10, "large": 100_000}
SNAPSHOT_MS = 20.0
# Not growing with the variables' size: within what two measurements of the same differ by.
GROWTH = 1.5


async def raw_client() -> Laps:
    """The least a client can do: send, then wait for reply and idle."""
    manager = AsyncKernelManager()
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        while True:
            began = time.perf_counter()
            request = client.execute(CODE)
            idle = False
            while not idle:
                message = await client.get_iopub_msg(timeout=30)
                ours = message["parent_header"].get("msg_id") == request
                idle = ours and message["content"].get("execution_state") == "idle"
            await client.get_shell_msg(timeout=30)
            yield time.perf_counter() - began
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


def notebook_node(content: dict[str, object]) -> NotebookNode:
    return from_dict(content)  # type: ignore[no-any-return]


async def with_nbclient() -> Laps:
    notebook = notebook_node({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    client = NotebookClient(notebook)
    async with client.async_setup_kernel():
        for index in itertools.count():
            cell = notebook_node(
                {"cell_type": "code", "source": CODE, "metadata": {}, "outputs": []}
            )
            notebook.cells.append(cell)
            began = time.perf_counter()
            await client.async_execute_cell(cell, index)
            yield time.perf_counter() - began


async def with_runner() -> Laps:
    runner = KernelRunner(OwnKernelSource())
    await runner.start()
    try:
        for index in itertools.count():
            began = time.perf_counter()
            await runner.run(CODE, f"cell-{index}", lambda _: None)
            yield time.perf_counter() - began
    finally:
        await runner.close()


async def snapshots(code: str, limit: int, rounds: int = 20) -> tuple[float, float]:
    """Milliseconds for a first, whole snapshot, and for one after a variable changed."""
    limits = VariableLimits(max_names=limit)
    runner = KernelRunner(OwnKernelSource(), variable_limits=limits)
    await runner.start()
    await runner.variables()
    await runner.run(code, "cell", lambda _: None)
    began = time.perf_counter()
    first = await runner.variables()
    whole = time.perf_counter() - began
    assert len(first.values) == limit
    newest = f"v{USER_VARIABLES - 1}"
    later = []
    for index in range(rounds):
        await runner.run(f"{newest} = {index}", "cell", lambda _: None)
        began = time.perf_counter()
        variables = await runner.variables()
        later.append(time.perf_counter() - began)
        assert variables.values[newest] == index
    await runner.close()
    return whole * 1000, statistics.median(later) * 1000


async def cells_in_turn(cells: int) -> dict[str, list[float]]:
    contenders: dict[str, Callable[[], Laps]] = {
        "raw jupyter_client": raw_client,
        "nbclient": with_nbclient,
        "notebook-bcc": with_runner,
    }
    laps = {name: contender() for name, contender in contenders.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(WARM_UP_CELLS + cells):
        for name, lap in laps.items():
            seconds[name].append(await anext(lap))
    for lap in laps.values():
        await lap.aclose()
    return {name: measured[WARM_UP_CELLS:] for name, measured in seconds.items()}


async def main(cells: int) -> None:
    print(f"ms per code cell `{CODE}`, {cells} cells")
    measured = await cells_in_turn(cells)
    raw = statistics.median(measured["raw jupyter_client"])
    for name, seconds in measured.items():
        median, mean = statistics.median(seconds), statistics.fmean(seconds)
        figures = f"median {median * 1000:6.2f}   mean {mean * 1000:6.2f}"
        print(f"  {name:20} {figures}   {median / raw:5.2f} x raw")
    print(f"ms per snapshot with {USER_VARIABLES} user variables")
    for told in (VariableLimits().max_names, USER_VARIABLES):
        slowest = {}
        for name, size in SIZES.items():
            code = USER_CODE.format(names=USER_VARIABLES, size=size)
            whole, change = await snapshots(code, told)
            print(f"  {told} told, {name:10} whole {whole:6.2f}   after a change {change:6.2f}")
            slowest[name] = max(whole, change)
        most = max(slowest.values())
        at_most(f"snapshot, {told} variables told", SNAPSHOT_MS, most, "ms")
        growth = slowest["large"] / slowest["small"]
        at_most(f"large variables / small ones, {told} told", GROWTH, growth, "x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="fewer cells")
    options = parser.parse_args()
    asyncio.run(main(50 if options.quick else options.cells))
