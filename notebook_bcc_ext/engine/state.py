"""A run as one value. What makes it another one is in `fold.py`, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.observation.effects import EffectsState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.ports import CellStatus
from notebook_bcc_ext.protocol.browser.runs import (
    Counts,
    Decision,
    JudgedLevel,
    OverwrittenNames,
    Pending,
    RunError,
    Verdict,
)
from notebook_bcc_ext.protocol.planner.actions import LAST_ADDED_CELL
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, ContextFilter
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord
from notebook_bcc_ext.protocol.states import State

Json = dict[str, Any]

WHOLE_WORKFLOW = "*"


@dataclass(frozen=True)
class Rest:
    """How long the run rested: waited for the person, was paused, or lay without a process."""

    total_ms: int = 0
    """Of the rests that are over."""
    since: str | None = None
    """When the present rest began; None while there is work going on."""


@dataclass(frozen=True)
class Jump:
    """Where the planner, or an approved workflow, wants the run to go on (F11, U6)."""

    stage_id: str | None = None
    step_id: str | None = None
    leaves_out: bool = True


@dataclass(frozen=True)
class KeptVerdict:
    """A verdict that came together with proposals: they are asked first, then it counts (F7).

    The step that carries the question runs nothing, and is not done by that.
    """

    level: JudgedLevel
    achieved: bool


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class UnderWay:
    """An action that has begun and not ended."""

    number: int
    action_id: str
    type: str
    label: str
    digest: str | None = None
    cell_id: str | None = None
    """The cell it is to run."""
    cells: tuple[str, ...] = ()
    """The cells it has added."""
    ran: CellStatus | None = None
    """How the cell that it ran ended."""
    error: str | None = None


@dataclass(frozen=True)
class Question:
    """What is before the person; with the answer until the run has taken it in."""

    pending: Pending
    verdict: Literal["confirmed", "rejected"] | None = None
    changes: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Attempt:
    """What the actions behind number `after`, up to `until`, wrote."""

    after: int
    until: int


@dataclass(frozen=True)
class BehaviorStart:
    """What there was when the current behavior was entered."""

    actions: int = 0
    sections: SectionsState = field(default_factory=SectionsState)


@dataclass(frozen=True)
class RunState:
    facts: int = 0
    """How many there have been."""
    changed_at: str = ""
    created_at: str = ""
    state: State = State.IDLE
    transitions: int = 0
    history: tuple[TransitionRecord, ...] = ()
    """The latest transitions."""
    rest: Rest = field(default_factory=Rest)
    cancelled: bool = False
    cancelled_at: str | None = None
    progress: ProgressState = field(default_factory=ProgressState)
    sections: SectionsState = field(default_factory=SectionsState)
    effects: EffectsState = field(default_factory=EffectsState)
    variables: Mapping[str, Any] = field(default_factory=dict)
    """The planner's own; the kernel's are read when they are needed."""
    todo_list: tuple[str, ...] = ()
    workflow_progress: Any = None
    context_filter: ContextFilter | None = None
    estimated_remaining_behaviors: int | None = None
    counts: Counts = field(default_factory=Counts)
    tally: BehaviorTally = field(default_factory=BehaviorTally)
    cell_names: Mapping[str, str] = field(default_factory=dict)
    """`store_id` -> cell id, for the latest cells (A14)."""
    last_code_cell: str | None = None
    last_text_cell: str | None = None
    thinking: ThinkingState | None = None
    next_expected: tuple[str, ...] = ()
    next_in_progress: tuple[str, ...] = ()
    """What the planner expects of the next behavior, and what it is to work on."""
    lines_done: tuple[str, ...] = ()
    """Digests of the lines of the current behavior that were dealt with, in order."""
    stopped: str | None = None
    """Why the rest of the current behavior is not run: something failed or was not allowed."""
    step_ended: bool = False
    """An action of the current behavior said that the step is complete (A10)."""
    resumable: bool = False
    """What was done of the current behavior stands: it goes on behind the lines that were done."""
    behavior_start: BehaviorStart = field(default_factory=BehaviorStart)
    replaces: Attempt | None = None
    """Its cells have to go, for another attempt takes their place."""
    jump: Jump | None = None
    carried: tuple[Json, ...] = ()
    """Proposals of planning answers that still have to be put before the person (U2)."""
    kept_verdict: KeptVerdict | None = None
    debug_attempts: int = 0
    step_behaviors: Mapping[str, int] = field(default_factory=dict)
    """`stage/step` -> how many behaviors it took."""
    error: RunError | None = None
    question: Question | None = None
    decisions: tuple[Decision, ...] = ()
    """The latest."""
    verdict: Verdict | None = None
    verdict_level: JudgedLevel | None = None
    reached: tuple[str, ...] = ()
    """What the planner judged to be reached: `stage`, `stage/step`, or `WHOLE_WORKFLOW`."""
    under_way: UnderWay | None = None
    kernel: str | None = None
    """Which life of which kernel the cells ran in."""
    executed_cells: tuple[str, ...] = ()
    """In order, the latest: what has to run again when the kernel is lost."""
    theirs: tuple[str, ...] | None = None
    """The names that the person had in the kernel when the run began; None before its first cell.
    """
    overwritten: OverwrittenNames = field(default_factory=OverwrittenNames)
    """Those that it took, as far as they were told."""

    @property
    def has_workflow(self) -> bool:
        return bool(self.progress.template.stages)

    @property
    def pending(self) -> Pending | None:
        """What waits for an answer."""
        asked = self.question
        return asked.pending if asked is not None and asked.verdict is None else None

    def cell_named(self, name: str) -> str | None:
        """The cell a planner means by an id, its own `store_id` or `lastAddedCellId`."""
        if name == LAST_ADDED_CELL:
            return self.last_code_cell
        return self.cell_names.get(name, name)


STATES: TypeAdapter[RunState] = TypeAdapter(RunState)

if TYPE_CHECKING:
    changed = replace
else:

    def changed(value: Any, /, **changes: Any) -> Any:
        """`dataclasses.replace` at a tenth of its cost: it is done for every fact."""
        other = object.__new__(type(value))
        other.__dict__.update(value.__dict__, **changes)
        return other
