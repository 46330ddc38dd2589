"""Runs as people see them over REST, the live stream and the command line (J7)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.protocol.states import Event, State

RunStatus = Literal["running", "paused", "waiting", "done", "failed", "cancelled"]
CommandName = Literal[
    "confirm",
    "reject",
    "cancel",
    "pause",
    "resume",
    "step",
    "reset",
    "restart",
    "retry",
    "debug",
]
ProposalKind = Literal["workflow", "steps", "plan", "behavior", "code", "rebuild"]
ApprovalPolicy = Literal["updates", "behaviors", "code", "none"]
NodeStatus = Literal["pending", "running", "done", "skipped", "failed"]
Verdict = Literal["achieved", "unanswered", "continues", "not_yet"]
JudgedLevel = Literal["workflow", "stage", "step"]


class EmbeddedPlanner(BrowserModel):
    kind: Literal["embedded"]
    playbook: str = "lifecycle"


class HttpPlannerAddress(BrowserModel):
    kind: Literal["http"]
    url: str


PlannerChoice = Annotated[EmbeddedPlanner | HttpPlannerAddress, Field(discriminator="kind")]


class RunRequest(BrowserModel):
    """What starts a run. Only the planner must be said, and the notebook where none is set."""

    model_config = ConfigDict(extra="forbid")

    notebook: str = ""
    """Empty: the one that the setting `notebook_id` names."""
    planner: PlannerChoice
    goal: str | None = None
    data: str | None = None
    """A data file, named as seen from the notebook's folder, where its kernel runs."""
    variables: dict[str, Any] = Field(default_factory=dict)
    workflow: WorkflowTemplate | None = None
    approval: ApprovalPolicy | None = None
    """Overrides the setting of the same name."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Any other settings for this run alone, by name; none that is a secret."""


class Command(BrowserModel):
    """A person's order. `key` makes it safe to send twice."""

    model_config = ConfigDict(extra="forbid")

    command: CommandName
    proposal_id: str | None = None
    edited: dict[str, Any] | None = None
    reason: str | None = None
    key: str | None = None


class Change(BrowserModel):
    """One difference between the workflow as it is and as it would be (U5)."""

    change: Literal["added", "removed", "renamed", "moved", "changed"]
    level: Literal["workflow", "stage", "step"]
    id: str
    stage_id: str | None = None
    name: str
    before: str | None = None
    after: str | None = None


class Pending(BrowserModel):
    """What the run waits for the person to decide."""

    id: str
    kind: ProposalKind
    summary: str
    content: dict[str, Any]
    before: dict[str, Any] | None = None
    changes: list[Change] = Field(default_factory=list)
    asked_at: str


class Decision(BrowserModel):
    """How the latest question was answered, and by whom (U8)."""

    proposal_id: str
    kind: ProposalKind
    verdict: Literal["confirmed", "rejected"]
    decided_by: str | None = None
    reason: str | None = None
    edited: bool = False


class RunError(BrowserModel):
    """What went wrong, where, and what can be done about it."""

    message: str
    kind: str
    location: dict[str, Any]
    cell_id: str | None = None
    traceback: str | None = None
    remedies: list[CommandName] = Field(default_factory=list)


class Counts(BrowserModel):
    actions: int = 0
    actions_succeeded: int = 0
    actions_failed: int = 0
    actions_skipped: int = 0
    """Not run, because an action before them failed or the person did not allow it."""
    lines_skipped: int = 0
    cells_added: int = 0
    cells_executed: int = 0
    behaviors: int = 0
    planner_calls: int = 0
    bytes_sent: int = 0
    plan_revisions: int = 0


class StepNode(BrowserModel):
    id: str
    name: str
    status: NodeStatus
    reached: bool = False
    """The planner judged that its goal is reached; `done` alone means that it was run."""
    behaviors: int = 0


class StageNode(BrowserModel):
    id: str
    name: str
    status: NodeStatus
    reached: bool = False
    """The planner judged that its goal is reached; `done` alone means that its steps were run."""
    steps: list[StepNode]


class RunProgress(BrowserModel):
    """The plan with where the run is in it, and how much of it is done."""

    workflow: str
    fraction: float
    steps_done: int
    steps_total: int
    stages: list[StageNode]
    focus: dict[str, str]
    goals: dict[str, str | None]
    attainment: dict[str, float | None]
    """The share of the expected outputs that exist, by level; None where none is expected."""
    verdict: Verdict | None = None
    """What the planner said last of the goal it was asked about (O9)."""
    verdict_level: JudgedLevel | None = None
    """Whose goal that was."""
    reached: bool = False
    """The planner judged that the goal of the whole workflow is reached."""
    estimated_remaining_behaviors: int | None = None


class Thinking(BrowserModel):
    """Somebody of the planner's side is thinking (A3)."""

    agent_name: str | None
    text: str


DoingWhat = Literal["kernel", "planning", "feedback", "generating", "action", "cell"]


class Doing(BrowserModel):
    """What takes the time right now, and since when."""

    what: DoingWhat
    since: str
    cell_id: str | None = None


class ActivityNode(BrowserModel):
    """A stage, step, behavior or action as it went: the tree beside the notebook.

    `revision` counts every change in a run, so that a browser asks only for what is new to it.
    """

    key: str
    level: Literal["stage", "step", "behavior", "action"]
    revision: int
    stage_id: str
    step_id: str | None = None
    behavior_id: str | None = None
    iteration: int = 0
    action_id: str | None = None
    name: str
    status: NodeStatus
    started_at: str
    ended_at: str | None = None
    rested_ms: int = 0
    """How much of the time between was no work on it (N12); not the run's present rest."""
    attempts: int = 1
    words: str | None = None
    """What the planner said about it last."""
    error: str | None = None
    cell_id: str | None = None


class OverwrittenNames(BrowserModel):
    """Names that the person had in the kernel before the run, and that its cells changed (N2)."""

    rebound: list[str] = Field(default_factory=list)
    deleted: list[str] = Field(default_factory=list)


class RunView(BrowserModel):
    id: str
    revision: int
    """How much has happened in the run: the greater is the newer."""
    notebook: str
    state: State
    status: RunStatus
    status_reason: str | None = None
    allowed_events: list[Event]
    allowed_commands: list[CommandName]
    location: dict[str, Any]
    progress: RunProgress
    pending: Pending | None = None
    decision: Decision | None = None
    error: RunError | None = None
    counts: Counts
    planner: dict[str, Any]
    goal: str | None = None
    data: str | None = None
    approval: ApprovalPolicy
    thinking: Thinking | None = None
    doing: Doing | None = None
    overwritten: OverwrittenNames = Field(default_factory=OverwrittenNames)
    created_at: str
    updated_at: str
    ended_at: str | None = None
    """When the run came to its rest; None while it goes on."""
    rested_ms: int = 0
    """How long it waited for the person, was paused or lay without a process (N12), up to
    `resting_since`."""
    resting_since: str | None = None
    """Since when nothing is worked at; None while there is work going on."""


def location_of(current: CurrentLocation) -> dict[str, Any]:
    return current.model_dump(exclude_unset=True)
