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
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from notebook_bcc_ext.actions.builtin import builtin_registry
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.ports import (
    CellError,
    OutputListener,
    Overwritten,
    RunResult,
    Variables,
)
from notebook_bcc_ext.protocol.browser.facts import FACTS, Asked, Fact, News
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs
from notebook_bcc_ext.protocol.browser.runs import Command, CommandName, Pending, RunRequest
from notebook_bcc_ext.protocol.planner.calls import BehaviorInfo, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.settings.names import Settings
from tests.support.fakes import Disk, MemoryNotebook, MemoryStore

Json = dict[str, Any]
RUN_ID = "run-1"
HANG_GUARD = 10
MOST_COMMANDS = 25
COUNTS = ("behaviors", "plan_revisions", "lines_skipped")
_ASSIGNED = re.compile(r"^(\w+) = ", re.MULTILINE)


# -- the planner ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Script:
    """What the planner says, by the place it is asked about: the same question has the same answer,
    in whatever process."""

    stages: Mapping[str, Sequence[str]]
    behaviors: Mapping[str, Sequence[Sequence[Json]]] = field(default_factory=dict)
    """By step, one after the other."""
    said: Mapping[str, Json] = field(default_factory=dict)
    """By `STATE`, `STATE step` or `feedback step iteration`, what an answer has besides."""

    @property
    def workflow(self) -> Json:
        stages = [
            {"id": stage, "steps": [{"id": step} for step in steps]}
            for stage, steps in self.stages.items()
        ]
        return {"name": "fast", "stages": stages}


class _Lines:
    def __init__(self, lines: Sequence[Json]) -> None:
        self._lines = lines
        self.behavior: BehaviorInfo | None = None
        self.beside: PlanningAnswer | None = None

    async def __aiter__(self) -> AsyncIterator[Json]:
        for line in self._lines:
            yield copy.deepcopy(line)


class FastPlanner:
    def __init__(self, script: Script) -> None:
        self._script = script
        self.asked: list[str] = []

    def adopt(self, settings: Settings) -> None: ...

    async def plan(self, request: PlannerRequest) -> PlanningAnswer:
        wire = request.to_wire()
        here = wire["observation"]["location"]["current"]
        state, step = wire["observation"]["context"]["FSM"]["state"], here["step_id"]
        count = len(self._script.behaviors.get(step or "", ()))
        if "behavior_feedback" in wire:
            iteration = here["behavior_iteration"]
            self.asked.append(f"feedback {step} {iteration}")
            more = iteration < count
            answer: Json = {
                "targetAchieved": not more,
                "transition": {"continue_behaviors": more},
            }
            names = [f"feedback {step} {iteration}"]
        else:
            self.asked.append(f"{state} {step}")
            done = state in ("STEP_COMPLETED", "STAGE_COMPLETED")
            answer = {"targetAchieved": done or (state == "STEP_RUNNING" and count == 0)}
            if state == "IDLE":
                answer["context_update"] = {"workflow_update": self._script.workflow}
            names = [state, f"{state} {step}"]
        for name in names:
            answer |= copy.deepcopy(self._script.said.get(name, {}))
        return PlanningAnswer.parse(answer)

    @asynccontextmanager
    async def generate(self, request: PlannerRequest) -> AsyncIterator[_Lines]:
        here = request.observation.location.current
        self.asked.append(f"generating {here.step_id} {here.behavior_iteration}")
        behaviors = self._script.behaviors.get(here.step_id or "", ())
        wanted = (here.behavior_iteration or 1) - 1
        yield _Lines(behaviors[wanted] if wanted < len(behaviors) else ())

    async def close(self) -> None: ...


# -- the kernel -------------------------------------------------------------------------------


@dataclass
class Kernel:
    """Outlives the processes that use it."""

    identity: str = "kernel-1"
    ran: list[tuple[str, str]] = field(default_factory=list)
    """Every cell that came to it, and its code."""
    names: dict[str, str] = field(default_factory=dict)

    def run(self, cell_id: str, code: str) -> str | None:
        """The error, if it fails: `boom` always does, `flaky` the first time."""
        before = [known for _, known in self.ran]
        self.ran.append((cell_id, code))
        if "boom" in code or ("flaky" in code and code not in before):
            return "it does not work"
        self.names |= dict.fromkeys(_ASSIGNED.findall(code), "made")
        return None


class FastRunner:
    language = "python"

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.identity: str | None = None
        self.theirs: Sequence[str] | None = None
        self.while_running: Callable[[str], None] = lambda _cell_id: None

    async def start(self, known: str | None = None) -> None:  # noqa: ARG002  there is only one
        self.identity = self.kernel.identity

    def belong(self, run_id: str, theirs: Sequence[str] | None) -> None:  # noqa: ARG002
        self.theirs = theirs

    async def run(
        self, code: str, cell_id: str, on_outputs: OutputListener, names: Sequence[str] = ()
    ) -> RunResult:
        self.theirs = self.theirs or []
        error = self.kernel.run(cell_id, code)
        self.while_running(cell_id)
        output: Json = {"output_type": "stream", "name": "stdout", "text": f"of {code}"}
        if error is not None:
            output = {"output_type": "error", "ename": "E", "evalue": error, "traceback": []}
        on_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[output])])
        return RunResult(
            status="ok" if error is None else "error",
            execution_count=len(self.kernel.ran),
            outputs=[output],
            error=None if error is None else CellError("E", error, "Traceback"),
            present=frozenset(await self.present(names)),
        )

    async def variables(self) -> Variables:
        return Variables(dict(self.kernel.names))

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        return dict(strategies)

    async def present(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if name in self.kernel.names}

    async def importable(self, modules: Sequence[str]) -> set[str]:
        return set(modules)

    async def promote(self, old: str, new: str) -> None:
        if old in self.kernel.names:
            self.kernel.names[new] = self.kernel.names.pop(old)

    async def overwritten(self) -> Overwritten:
        return Overwritten()

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:
        for name in temporaries:
            self.kernel.names.pop(name, None)
        return Overwritten()

    async def interrupt(self) -> None: ...

    def mark_used(self) -> None: ...

    def adopt(self, settings: Settings) -> None: ...

    async def close(self) -> None: ...


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
