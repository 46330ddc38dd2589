"""What the engine needs from the world, as Protocols.

Adapters fill them: a notebook behind the contents manager, a kernel, a planner service, SQLite,
the browser's event stream. `tests/contracts` holds one suite per port.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from notebook_bcc_ext.protocol.browser.facts import Fact, News, Summed
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs, SetWidgets, fingerprint
from notebook_bcc_ext.protocol.planner.calls import BehaviorInfo, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.protocol.planner.ndjson import BadLine
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation, NotebookSummary
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]


# -- notebook ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class NewCell:
    """A cell to write. `wanted_id` becomes the cell id as far as nbformat and uniqueness allow."""

    cell_type: Literal["markdown", "code"]
    source: str
    metadata: Json = field(default_factory=dict)
    wanted_id: str | None = None


class CellText(NamedTuple):
    cell_type: str
    source: str
    mark: Json | None = None
    """Its provenance; empty or None where no run wrote it."""

    @property
    def untouched(self) -> bool:
        """Whether it is as a run wrote it."""
        written = (self.mark or {}).get("written")
        return written is not None and written == fingerprint(self.cell_type, self.source)


@dataclass(frozen=True)
class Removed:
    """What became of cells that were to go, by id."""

    gone: Sequence[str] = ()
    kept: Sequence[str] = ()
    """A person has changed them, so they are theirs."""


class NotebookDocument(Protocol):
    """One notebook, written by cell id. Changes are kept in their order. Those of an `async` method
    are durable on return; what is posted is durable when the next change is, or `stored` has
    returned."""

    @property
    def path(self) -> str: ...

    async def open(self, *, again: bool = False) -> None:
        """Load the notebook; make it when it does not exist. `again`: a run has worked in it, so
        if it is not there NotebookGoneError is raised, at first; whoever comes back gets it made
        again from the log."""

    def summary(self) -> NotebookSummary:
        """Title, size and last output, kept up to date: no work that grows with the notebook."""

    def recent_cells(self, limit: int) -> list[Json]:
        """The latest cells, oldest of them first."""

    def notebook_metadata(self) -> Json: ...

    def take_notices(self) -> list[str]:
        """What others did to the notebook, as sentences for the person; each is told once."""

    async def text_of(self, cell_id: str) -> CellText | None:
        """The cell as it is now, the user's edits included; None when the cell is gone."""

    async def ready(self) -> None:
        """Wait until a cell can be inserted; NotebookError where none can be."""

    def insert(self, cell: NewCell) -> str:
        """Post a new cell after the last one this document wrote (or at the end); its id."""

    async def set_source(self, cell_id: str, source: str) -> bool:
        """Write a cell of a run's anew. False, and nothing is done, where that is not there any
        more or a person has changed it."""

    async def set_metadata(self, cell_id: str, changes: Json) -> None:
        """Merge into the cell's metadata; None removes a key."""

    async def set_title(self, title: str, mark: Json) -> None:
        """The heading of the run that `mark` tells of: made before its first cell if missing. The
        title in the notebook's metadata is set where it is empty, or was this heading's."""

    async def remove_cells(self, run_id: str, after: int, until: int) -> Removed:
        """Delete, all at once, what the run's actions behind number `after`, up to `until`, wrote.
        What a person has changed since stays; the next cell goes where the first was."""

    async def start_execution(self, cell_id: str) -> None:
        """Outputs cleared, count empty, shown as running."""

    def post_outputs(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        """Output as it streams."""

    def finish_execution(self, cell_id: str, execution_count: int | None) -> None:
        """Shown as idle with its count. Posted, as the outputs before it are."""

    async def stored(self) -> None:
        """What was posted is durable, and `summary` and `recent_cells` know of it. StoreError if
        not; then it is kept, and tried again with the next change."""

    def post_again(self) -> None:
        """Try now what could not be stored."""

    async def flush(self) -> None:
        """Everything so far is in the file."""

    async def close(self) -> None: ...


# -- kernel -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CellError:
    name: str
    message: str
    traceback: str


CellStatus = Literal["ok", "error", "interrupted", "gone", "timeout"]


@dataclass(frozen=True)
class RunResult:
    """How one cell ended. `notice` says what the person should know (cut output, lost kernel)."""

    status: CellStatus
    execution_count: int | None
    outputs: list[Json]
    error: CellError | None = None
    notice: str | None = None
    present: frozenset[str] | None = None
    """Which of the names asked for exist now; None where the kernel did not say."""
    caught: Sequence[Json] = ()
    """What went into `Output` widgets instead of the cell."""


@dataclass(frozen=True)
class Variables:
    """What is in the kernel: JSON values while small, else a short description (O4)."""

    values: Mapping[str, Any]
    truncated: bool = False
    notice: str | None = None


@dataclass(frozen=True)
class Overwritten:
    """Names that the person had before the run and that the run's cells have changed (N2)."""

    rebound: Sequence[str] = ()
    deleted: Sequence[str] = ()


OutputListener = Callable[[Sequence[ChangeOutputs | SetWidgets]], None]


class CodeRunner(Protocol):
    """The kernel that belongs to the notebook."""

    @property
    def language(self) -> str: ...

    @property
    def identity(self) -> str | None:
        """Tells one life of one kernel from another; None before the start."""

    async def start(self, known: str | None = None) -> None:
        """Attach to the notebook's kernel session, or start one. A notebook without a session gets
        the kernel of that identity back, if it outlived its server."""

    def belong(self, run_id: str, theirs: Sequence[str] | None) -> None:
        """The cells are that run's; what they display carries its name (N3). `theirs` are the names
        that the person had when it began, where an earlier kernel told them."""

    @property
    def theirs(self) -> Sequence[str] | None:
        """Those names; None before the first cell came to the kernel."""

    async def run(
        self, code: str, cell_id: str, on_outputs: OutputListener, names: Sequence[str] = ()
    ) -> RunResult:
        """Run code as the cell `cell_id`. Outputs are reported as they come, merged and bounded.
        `names` are looked for in the kernel afterwards, at next to no cost."""

    async def variables(self) -> Variables:
        """A snapshot that disturbs nobody; cheap when nothing ran since the last one."""

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        """Short summaries of the real objects; a name that is not there is left out (O11)."""

    async def present(self, names: Sequence[str]) -> set[str]:
        """Which of the names exist in the kernel (O9)."""

    async def importable(self, modules: Sequence[str]) -> set[str]:
        """Which of the modules the kernel could import."""

    async def promote(self, old: str, new: str) -> None:
        """Bind `new` to the object, then delete `old`; doing it twice does no harm (O10). A name of
        the person's is neither taken nor deleted: KernelError."""

    async def overwritten(self) -> Overwritten:
        """What the run's cells did to names of the person's, all of it so far."""

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:
        """The run rests. Settings of libraries that its cells changed are put back, and the
        temporaries deleted unless they are the person's; at once, or when the kernel comes to it.
        """

    async def interrupt(self) -> None: ...

    def mark_used(self) -> None:
        """The run is at work: its kernel is not to be taken for idle."""

    def adopt(self, settings: Settings) -> None:
        """The time limits that are set now."""

    async def close(self) -> None:
        """Let go of the kernel; a kernel of our own is shut down, a user's is not."""


# -- planner ----------------------------------------------------------------------------------


class ActionStream(Protocol):
    """Lines of one behavior as they arrive: objects, and the lines that were none."""

    behavior: BehaviorInfo | None

    beside: PlanningAnswer | None
    """What the planner judged and updated in the same answer; taken in before the first line."""

    def __aiter__(self) -> AsyncIterator[Json | BadLine]: ...


class Planner(Protocol):
    def adopt(self, settings: Settings) -> None:
        """The limits, timeouts and retries that are set now; the service stays the same."""

    async def plan(self, request: PlannerRequest) -> PlanningAnswer:
        """Judge a goal or take feedback. Raises PlannerError when no answer could be had."""

    def generate(self, request: PlannerRequest) -> AbstractAsyncContextManager[ActionStream]:
        """Open the stream of one behavior; leaving the context closes the connection."""

    async def close(self) -> None: ...


@dataclass(frozen=True)
class CallRecord:
    """One call to the planner as the inspector shows it; secrets are blanked before it is made."""

    number: int
    kind: Literal["planning", "generating", "feedback"]
    url: str
    started_at: str
    duration_ms: float
    status: int | None
    tries: int
    request_bytes: int
    answer_bytes: int
    request: str
    answer: str
    error: str | None = None
    location: CurrentLocation | None = None


CallListener = Callable[[CallRecord], None]


# -- run store --------------------------------------------------------------------------------


class StoredRun(NamedTuple):
    run_id: str
    request: Json
    """With the path that the notebook has now."""


class RunStore(Protocol):
    """Durable memory of runs: what happened in them, in order.

    What is posted is stored in order with all other writes of the store and of the notebooks' logs,
    at the latest with the next of them. StoreError where the store cannot take it; then nothing
    that was posted later is stored either.
    """

    async def add_run(self, run_id: str, request: Json) -> None:
        """Durable on return."""

    async def runs(self) -> list[StoredRun]:
        """Newest first."""

    async def run(self, run_id: str) -> StoredRun | None: ...

    async def delete_run(self, run_id: str) -> None: ...

    def post_facts(
        self, run_id: str, first: int, facts: Sequence[Fact], state: State, notebook: str
    ) -> Future[None]:
        """Facts `first` and the following, the state they lead to, and where the notebook is now.
        Given once more, they are stored once."""

    def post_sum(self, run_id: str, number: int, summed: Summed) -> Future[None]:
        """One fact in the place of all up to that number."""

    def together(self) -> AbstractContextManager[None]:
        """What is posted meanwhile, here and to the notebook, without waiting: one transaction."""

    async def committed(self, posted: Future[None]) -> None:
        """Until it is durable."""

    async def facts(self, run_id: str, *, after: int = 0) -> list[Fact]:
        """All of them behind number `after`, in order."""

    async def facts_of(
        self, run_id: str, kinds: Sequence[str], *, skip: int = 0, limit: int = 1000
    ) -> list[Fact]:
        """Those of these kinds, in order, without the first `skip`."""

    async def add_call(self, run_id: str, call: CallRecord) -> None: ...

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]: ...

    async def last_call_number(self, run_id: str) -> int:
        """0 when there is none: a run that is taken up counts on from here."""


# -- events -----------------------------------------------------------------------------------


class EventSink(Protocol):
    def publish(self, run_id: str, news: News) -> None:
        """Tell whoever watches. Never blocks, never raises."""
