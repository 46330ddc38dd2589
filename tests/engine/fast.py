"""Whole runs in milliseconds: every port is in memory, and a run can be killed after every write.

room = Room(SCRIPT)
await room.to_end()             # with a person who says yes, resumes and retries
for moment in room.disk.moments:
    later = room.killed(moment) # another process, with what was durable then
    await later.to_end()
"""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from notebook_bcc_ext.actions.builtin import builtin_registry
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.protocol.browser.facts import FACTS, Asked, Fact, News
from notebook_bcc_ext.protocol.browser.runs import Command, CommandName, Pending, RunRequest
from notebook_bcc_ext.settings.names import Settings
from tests.engine.fast_ports import FastPlanner, FastRunner, Kernel, Script
from tests.support.fakes import Disk, MemoryNotebook, MemoryStore

Json = dict[str, Any]
RUN_ID = "run-1"
HANG_GUARD = 10
MOST_COMMANDS = 25
COUNTS = ("behaviors", "plan_revisions", "lines_skipped")


# -- the disk ---------------------------------------------------------------------------------


@dataclass
class Moment:
    """What a process leaves behind that is killed when this, and nothing later, is durable."""

    facts: list[str]
    """As text, in order."""
    request: Json | None
    cells: list[Json]
    metadata: Json
    last_written: str | None
    kernel: Kernel = field(default_factory=Kernel)
    """As it is at the latest then."""

    def read(self) -> list[Fact]:
        return [FACTS.validate_json(text) for text in self.facts]


class KillableDisk(Disk):
    """Keeps what every transaction left. They become durable as late as they may: when somebody
    waits."""

    def __init__(self, look: Callable[[], Moment], kernel: Callable[[], Kernel]) -> None:
        self.moments: list[Moment] = []
        self._look = look
        self._kernel = kernel
        self._durable = 0
        self._depth = 0
        self._changed = False

    def wrote(self) -> None:
        self._changed = True
        if not self._depth:
            self._changed = False
            self.moments.append(self._look())

    def waited(self) -> None:
        """Until now nothing was durable that was written since: the kernel may be ahead of it."""
        for moment in self.moments[max(self._durable - 1, 0) : -1]:
            moment.kernel = self._kernel()
        self._durable = len(self.moments)

    def close(self) -> None:
        self.waited()
        if self.moments:
            self.moments[-1].kernel = self._kernel()

    @contextmanager
    def together(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._changed and not self._depth:
                self.wrote()


# -- a run ------------------------------------------------------------------------------------


class Heard:
    """An event sink that wakes whoever waits."""

    def __init__(self) -> None:
        self.all: list[News] = []
        self._changed = asyncio.Event()

    def publish(self, _run_id: str, news: News) -> None:
        self.all.append(news)
        self._changed.set()

    def of(self, kind: type[Any]) -> list[Any]:
        return [news for news in self.all if isinstance(news, kind)]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG_GUARD):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


@dataclass(frozen=True)
class Person:
    """Resumes what is paused, retries what failed, and says yes where nothing else is wanted."""

    refuses: Callable[[Pending], bool] = lambda _pending: False
    after_failure: tuple[CommandName, ...] = ("retry",)

    def command(self, run: Run) -> CommandName | None:
        """What to do about a run that rests; None where nothing is to be done."""
        pending, allowed = run.world.state.pending, run.allowed_commands
        if pending is not None:
            return "reject" if self.refuses(pending) else "confirm"
        wanted: tuple[CommandName, ...] = ("resume", *self.after_failure)
        return next((command for command in wanted if command in allowed), None)


class Room:
    """One process with one run."""

    def __init__(
        self,
        script: Script,
        moment: Moment | None = None,
        *,
        request: Json | None = None,
        settings: Json | None = None,
    ) -> None:
        self._script = script
        self._request = request or {}
        self._settings = settings or {}
        self.kernel = copy.deepcopy(moment.kernel) if moment else Kernel()
        self.disk = KillableDisk(self._moment, lambda: copy.deepcopy(self.kernel))
        self.store = MemoryStore(disk=self.disk)
        self.notebook = MemoryNotebook("run.ipynb", disk=self.disk)
        if moment is not None:
            self._put_back(moment)
        self.runner = FastRunner(self.kernel)
        self.planner = FastPlanner(script)
        self.news = Heard()
        self.run = make_run(
            RUN_ID,
            RunRequest.model_validate(
                {
                    "notebook": "run.ipynb",
                    "planner": {"kind": "http", "url": "http://127.0.0.1:1"},
                    "goal": "a goal",
                    **self._request,
                }
            ),
            Settings(**self._settings),
            notebook=self.notebook,
            runner=self.runner,
            planner=self.planner,
            store=self.store,
            sink=self.news,
            registry=builtin_registry(),
            facts=moment.read() if moment else None,
        )

    def _put_back(self, moment: Moment) -> None:
        self.store.texts[RUN_ID] = dict(enumerate(moment.facts, start=1))
        if moment.request is not None:
            self.store.requests[RUN_ID] = copy.deepcopy(moment.request)
        self.notebook.cells = copy.deepcopy(moment.cells)
        self.notebook.metadata = copy.deepcopy(moment.metadata)
        self.notebook._last_written = moment.last_written

    def _moment(self) -> Moment:
        return Moment(
            facts=[text for _, text in sorted(self.store.texts.get(RUN_ID, {}).items())],
            request=copy.deepcopy(self.store.requests.get(RUN_ID)),
            cells=copy.deepcopy(self.notebook.cells),
            metadata=copy.deepcopy(self.notebook.metadata),
            last_written=self.notebook._last_written,
        )

    def killed(self, moment: Moment) -> Room:
        return Room(self._script, moment, request=self._request, settings=self._settings)

    async def to_end(self, person: Person | None = None, *, begins: bool = False) -> End:
        """`begins`: it is a new run."""
        person, run = person or Person(), self.run
        if begins:
            await run.save()
            run.start()
        for _ in range(MOST_COMMANDS):
            await self.news.until(lambda: run.resting or run.status in ("waiting", "paused"))
            command = person.command(run)
            if command is None:
                break
            await run.command(Command(command=command))
        await run.finished()
        self.disk.close()
        end = self.end()
        await run.close()
        return end

    def facts(self) -> list[Fact]:
        texts = sorted(self.store.texts[RUN_ID].items())
        return [FACTS.validate_json(text) for _, text in texts]

    def end(self) -> End:
        state, view = self.run.world.state, self.run.view()
        return End(
            state=str(state.state),
            error=state.error.message if state.error else None,
            cells=[_told(cell) for cell in self.notebook.cells],
            title=self.notebook.metadata.get("title"),
            steps={
                f"{stage.id}/{step.id}": f"{step.status} {step.behaviors}"
                for stage in view.progress.stages
                for step in stage.steps
            },
            counts={name: getattr(state.counts, name) for name in COUNTS},
            tree={
                node.key: node.status
                for node in self.run.world.ledger.activity.nodes()
                if node.level != "action"
            },
            variables=dict(state.variables),
            created=bool(state.created_at),
        )

    def unasked(self) -> set[str]:
        """Cells that the kernel was given more than once, and nobody was asked."""
        ran = Counter(cell_id for cell_id, _ in self.kernel.ran)
        asked = [one.question.content for one in self.news.of(Asked)]
        allowed = {cell for content in asked for cell in content.get("cell_ids", ())}
        allowed |= {content.get("codecell_id") for content in asked}
        return {cell_id for cell_id, times in ran.items() if times > 1} - allowed


@dataclass(frozen=True)
class End:
    """How a run ended: what has to be the same, however often its process was killed."""

    state: str
    error: str | None
    cells: list[str]
    title: str | None
    steps: dict[str, str]
    counts: dict[str, int]
    tree: dict[str, str]
    variables: Json
    created: bool

    def differences(self, other: End) -> list[str]:
        names = vars(self)
        return [
            f"{name}: {getattr(other, name)} instead of {getattr(self, name)}"
            for name in names
            if getattr(self, name) != getattr(other, name)
        ]


def _told(cell: Json) -> str:
    """A cell without what differs from one run to the next: ids and counts."""
    texts = [output.get("text") or output.get("evalue") for output in cell.get("outputs", [])]
    shown = f" -> {texts}" if texts else ""
    return f"{cell['cell_type']}: {cell['source']}{shown}"


# -- killed everywhere ------------------------------------------------------------------------


async def after_every_kill(
    room: Room, whole: End, person: Person | None = None, *, new_kernel: bool = False
) -> list[str]:
    """What is other than in the `whole` run that `room` had, where its process is killed after one
    of its writes and the run goes on in another one. Empty: nothing."""
    found: list[str] = []
    for number, moment in enumerate(room.disk.moments):
        if not moment.facts:
            continue
        if new_kernel:
            moment = replace(moment, kernel=Kernel("kernel-2"))  # noqa: PLW2901
        later = room.killed(moment)
        try:
            end = await later.to_end(person)
            wrong = whole.differences(end)
        except Exception as error:  # noqa: BLE001  it is what is looked for
            wrong = [repr(error)]
        wrong += [f"{cell} was run again unasked" for cell in sorted(later.unasked())]
        kinds = " ".join(fact.kind for fact in moment.read()[-6:])
        found += [f"killed after write {number} ({kinds}): {one}" for one in wrong]
    return found
