"""Everything a run knows about itself between two actions, and how it survives a restart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.engine.rest import Rest
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.observation.progress import ProgressTracker
from notebook_bcc_ext.observation.sections import SectionTracker
from notebook_bcc_ext.protocol.browser.runs import (
    Counts,
    Decision,
    JudgedLevel,
    OverwrittenNames,
    RunError,
    RunRequest,
    Verdict,
)
from notebook_bcc_ext.protocol.plain import json_text, plain
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.actions import LAST_ADDED_CELL
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, ContextFilter

Json = dict[str, Any]
TrailEntry = list[Any]
WHOLE_WORKFLOW = "*"


@dataclass
class Jump:
    """Where the planner, or an approved workflow, wants the run to go on (F11, U6)."""

    stage_id: str | None = None
    step_id: str | None = None
    leaves_out: bool = True
    """Whether what lies between is left out: yes where the planner says so, no where a person
    approved a plan that has it."""


@dataclass
class KeptVerdict:
    """A verdict that came together with proposals: they are asked first, then it counts (F7).

    The step that carries the question runs nothing, and is not done by that.
    """

    level: Literal["step", "stage", "workflow"]
    achieved: bool


@dataclass
class BehaviorTally:
    """True counts of the current behavior (P5)."""

    executed: int = 0
    succeeded: int = 0
    sections_added: int = 0
    lines_skipped: int = 0
    skipped: int = 0
    """Actions that were not run, because one before them failed or was not allowed."""
    refused: bool = False
    """The person did not allow some of it."""
    last_result: str = "no action was run"

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
        if self.skipped:
            fields["actions_skipped"] = self.skipped
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
class Attempt:
    """What the actions behind number `after`, up to `until`, wrote."""

    after: int
    until: int


@dataclass
class BehaviorBegan:
    """What there was when the current behavior was entered."""

    actions: int = 0
    sections: SectionTracker = field(default_factory=SectionTracker)


@dataclass
class RunMemory:
    created_at: str = ""
    rest: Rest = field(default_factory=Rest)
    cancelled: bool = False
    cancelled_at: str | None = None
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
    behavior_began: BehaviorBegan = field(default_factory=BehaviorBegan)
    replaces: Attempt | None = None
    """Its cells have to go, for another attempt takes their place."""
    jump: Jump | None = None
    carried: list[Json] = field(default_factory=list)
    """Proposals of planning answers that still have to be put before the person (U2)."""
    kept_verdict: KeptVerdict | None = None
    debug_attempts: int = 0
    step_behaviors: dict[str, int] = field(default_factory=dict)
    """`stage/step` -> how many behaviors it took."""
    error: RunError | None = None
    asking: Asking | None = None
    decision: Decision | None = None
    verdict: Verdict | None = None
    verdict_level: JudgedLevel | None = None
    reached: list[str] = field(default_factory=list)
    """What the planner judged to be reached: `stage`, `stage/step`, or `WHOLE_WORKFLOW`."""
    in_doubt: Intent | None = None
    """What was under way when the process was killed."""
    kernel: str | None = None
    """Which life of which kernel the cells ran in."""
    executed_cells: list[str] = field(default_factory=list)
    """In order, the latest: what has to run again when the kernel is lost."""
    theirs: list[str] | None = None
    """The names that the person had in the kernel when the run began; None before its first cell.
    """
    overwritten: OverwrittenNames = field(default_factory=OverwrittenNames)
    """Those that it took, as far as they were told."""
    trail: list[TrailEntry] = field(default_factory=list)
    """What was added to `LONG_FIELDS` since the last checkpoint."""

    def note_verdict(self, verdict: Verdict, level: JudgedLevel) -> None:
        """What the planner said of the goal of that level, at the place where the run is."""
        self.verdict, self.verdict_level = verdict, level
        progress = self.progress
        places = {
            "workflow": WHOLE_WORKFLOW,
            "stage": progress.stage_id or "",
            "step": progress.step_key,
        }
        self.reached = [key for key in self.reached if key != places[level]]
        if verdict == "achieved":
            self.reached.append(places[level])

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

    def remember_executed(self, cell_id: str) -> None:
        self._note("executed", cell_id)

    def remember_theirs(self, names: Sequence[str] | None) -> None:
        if self.theirs is None and names is not None:
            self._note("theirs", list(names))

    def forget_cells(self, cell_ids: Sequence[str]) -> None:
        """They are no longer in the notebook."""
        self._note("gone", list(cell_ids))
        if self.last_code_cell in cell_ids:
            self.last_code_cell = None
        if self.last_text_cell in cell_ids:
            self.last_text_cell = None
        if self.thinking is not None and self.thinking.cell_id in cell_ids:
            self.thinking = None

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
            case ["executed", cell_id]:
                if cell_id in self.executed_cells:
                    self.executed_cells.remove(cell_id)
                self.executed_cells.append(cell_id)
                del self.executed_cells[:-MAX_EXECUTED_CELLS]
            case ["gone", cell_ids]:
                kept = [cell_id for cell_id in self.executed_cells if cell_id not in set(cell_ids)]
                self.executed_cells = kept
            case ["theirs", names]:
                self.theirs = names
            case ["mark", *_]:
                pass  # Of an earlier version; the notebook itself is asked now.
            case ["line", digest]:
                self.lines_done.append(digest)
            case ["keep_lines", keep]:
                del self.lines_done[keep:]
            case _:
                raise ValueError(f"unknown entry of a run's trail: {entry}")

    def begin_behavior(self) -> None:
        """What is written from here on is this behavior's."""
        self.behavior_began = BehaviorBegan(self.counts.actions, self.sections.copy())

    def start_over(self) -> None:
        """Forget what belongs to the way so far: nothing of it may steer the next one."""
        self.jump = self.context_filter = self.estimated_remaining_behaviors = None
        self.verdict = self.verdict_level = None
        self.reached = []
        self.carried, self.kept_verdict = [], None
        self.forget_lines()
        self.next_expected, self.next_in_progress = [], []
        self.resumable = False
        self.step_behaviors = {}
        self.debug_attempts = 0

    def forget_workflow(self, variables: Json) -> None:
        """As before the first call."""
        self.start_over()
        self.progress = ProgressTracker(WorkflowTemplate(stages=[]))
        self.variables = variables
        self.todo_list, self.workflow_progress = [], None


def _remember(known: dict[str, Any], key: str, value: object, limit: int) -> None:
    known[key] = value
    while len(known) > limit:
        del known[next(iter(known))]


MAX_CELL_NAMES = 1_000
MAX_EXECUTED_CELLS = 500
LONG_FIELDS = ("lines_done", "cell_names", "executed_cells", "theirs")
"""They grow with the run. So that an action's checkpoint does not, it stores what was added to
them, and everything else whole."""
_ADAPTER: TypeAdapter[RunMemory] = TypeAdapter(RunMemory)
_NOT_LONG = {*LONG_FIELDS, "trail"}
# Half a character, as a package may give it, has no UTF-8.
_NO_UTF8 = (PydanticSerializationError, UnicodeError)


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
    try:
        dumped: Json = _ADAPTER.dump_python(memory, mode="json", exclude=_NOT_LONG)
    except _NO_UTF8:
        dumped = plain(_ADAPTER.dump_python(memory, exclude=_NOT_LONG))
    return {"memory": dumped, "effects": effects.to_snapshot()}


def short_snapshot_json(position: Json, memory: RunMemory, effects: EffectsLog) -> str:
    """The same as text, with keys of the caller's before it."""
    try:
        dumped = _ADAPTER.dump_json(memory, exclude=_NOT_LONG).decode()
    except _NO_UTF8:
        return json_text({**position, **short_snapshot(memory, effects)})
    shown = json_text(effects.to_snapshot())
    return f'{json.dumps(position)[:-1]}, "memory": {dumped}, "effects": {shown}}}'


def from_snapshot(snapshot: Mapping[str, Any]) -> tuple[RunMemory, EffectsLog]:
    memory = _ADAPTER.validate_python({**snapshot["memory"], **snapshot.get("remembered", {})})
    for entry in snapshot.get("trail", []):
        memory.follow(entry)
    return memory, EffectsLog.from_snapshot(snapshot["effects"])
