"""Everything a run knows about itself between two actions, and how it survives a restart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.observation.progress import ProgressTracker
from notebook_bcc_ext.observation.sections import SectionTracker
from notebook_bcc_ext.protocol.actions import LAST_ADDED_CELL
from notebook_bcc_ext.protocol.observation import Effects
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner import BehaviorFeedback, ContextFilter
from notebook_bcc_ext.protocol.runs import Counts, Decision, RunError, RunRequest, Verdict

Json = dict[str, Any]
TrailEntry = list[Any]


@dataclass
class Jump:
    """Where the planner, or an approved workflow, wants the run to go on (F11, U6)."""

    stage_id: str | None = None
    step_id: str | None = None


@dataclass
class BehaviorTally:
    """True counts of the current behavior (P5)."""

    executed: int = 0
    succeeded: int = 0
    sections_added: int = 0
    lines_skipped: int = 0
    last_result: str = "success"

    def feedback(self, behavior_id: str | None) -> BehaviorFeedback:
        fields: Json = {
            "behavior_id": behavior_id,
            "actions_executed": self.executed,
            "actions_succeeded": self.succeeded,
            "sections_added": self.sections_added,
            "last_action_result": self.last_result,
        }
        if self.lines_skipped:
            fields["lines_skipped"] = self.lines_skipped
        return BehaviorFeedback.model_validate(fields)


@dataclass
class Intent:
    """An action that was about to begin."""

    number: int
    kind: str
    digest: str | None = None
    """Of its line; None for a proposal out of a planning answer."""
    cell_id: str | None = None
    store_id: str | None = None


@dataclass
class Asking:
    """A proposal that is before the person: enough to take the answer after a restart."""

    kind: Literal["workflow", "steps"]
    update: Json
    pending: Json
    digest: str | None


@dataclass
class RunMemory:
    created_at: str = ""
    cancelled: bool = False
    progress: ProgressTracker = field(
        default_factory=lambda: ProgressTracker(WorkflowTemplate(stages=[]))
    )
    sections: SectionTracker = field(default_factory=SectionTracker)
    variables: Json = field(default_factory=dict)
    """The planner's own; the kernel's are read when they are needed."""
    todo_list: list[str] = field(default_factory=list)
    workflow_progress: Any = None
    context_filter: ContextFilter | None = None
    estimated_remaining_behaviors: int | None = None
    counts: Counts = field(default_factory=Counts)
    tally: BehaviorTally = field(default_factory=BehaviorTally)
    cell_names: dict[str, str] = field(default_factory=dict)
    """`store_id` -> cell id, for the latest cells (A14)."""
    cell_marks: dict[str, Json] = field(default_factory=dict)
    """Cell id -> what the cell carries under our metadata key, for the latest cells (A15)."""
    last_code_cell: str | None = None
    last_text_cell: str | None = None
    thinking: ThinkingState | None = None
    next_expected: list[str] = field(default_factory=list)
    next_in_progress: list[str] = field(default_factory=list)
    """What the planner expects of the next behavior, and what it is to work on."""
    lines_done: list[str] = field(default_factory=list)
    """Digests of the lines of the current behavior that were dealt with, in order."""
    resumable: bool = False
    """The planner failed, not an action: a retry goes on behind the lines that were done."""
    jump: Jump | None = None
    added: list[str] = field(default_factory=list)
    """Ids of stages and steps that an approved update added: they are visited, wherever they
    stand; others are not gone back to."""
    carried: list[Json] = field(default_factory=list)
    """Proposals of planning answers that still have to be put before the person (U2)."""
    verdict_after_carried: bool = False
    """The goal was already met when the carried proposals came: no more actions after them."""
    debug_attempts: int = 0
    step_behaviors: dict[str, int] = field(default_factory=dict)
    """`stage/step` -> how many behaviors it took."""
    error: RunError | None = None
    asking: Asking | None = None
    decision: Decision | None = None
    verdict: Verdict | None = None
    in_doubt: Intent | None = None
    """What was under way when the process was killed."""
    kernel: str | None = None
    """Which life of which kernel the cells ran in."""
    executed_cells: list[str] = field(default_factory=list)
    """In order, the latest: what has to run again when the kernel is lost."""
    trail: list[TrailEntry] = field(default_factory=list)
    """What was added to `LONG_FIELDS` since the last checkpoint."""

    @property
    def has_workflow(self) -> bool:
        return bool(self.progress.template.stages)

    def cell_named(self, name: str) -> str | None:
        """The cell a planner means by an id, its own `store_id` or `lastAddedCellId`."""
        if name == LAST_ADDED_CELL:
            return self.last_code_cell
        return self.cell_names.get(name, name)

    def remember_cell(self, name: str, cell_id: str) -> None:
        self._note("name", name, cell_id)

    def remember_mark(self, cell_id: str, mark: Json) -> None:
        self._note("mark", cell_id, mark)

    def remember_executed(self, cell_id: str) -> None:
        self._note("executed", cell_id)

    def remember_line(self, digest: str) -> None:
        """A line of the current behavior was dealt with."""
        self._note("line", digest)

    def forget_lines(self, keep: int = 0) -> None:
        """Only the first `keep` lines count as done."""
        self._note("keep_lines", keep)

    def _note(self, kind: str, *what: Any) -> None:
        entry = [kind, *what]
        self.follow(entry)
        self.trail.append(entry)

    def follow(self, entry: TrailEntry) -> None:
        """The one place where what is remembered changes: during a run, and after a restart."""
        match entry:
            case ["name", name, cell_id]:
                _remember(self.cell_names, name, cell_id, MAX_CELL_NAMES)
            case ["mark", cell_id, mark]:
                _remember(self.cell_marks, cell_id, mark, MAX_CELL_MARKS)
            case ["executed", cell_id]:
                if cell_id in self.executed_cells:
                    self.executed_cells.remove(cell_id)
                self.executed_cells.append(cell_id)
                del self.executed_cells[:-MAX_EXECUTED_CELLS]
            case ["line", digest]:
                self.lines_done.append(digest)
            case ["keep_lines", keep]:
                del self.lines_done[keep:]
            case _:
                raise ValueError(f"unknown entry of a run's trail: {entry}")

    def start_over(self) -> None:
        """Forget what belongs to the way so far: nothing of it may steer the next one."""
        self.jump = self.context_filter = self.estimated_remaining_behaviors = None
        self.verdict = None
        self.carried, self.added = [], []
        self.forget_lines()
        self.next_expected, self.next_in_progress = [], []
        self.verdict_after_carried = self.resumable = False
        self.step_behaviors = {}
        self.debug_attempts = 0

    def forget_workflow(self, variables: Json) -> None:
        """As before the first call; what is in the notebook stays, and so does its numbering."""
        self.start_over()
        self.progress = ProgressTracker(WorkflowTemplate(stages=[]))
        self.variables = variables
        self.todo_list, self.workflow_progress = [], None


def _remember(known: dict[str, Any], key: str, value: object, limit: int) -> None:
    known[key] = value
    while len(known) > limit:
        del known[next(iter(known))]


MAX_CELL_NAMES = 1_000
MAX_CELL_MARKS = 100
MAX_EXECUTED_CELLS = 500
LONG_FIELDS = ("lines_done", "cell_names", "cell_marks", "executed_cells")
"""They grow with the run. So that an action's checkpoint does not, it stores what was added to
them, and everything else whole."""
_ADAPTER: TypeAdapter[RunMemory] = TypeAdapter(RunMemory)
_NOT_LONG = {*LONG_FIELDS, "trail"}


def initial_variables(request: RunRequest) -> Json:
    """What the person said at the start, as the planner's variables."""
    said: Mapping[str, Any] = {"goal": request.goal, "data_path": request.data}
    known = {key: value for key, value in said.items() if value is not None}
    return {**known, **request.variables}


def to_snapshot(memory: RunMemory, effects: EffectsLog) -> Json:
    """Everything. `from_snapshot` also takes it with a later `short_snapshot` on top, and with
    the trail in between."""
    return {
        **short_snapshot(memory, effects),
        "remembered": {name: getattr(memory, name) for name in LONG_FIELDS},
    }


def short_snapshot(memory: RunMemory, effects: EffectsLog) -> Json:
    """Everything but `LONG_FIELDS`."""
    dumped: Json = _ADAPTER.dump_python(memory, mode="json", exclude=_NOT_LONG)
    return {"memory": dumped, "effects": effects.view().to_wire()}


def short_snapshot_json(position: Json, memory: RunMemory, effects: EffectsLog) -> str:
    """The same as text, with keys of the caller's before it."""
    try:
        dumped = _ADAPTER.dump_json(memory, exclude=_NOT_LONG).decode()
    except PydanticSerializationError:
        # Half a character, as a planner may send it, has no UTF-8; `json` escapes it.
        return json.dumps({**position, **short_snapshot(memory, effects)})
    shown = json.dumps({"current": effects.current, "history": effects.history})
    return f'{json.dumps(position)[:-1]}, "memory": {dumped}, "effects": {shown}}}'


def from_snapshot(snapshot: Mapping[str, Any]) -> tuple[RunMemory, EffectsLog]:
    effects = Effects.parse(snapshot["effects"])
    memory = _ADAPTER.validate_python({**snapshot["memory"], **snapshot.get("remembered", {})})
    for entry in snapshot.get("trail", []):
        memory.follow(entry)
    return memory, EffectsLog(map(str, effects.current), map(str, effects.history))
