"""What the engine needs from the world, as Protocols.

Adapters fill them: a notebook behind the contents manager, a kernel, a planner service, SQLite,
the browser's event stream. `tests/contracts` holds one suite per port.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from notebook_bcc_ext.protocol.ndjson import BadLine
from notebook_bcc_ext.protocol.notebook_ops import ChangeOutputs
from notebook_bcc_ext.protocol.observation import (
    CurrentLocation,
    NotebookSummary,
    TransitionRecord,
)
from notebook_bcc_ext.protocol.planner import BehaviorInfo, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.protocol.runs import ActivityNode

Json = dict[str, Any]


# -- notebook ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class NewCell:
    """A cell to write. `wanted_id` becomes the cell id as far as nbformat and uniqueness allow."""

    cell_type: Literal["markdown", "code"]
    source: str
    metadata: Json = field(default_factory=dict)
    wanted_id: str | None = None
    at_top: bool = False


class CellText(NamedTuple):
    cell_type: str
    source: str


class NotebookDocument(Protocol):
    """One notebook, written by cell id. Changes are kept in their order. Those of an `async` method
    are durable on return, but for `insert`; what is posted is durable when the next change is, or
    `stored` has returned."""

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

    async def insert(self, cell: NewCell) -> str:
        """Post a new cell after the last one this document wrote (or at the end); its id."""

    async def set_source(self, cell_id: str, source: str) -> None: ...

    async def set_metadata(self, cell_id: str, changes: Json) -> None:
        """Merge into the cell's metadata; None removes a key."""

    async def set_title(self, title: str, mark: Json | None = None) -> None:
        """The title in the notebook's metadata and in its first `# ` cell, made if missing;
        a cell that is made gets `mark` as its metadata."""

    async def start_execution(self, cell_id: str) -> None:
        """Outputs cleared, count empty, shown as running."""

    async def change_outputs(self, changes: Sequence[ChangeOutputs]) -> None: ...

    def post_outputs(self, changes: Sequence[ChangeOutputs]) -> None:
        """The same for output as it streams."""

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


RunStatus = Literal["ok", "error", "interrupted", "gone", "timeout"]


@dataclass(frozen=True)
class RunResult:
    """How one cell ended. `notice` says what the person should know (cut output, lost kernel)."""

    status: RunStatus
    execution_count: int | None
    outputs: list[Json]
    error: CellError | None = None
    notice: str | None = None
    present: frozenset[str] | None = None
    """Which of the names asked for exist now; None where the kernel did not say."""


@dataclass(frozen=True)
class Variables:
    """What is in the kernel: JSON values while small, else a short description (O4)."""

    values: Mapping[str, Any]
    truncated: bool = False
    notice: str | None = None


OutputListener = Callable[[list[ChangeOutputs]], None]


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

    async def promote(self, old: str, new: str) -> None:
        """Bind `new` to the object, then delete `old`; doing it twice does no harm (O10)."""

    async def interrupt(self) -> None: ...

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


@dataclass(frozen=True)
class StoredProposal:
    id: str
    run_id: str
    kind: str
    """What is asked: `ProposalKind` of the protocol."""
    content: Json
    decision: Literal["confirmed", "rejected", "cancelled"] | None = None
    decided_by: str | None = None
    reason: str | None = None
    edited: Json | None = None


@dataclass(frozen=True)
class ActivityChanges:
    """What changed in the tree of a run since it was last stored."""

    nodes: tuple[ActivityNode, ...] = ()
    gone: tuple[str, ...] = ()
    """Keys of nodes that were too old to keep."""
    all_gone: bool = False
    """The tree was begun anew; `nodes` are of the new one."""


class RunStore(Protocol):
    """Durable memory of runs. A method returns when its data would survive a killed process."""

    async def save_run(self, run_id: str, snapshot: Json, activity: ActivityChanges = ...) -> None:
        """Insert or replace the run's snapshot; its tree gets the changes. Clears the intent."""

    async def activity(self, run_id: str) -> list[ActivityNode]:
        """The tree, in the order of the last changes."""

    def post_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = ...
    ) -> Future[None]:
        """The same without waiting; done when it is stored."""

    def post_step(
        self, run_id: str, changed: str, trail: Sequence[Any], activity: ActivityChanges = ...
    ) -> Future[None]:
        """What one action changed: keys of the snapshot that are replaced (JSON), entries that
        `load_run` and `list_runs` give, all in order, under the key `trail` until the next
        snapshot, and the tree. Without waiting, but in order with all other writes of the store
        and of the notebooks' logs. Clears the intent."""

    def post_intent(self, run_id: str, intent: Json) -> Future[None]:
        """What the run is about to do, in the same order."""

    async def intent(self, run_id: str) -> Json | None:
        """What it was about to do when nothing came after."""

    async def load_run(self, run_id: str) -> Json | None: ...

    async def list_runs(self) -> list[Json]:
        """Snapshots, newest first."""

    async def delete_run(self, run_id: str) -> None: ...

    def post_transitions(self, run_id: str, records: Sequence[TransitionRecord]) -> Future[None]:
        """Stored in order with all else, at the latest with the next write; done when they are."""

    async def keep_transitions(self, run_id: str, count: int) -> None:
        """Forget what came after the first `count`: the snapshot does not know of it."""

    async def transitions(
        self, run_id: str, *, after: int = 0, limit: int = 1000
    ) -> list[tuple[int, TransitionRecord]]: ...

    async def add_call(self, run_id: str, call: CallRecord) -> None: ...

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]: ...

    async def last_call_number(self, run_id: str) -> int:
        """0 when there is none: a run that is taken up counts on from here."""

    async def add_proposal(self, proposal: StoredProposal) -> None: ...

    async def decide_proposal(self, decided: StoredProposal) -> StoredProposal:
        """Record a decision if there is none yet; the decision that stands (first wins, U8)."""

    async def proposal(self, proposal_id: str) -> StoredProposal | None: ...

    async def proposals(self, run_id: str) -> list[StoredProposal]:
        """In the order in which they were asked."""


# -- events -----------------------------------------------------------------------------------


class EventSink(Protocol):
    def publish(self, run_id: str, kind: str, payload: Json) -> None:
        """Tell whoever watches. Never blocks, never raises."""
