"""A whole run for tests: a planner service on loopback, a real kernel, a real notebook file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.planner.factory import make_planner
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore
from notebook_bcc_ext.engine.factory import default_registry, make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.ports import CallRecord
from notebook_bcc_ext.protocol.browser.facts import News, Noticed, Said, Transitioned
from notebook_bcc_ext.protocol.browser.runs import Command, RunRequest
from notebook_bcc_ext.settings.names import Settings
from tests.support.planner_server import ScriptedPlanner

Json = dict[str, Any]
HANG_GUARD = 30
N = TypeVar("N")


class Events:
    """An event sink that remembers."""

    def __init__(self) -> None:
        self.all: list[News] = []
        self._changed = asyncio.Event()

    def publish(self, _run_id: str, news: News) -> None:
        self.all.append(news)
        self._changed.set()

    def of(self, kind: type[N]) -> list[N]:
        return [news for news in self.all if isinstance(news, kind)]

    def said(self, name: str) -> list[Json]:
        """What an action wanted to have told under that name."""
        return [sign.payload for sign in self.of(Said) if sign.name == name]

    async def until(self, condition: Callable[[], Any]) -> None:
        async with asyncio.timeout(HANG_GUARD):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


class Lab:
    """One run and everything around it."""

    def __init__(self, run: Run, planner: ScriptedPlanner, events: Events, file: Path) -> None:
        self.run = run
        self.planner = planner
        self.events = events
        self.file = file
        self.calls: list[CallRecord] = []

    @property
    def state(self) -> str:
        return self.run.world.state.state.value

    async def to_rest(self) -> None:
        """Until the run is done, failed, cancelled, paused by an error, or waits for somebody."""
        await self.events.until(
            lambda: self.run.resting or self.run.status in ("waiting", "paused")
        )
        if self.run.resting:
            await self.run.finished()

    async def command(self, name: Any, by: str | None = None, **fields: Any) -> None:
        await self.run.command(Command(command=name, **fields), by)

    async def go(self) -> None:
        """Start, and wait for rest."""
        self.run.start()
        await self.to_rest()

    async def answer(self, name: Any, **fields: Any) -> None:
        """Answer the open question, and wait for rest."""
        assert self.run.status == "waiting"
        await self.command(name, **fields)
        await self.to_rest()

    async def cells(self) -> list[Any]:
        await self.run.world.notebook.flush()
        notebook = nbformat.read(self.file, as_version=4)
        nbformat.validate(notebook)
        return list(notebook.cells)

    async def sources(self) -> list[str]:
        return [cell.source for cell in await self.cells()]

    def path(self) -> list[str]:
        """The events the machine went through."""
        return [fact.event for fact in self.events.of(Transitioned)]

    def states(self) -> list[str]:
        return [fact.to_state for fact in self.events.of(Transitioned)]

    def warnings(self) -> list[str]:
        told = [notice for notice in self.events.of(Noticed) if notice.to_person]
        return [notice.text for notice in told if notice.level == "warning"]

    def feedback(self) -> list[Json]:
        return [s.body["behavior_feedback"] for s in self.planner.requests if s.is_feedback]


@asynccontextmanager
async def lab(
    folder: Path,
    stages: Mapping[str, list[str]] | Json | None = None,
    *,
    request: Json | None = None,
    registry: Any = None,
    store_patience_s: float = 5.0,
    **settings: Any,
) -> AsyncIterator[Lab]:
    events = Events()
    database = Database(folder / "store.db", busy_timeout_s=store_patience_s)
    await database.open()
    async with ScriptedPlanner() as planner:
        planner.workflow(stages if stages is not None else {"load": ["read"]})
        chosen = Settings(
            dslc_base_url=planner.url, retry_wait=0.01, retry_wait_max=0.05, **settings
        )
        access = ContentsAccess(AsyncLargeFileManager(root_dir=str(folder)))
        notebook = ContentsNotebook("run.ipynb", access, OperationLog(database))
        calls: list[CallRecord] = []
        run = make_run(
            "run-1",
            RunRequest.model_validate(
                {
                    "notebook": "run.ipynb",
                    "planner": {"kind": "http", "url": planner.url},
                    **(request or {}),
                }
            ),
            chosen,
            notebook=notebook,
            runner=KernelRunner(OwnKernelSource()),
            planner=make_planner(chosen, calls.append),
            store=SqliteRunStore(database),
            sink=events,
            registry=registry or default_registry(),
        )
        await run.save()
        room = Lab(run, planner, events, folder / "run.ipynb")
        room.calls = calls
        try:
            yield room
        finally:
            await run.close()
            await database.close()
