"""What the whole engine costs, beside what a user would use instead.

    python -m bench.bench_engine [--cells 1000] [--actions 10000] [--quick]

Per code cell `x=1; print(x)`: raw jupyter_client, nbclient, papermill, and ours with every action
durable before the next has an effect. They take turns, a few cells each, so that whatever else the
machine does hits all alike (papermill runs whole notebooks only, so it runs alone). A kernel's
start is left out everywhere. Also: whether later cells cost more, how long the event loop is held
by 200 behaviors and by one cell that prints 100 MB, and memory after many actions.

The garbage collector is set up as in the server (`jupyter_patches`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

import httpx
import nbformat
import papermill
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from bench.bench_kernel import CODE, WARM_UP_CELLS, raw_client, with_nbclient
from bench.event_loop import LongestBlock
from bench.verdicts import at_least, at_most
from notebook_bcc_ext.adapters.jupyter_patches.garbage_collection import leave_modules_alone
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.planner.factory import make_planner
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.protocol.browser.facts import News, StatusTold, Transitioned
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]
EDGE_CELLS = 100
TURN_CELLS = 10
MIB = 1024 * 1024


class Lines(httpx.AsyncByteStream):
    """A stream of actions that sends the next ones when it is told to."""

    def __init__(self, planner: PacedPlanner) -> None:
        self._planner = planner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (lines := await self._planner.next_lines.get()) is not None:
            for line in lines:
                yield json.dumps({"action": line}).encode() + b"\n"


class PacedPlanner(httpx.AsyncBaseTransport):
    """One stage, one step, `behaviors` behaviors; in process, so that it costs next to nothing."""

    def __init__(self, behaviors: int = 1) -> None:
        self.next_lines: asyncio.Queue[list[Json] | None] = asyncio.Queue()
        self._behaviors = behaviors

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(await request.aread())
        if request.url.path == "/generating":
            kind = {"Content-Type": "application/x-ndjson"}
            return httpx.Response(200, headers=kind, stream=Lines(self))
        return httpx.Response(200, json=self._judge(body))

    def _judge(self, body: Json) -> Json:
        context, location = body["observation"]["context"], body["observation"]["location"]
        if "behavior_feedback" in body:
            more = location["current"]["behavior_iteration"] < self._behaviors
            return {"targetAchieved": not more, "transition": {"continue_behaviors": more}}
        if context["FSM"]["state"] == "IDLE":
            workflow = {"stages": [{"id": "a", "steps": [{"id": "s"}]}]}
            return {"context_update": {"workflow_update": workflow}}
        return {"targetAchieved": context["FSM"]["state"].endswith("COMPLETED")}


class Watcher:
    """Wakes whoever waits for the next finished action."""

    def __init__(self) -> None:
        self.news = asyncio.Event()

    def publish(self, _run_id: str, news: News) -> None:
        if isinstance(news, Transitioned | StatusTold):
            self.news.set()


class OurRun:
    """A run whose actions are released one cell at a time."""

    def __init__(self, behaviors: int = 1) -> None:
        self.planner = PacedPlanner(behaviors)
        self._watcher = Watcher()

    async def __aenter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        root = Path(self._folder.name)
        self._storage = await Storage.open(root / "runs.db")
        limits = {"max_actions_per_behavior": 100_000, "max_behaviors_per_step": 10_000}
        settings = Settings.model_validate({"dslc_base_url": "http://bench", **limits})
        address = {"kind": "http", "url": "http://bench"}
        request = RunRequest.model_validate({"notebook": "a.ipynb", "planner": address})
        access = ContentsAccess(AsyncLargeFileManager(root_dir=str(root)))
        runner = KernelRunner(OwnKernelSource())
        await runner.start()
        self.run: Run = make_run(
            "bench",
            request,
            settings,
            notebook=ContentsNotebook("a.ipynb", access, self._storage.log),
            runner=runner,
            planner=make_planner(settings, lambda _: None, self.planner),
            store=self._storage.runs,
            sink=self._watcher,
        )
        await self.run.save()
        self.run.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.run.close()
        await self._storage.close()
        self._folder.cleanup()

    async def send(self, *actions: Json) -> float:
        """Release the actions and wait until they are done; the seconds it took."""
        wanted = self._done + len(actions)
        began = time.perf_counter()
        await self.planner.next_lines.put(list(actions))
        while self._done < wanted:
            if self.run.resting:
                raise RuntimeError(f"the run stopped: {self.run.world.state.error}")
            self._watcher.news.clear()
            await self._watcher.news.wait()
        return time.perf_counter() - began

    @property
    def _done(self) -> int:
        return self.run.world.state.counts.actions_succeeded


def add(content: str, shot_type: str) -> Json:
    return {"action": "add", "shot_type": shot_type, "content": content}


RUN_LAST = {"action": "exec", "codecell_id": "lastAddedCellId"}


async def ours() -> AsyncIterator[float]:
    async with OurRun() as room:
        while True:
            yield await room.send(add(CODE, "action"), RUN_LAST)


def with_papermill(cells: int) -> float:
    """Seconds per cell, the kernel's start taken off."""

    def run(count: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            notebook = nbformat.v4.new_notebook(
                cells=[nbformat.v4.new_code_cell(CODE) for _ in range(count)]
            )
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
            notebook.metadata["language_info"] = {"name": "python"}
            source, target = Path(folder, "in.ipynb"), Path(folder, "out.ipynb")
            nbformat.write(notebook, source)
            began = time.perf_counter()
            papermill.execute_notebook(source, target, progress_bar=False)
            return time.perf_counter() - began

    return (run(cells) - run(1)) / (cells - 1)


async def compare(cells: int) -> None:
    print(f"ms per code cell `{CODE}`, {cells} cells")
    laps = {"raw jupyter_client": raw_client(), "nbclient": with_nbclient(), "notebook-bcc": ours()}
    seconds: dict[str, list[float]] = {name: [] for name in laps}
    for _ in range(0, WARM_UP_CELLS + cells, TURN_CELLS):
        for name, lap in laps.items():
            # Not one cell each: what one of them still does afterwards would slow down the next.
            seconds[name] += [await anext(lap) for _ in range(TURN_CELLS)]
    for lap in laps.values():
        await lap.aclose()  # type: ignore[attr-defined]
    means = {name: statistics.mean(measured[WARM_UP_CELLS:]) for name, measured in seconds.items()}
    means["papermill"] = await asyncio.to_thread(with_papermill, cells)
    raw, own = means["raw jupyter_client"], means["notebook-bcc"]
    for name, mean in means.items():
        print(f"  {name:<20} {mean * 1000:7.2f} ms   {mean / raw:5.2f} x raw")
    at_most("a cell, against raw jupyter_client", 1.5, own / raw, "x")
    at_least("papermill's cell, against ours", 10, means["papermill"] / own, "x")
    edge = min(EDGE_CELLS, cells // 2)
    growth = {name: last_against_first(measured, edge) for name, measured in seconds.items()}
    at_most(f"the last {edge} cells, against the first", 1.2, growth["notebook-bcc"], "x")
    # The kernel is the same, and the machine may be quicker at one end than at the other.
    print(f"  the same of raw jupyter_client: {growth['raw jupyter_client']:.2f} x")


def last_against_first(measured: list[float], edge: int) -> float:
    cells = measured[WARM_UP_CELLS:]
    return statistics.median(cells[-edge:]) / statistics.median(cells[:edge])


async def many_behaviors(behaviors: int) -> None:
    """The server's loop stays free: what a browser waits for while runs go on."""
    async with OurRun(behaviors) as room, LongestBlock() as block:
        for _ in range(behaviors):
            await room.send(add("text", "dialogue"), add(CODE, "action"), RUN_LAST)
            await room.planner.next_lines.put(None)
        await room.run.finished()
        assert room.run.status == "done", room.run.world.state.error
    at_most(f"event loop held, {behaviors} behaviors", 50, block.longest_ms, "ms")


async def flood() -> None:
    """One cell that prints more than anybody can read."""
    async with OurRun() as room:
        await room.send(add(CODE, "action"), RUN_LAST)
        async with LongestBlock() as block:
            await room.send(add("print('x' * 100_000_000)", "action"), RUN_LAST)
    at_most("event loop held, 100 MB printed", 50, block.longest_ms, "ms")


async def memory(actions: int) -> None:
    async with OurRun() as room:
        for _ in range(200):
            await room.send(add("text", "dialogue"))
        before = resident_mib()
        for _ in range(actions // 2):
            await room.send(add(CODE, "action"), RUN_LAST)
        grown = resident_mib() - before
    at_most(f"memory after {actions:,} actions, grown by", 50, grown, "MiB")


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MIB


async def main(cells: int, actions: int, behaviors: int) -> None:
    leave_modules_alone()
    await memory(actions)
    await many_behaviors(behaviors)
    await flood()
    await compare(cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--behaviors", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    counts = (options.cells, options.actions, options.behaviors)
    asyncio.run(main(*(count // share for count in counts)))
