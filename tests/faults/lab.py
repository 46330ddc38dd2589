"""Where faults are injected: a real server, planners that misbehave, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

Json = dict[str, Any]

SITE = Path(__file__).parent / "site"
OPTIONS: Json = {
    "read_timeout": 1.5,
    "idle_timeout": 1.5,
    "total_timeout": 5,
    "planner_tries": 2,
    "max_answer_bytes": 200_000,
    "max_line_bytes": 50_000,
    "custom_action_seconds": 1,
}
FAULTY_CONTENTS = ("--ServerApp.contents_manager_class=bcc_faults.FaultyContents",)


@dataclass(frozen=True)
class Outcome:
    """What the person finds: status and state of the run, and the words that tell."""

    status: str
    state: str
    message: str


@dataclass(frozen=True)
class Expected:
    """Regular expressions, for what depends on when it is noticed."""

    status: str
    state: str
    words: str
    """To be found in the message."""


@dataclass
class Lab:
    server: RealServer
    notebook: str = "run.ipynb"

    @property
    def file(self) -> Path:
        return self.server.notebooks / self.notebook

    async def start(self, url: str, **fields: Any) -> str:
        address = {"kind": "http", "url": url}
        run = await self.server.start_run({"notebook": self.notebook, "planner": address, **fields})
        return str(run["id"])

    async def outcome(self, run_id: str, *statuses: str) -> Outcome:
        """As soon as the run rests, or is in one of those statuses."""
        view = await self.server.until(run_id, *(statuses or ("done", "failed", "paused")))
        return Outcome(view["status"], view["state"], await self._told(run_id, view))

    async def _told(self, run_id: str, view: Json) -> str:
        if view["error"] is not None:
            return str(view["error"]["message"])
        if view["pending"] is not None:
            return str(view["pending"]["summary"])
        observation = (await self.server.get(f"runs/{run_id}/observation"))["observation"]
        effects = observation["context"]["effects"]
        warnings = [text for text in (*effects["history"], *effects["current"]) if "WARN" in text]
        return warnings[-1] if warnings else "nothing to complain about"

    async def still_stands(self) -> None:
        """Whatever happened: the server answers, and the notebook on the disk is sound."""
        assert (await self.server.ask("GET", "status")).status_code == 200
        assert (await self.server.ask("GET", "/api/contents")).status_code == 200
        if self.file.exists():
            await self.sources()

    async def sources(self) -> list[str]:
        """Of the file, once nobody is writing it: jupyter_server writes in place."""
        for _ in range(50):
            with suppress(nbformat.reader.NotJSONError):
                notebook = nbformat.read(self.file, as_version=4)
                nbformat.validate(notebook)
                return [cell.source for cell in notebook.cells]
            await asyncio.sleep(0.1)
        raise AssertionError(f"no notebook: {self.file.read_text()[:200]!r}")


@asynccontextmanager
async def lab(
    home: Path, *, contents: bool = False, notebooks: Path | None = None, **options: Any
) -> AsyncIterator[Lab]:
    server = RealServer(
        home,
        notebooks=notebooks,
        options={**OPTIONS, **options},
        environment={"PYTHONPATH": str(SITE)},
        arguments=FAULTY_CONTENTS if contents else (),
    )
    async with server:
        yield Lab(server)


@asynccontextmanager
async def planner(*actions: Any, second: tuple[Any, ...] = ()) -> AsyncIterator[ScriptedPlanner]:
    """One step with these actions, and another behind it."""
    async with ScriptedPlanner() as scripted:
        scripted.workflow({"a": ["s1", "s2"]})
        scripted.step("s1", behaviors=[actions or (say("one"), add("print(1)"), RUN)])
        scripted.step("s2", behaviors=[second or (say("two"),)])
        yield scripted


Fault = Callable[[Path], Awaitable[Outcome]]
FAULTS: dict[str, tuple[Fault, Expected]] = {}


def fault(name: str, status: str, state: str, words: str) -> Callable[[Fault], Fault]:
    def keep(function: Fault) -> Fault:
        FAULTS[name] = (function, Expected(status, state, words))
        return function

    return keep
