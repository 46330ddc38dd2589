"""Runners on real kernels for tests: one with a kernel of its own, one in a Jupyter server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.session import SessionKernelSource
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.ports import RunResult
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs, SetWidgets

SOURCES = ("own", "session")
NOTEBOOK = "analysis.ipynb"


@contextmanager
def runner_on(kind: str, request: pytest.FixtureRequest, **options: Any) -> Iterator[KernelRunner]:
    """A started runner, closed at the end."""
    loop = request.getfixturevalue("jp_asyncio_loop")
    source: OwnKernelSource | SessionKernelSource
    if kind == "own":
        source = OwnKernelSource()
    else:
        app = request.getfixturevalue("jp_serverapp")
        source = SessionKernelSource(app.session_manager, app.kernel_manager, NOTEBOOK)
    runner = KernelRunner(source, **options)
    loop.run_until_complete(runner.start())
    try:
        yield runner
    finally:
        loop.run_until_complete(runner.close())


class Notebook:
    """Outputs by cell, as somebody gets them who only hears the reported changes."""

    def __init__(self) -> None:
        self.cells: dict[str, list[dict[str, Any]]] = {}
        self.revisions: dict[str, list[int]] = {}
        self.reports = 0

    def apply(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        self.reports += 1
        for change in changes:
            if isinstance(change, SetWidgets):
                continue
            outputs = self.cells.setdefault(change.cell_id, [])
            self.revisions.setdefault(change.cell_id, []).append(change.revision)
            match change.change:
                case "clear":
                    outputs.clear()
                case "append":
                    outputs.extend(change.outputs)
                case "set":
                    outputs[:] = change.outputs
                case "replace":
                    outputs[change.index] = change.outputs[0]
                case "extend":
                    stream = outputs[change.index]
                    outputs[change.index] = {**stream, "text": stream["text"] + change.text}

    async def until_shown(self, cell_id: str = "cell") -> None:
        """A cell that prints first shows by its output that it is running."""
        for _ in range(400):
            if self.cells.get(cell_id):
                return
            await asyncio.sleep(0.025)
        pytest.fail(f"cell {cell_id} showed nothing")

    async def run(self, runner: KernelRunner, code: str, cell_id: str = "cell") -> RunResult:
        """Run the cell; what was reported must be what the result says."""
        self.cells[cell_id] = []
        result = await runner.run(code, cell_id, self.apply)
        assert self.cells[cell_id] == result.outputs
        return result


def text_of(result: RunResult, name: str = "stdout") -> str:
    return "".join(o["text"] for o in result.outputs if o.get("name") == name)
