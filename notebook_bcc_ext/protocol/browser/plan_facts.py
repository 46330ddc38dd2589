"""Facts of the plan, of where the run is in it, and of what the planner says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_bcc_ext.protocol.browser.news import Dated, Json, Levels, PlannerCall
from notebook_bcc_ext.protocol.browser.runs import JudgedLevel, Verdict


class PlanAdopted(Dated):
    kind: Literal["plan_adopted"] = "plan_adopted"
    workflow: Json


class PlanChanged(Dated):
    """A proposal that the person confirmed, with their changes."""

    kind: Literal["plan_changed"] = "plan_changed"
    what: Literal["workflow", "steps"]
    update: Json


class StageEntered(Dated):
    kind: Literal["stage_entered"] = "stage_entered"
    stage_id: str


class StepEntered(Dated):
    kind: Literal["step_entered"] = "step_entered"
    step_id: str


class BehaviorEntered(Dated):
    kind: Literal["behavior_entered"] = "behavior_entered"
    behavior_id: str | None = None
    goal: str | None = None


class BehaviorNamed(Dated):
    """The planner named the current behavior in its stream."""

    kind: Literal["behavior_named"] = "behavior_named"
    behavior_id: str | None = None
    goal: str | None = None


class BehaviorBegan(Dated):
    """Its actions are asked for, once more where it failed."""

    kind: Literal["behavior_began"] = "behavior_began"
    resumed: bool = False


class BehaviorChecked(Dated):
    """Which of the names that matter the kernel has after its actions."""

    kind: Literal["behavior_checked"] = "behavior_checked"
    present: list[str]


class BehaviorEnded(Dated):
    kind: Literal["behavior_ended"] = "behavior_ended"
    present: list[str]


class StepEnded(Dated):
    kind: Literal["step_ended"] = "step_ended"
    present: list[str]
    confirmed: bool = True


class StageEnded(Dated):
    kind: Literal["stage_ended"] = "stage_ended"
    present: list[str]
    judged: bool


class Jumped(Dated):
    """Where the planner, or an approved plan, wants the run to go on; nowhere: that is settled."""

    kind: Literal["jumped"] = "jumped"
    stage_id: str | None = None
    step_id: str | None = None
    leaves_out: bool = True
    """Whether what lies between is left out: yes where the planner says so, no where a person
    approved a plan that has it."""


class PassedOver(Dated):
    kind: Literal["passed_over"] = "passed_over"
    stages: list[str] = Field(default_factory=list)
    steps: list[str] = Field(default_factory=list)
    taken_up: str | None = None
    """A step that is to be run after all."""


class PlannerCalled(Dated):
    kind: Literal["planner_called"] = "planner_called"
    call: PlannerCall


class CallEnded(Dated):
    kind: Literal["call_ended"] = "call_ended"
    number: int
    call: PlannerCall
    status: int | None
    tries: int
    duration_ms: float
    request_bytes: int
    answer_bytes: int
    error: str | None = None


class Judged(Dated):
    kind: Literal["judged"] = "judged"
    level: JudgedLevel
    verdict: Verdict
    answer: Json
    """As the planner gave it."""
    after_behavior: bool = False


class ContextUpdated(Dated):
    """What came in one answer with actions."""

    kind: Literal["context_updated"] = "context_updated"
    answer: Json


class NotJudged(Dated):
    """The planner gave no answer."""

    kind: Literal["not_judged"] = "not_judged"


class ProposalsCarried(Dated):
    """Proposals of a planning answer, as actions, that are still to be put before the person."""

    kind: Literal["proposals_carried"] = "proposals_carried"
    actions: list[Json]


class ProposalTaken(Dated):
    """The first of the proposals that planning answers carried was dealt with."""

    kind: Literal["proposal_taken"] = "proposal_taken"


class VerdictKept(Dated):
    """It came together with proposals: they are asked first, then it counts. No level: it has."""

    kind: Literal["verdict_kept"] = "verdict_kept"
    level: JudgedLevel | None = None
    achieved: bool = False


class TemporariesDeclared(Dated):
    kind: Literal["temporaries_declared"] = "temporaries_declared"
    level: Levels
    names: list[str]
    present: list[str]
    """Those that the kernel had already: they are not the run's."""


class Promoted(Dated):
    kind: Literal["promoted"] = "promoted"
    artifact: Json
    level: Levels
