"""What happens in a run: facts, which are stored and of which its state is the fold, and signs,
which only tell whoever is watching.

A fact is small, typed and dated. `engine/fold.py` says what each of them makes of a run, and
nothing else does; after a restart the same facts give the same run. The browser, the command line
and the log hear of facts and signs as they happen.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.browser.runs import (
    ActivityNode,
    CommandName,
    Decision,
    JudgedLevel,
    Pending,
    RunError,
    RunStatus,
    Verdict,
)
from notebook_bcc_ext.protocol.clock import utc_now
from notebook_bcc_ext.protocol.states import Event, State

Json = dict[str, Any]
PlannerCall = Literal["planning", "feedback", "generating"]
Levels = Literal["stages", "steps", "behaviors"]
When = Literal["before", "beside", "after"]
"""Whether an answer came before a behavior, with its actions, or after they ran."""


class _News(BrowserModel):
    model_config = ConfigDict(
        frozen=True,
        populate_by_name=True,
        json_schema_serialization_defaults_required=True,
        use_attribute_docstrings=True,
    )

    time: str = Field(default_factory=utc_now)


# -- the run as a whole -----------------------------------------------------------------------


class Began(_News):
    kind: Literal["began"] = "began"
    variables: Json
    """What the person said at the start, as the planner's variables."""


class TakenUp(_News):
    """Another process goes on with the run."""

    kind: Literal["taken_up"] = "taken_up"


class Summed(_News):
    """All facts before this one, as the state they gave."""

    kind: Literal["summed"] = "summed"
    state: Json
    activity: list[ActivityNode] = Field(default_factory=list)


class Transitioned(_News):
    kind: Literal["transition"] = "transition"
    number: int
    from_state: State = Field(alias="from")
    event: Event
    to_state: State = Field(alias="to")
    going_on: bool = False
    """Only the way back to where actions are asked for: nothing failed, nothing is tried anew."""


class Commanded(_News):
    """The person, or somebody for them, steered the run."""

    kind: Literal["commanded"] = "commanded"
    command: CommandName
    by: str | None = None


class RestBegan(_News):
    """From here on nothing is worked at: the run waits, is paused, or has come to its end."""

    kind: Literal["rest_began"] = "rest_began"


class RestEnded(_News):
    kind: Literal["rest_ended"] = "rest_ended"


class Failed(_News):
    kind: Literal["failed"] = "failed"
    error: RunError
    resumable: bool = False
    """A retry goes on behind the lines that were done."""


class WentOn(_News):
    """The person wants the run to go on after an error, or after it was cancelled."""

    kind: Literal["went_on"] = "went_on"


class Cancelled(_News):
    kind: Literal["cancelled"] = "cancelled"


class Reset(_News):
    """As before the first call; what was written goes."""

    kind: Literal["reset"] = "reset"
    variables: Json


class Restarted(_News):
    """From the top of the plan; what was written goes."""

    kind: Literal["restarted"] = "restarted"


class Retried(_News):
    """The failed behavior again: behind the lines that were done, or from its beginning."""

    kind: Literal["retried"] = "retried"
    anew: bool = False
    """Also where it could go on behind the lines that were done."""


class CellsReplaced(_News):
    """What the attempt before wrote is out of the notebook, but for what a person changed."""

    kind: Literal["cells_replaced"] = "cells_replaced"
    gone: list[str] = Field(default_factory=list)
    kept: list[str] = Field(default_factory=list)


# -- the plan, and where the run is in it -----------------------------------------------------


class PlanAdopted(_News):
    kind: Literal["plan_adopted"] = "plan_adopted"
    workflow: Json


class PlanChanged(_News):
    """A proposal that the person confirmed, with their changes."""

    kind: Literal["plan_changed"] = "plan_changed"
    what: Literal["workflow", "steps"]
    update: Json


class StageEntered(_News):
    kind: Literal["stage_entered"] = "stage_entered"
    stage_id: str


class StepEntered(_News):
    kind: Literal["step_entered"] = "step_entered"
    step_id: str


class BehaviorEntered(_News):
    kind: Literal["behavior_entered"] = "behavior_entered"
    behavior_id: str | None = None
    goal: str | None = None


class BehaviorNamed(_News):
    """The planner named the current behavior in its stream."""

    kind: Literal["behavior_named"] = "behavior_named"
    behavior_id: str | None = None
    goal: str | None = None


class BehaviorBegan(_News):
    """Its actions are asked for, once more where it failed."""

    kind: Literal["behavior_began"] = "behavior_began"
    resumed: bool = False


class BehaviorChecked(_News):
    """Which of the names that matter the kernel has after its actions."""

    kind: Literal["behavior_checked"] = "behavior_checked"
    present: list[str]


class BehaviorEnded(_News):
    kind: Literal["behavior_ended"] = "behavior_ended"
    present: list[str]


class StepEnded(_News):
    kind: Literal["step_ended"] = "step_ended"
    present: list[str]
    confirmed: bool = True


class StageEnded(_News):
    kind: Literal["stage_ended"] = "stage_ended"
    present: list[str]
    judged: bool


class Jumped(_News):
    """Where the planner, or an approved plan, wants the run to go on; nowhere: that is settled."""

    kind: Literal["jumped"] = "jumped"
    stage_id: str | None = None
    step_id: str | None = None
    leaves_out: bool = True
    """Whether what lies between is left out: yes where the planner says so, no where a person
    approved a plan that has it."""


class PassedOver(_News):
    kind: Literal["passed_over"] = "passed_over"
    stages: list[str] = Field(default_factory=list)
    steps: list[str] = Field(default_factory=list)
    taken_up: str | None = None
    """A step that is to be run after all."""


# -- what the planner says --------------------------------------------------------------------


class PlannerCalled(_News):
    kind: Literal["planner_called"] = "planner_called"
    call: PlannerCall


class CallEnded(_News):
    kind: Literal["call_ended"] = "call_ended"
    number: int
    call: PlannerCall
    status: int | None
    tries: int
    duration_ms: float
    request_bytes: int
    answer_bytes: int
    error: str | None = None


class Judged(_News):
    kind: Literal["judged"] = "judged"
    level: JudgedLevel
    verdict: Verdict
    answer: Json
    """As the planner gave it."""
    after_behavior: bool = False


class ContextUpdated(_News):
    """What came in one answer with actions."""

    kind: Literal["context_updated"] = "context_updated"
    answer: Json


class NotJudged(_News):
    """The planner gave no answer."""

    kind: Literal["not_judged"] = "not_judged"


class ProposalsCarried(_News):
    """Proposals of a planning answer, as actions, that are still to be put before the person."""

    kind: Literal["proposals_carried"] = "proposals_carried"
    actions: list[Json]


class ProposalTaken(_News):
    """The first of the proposals that planning answers carried was dealt with."""

    kind: Literal["proposal_taken"] = "proposal_taken"


class VerdictKept(_News):
    """It came together with proposals: they are asked first, then it counts. No level: it has."""

    kind: Literal["verdict_kept"] = "verdict_kept"
    level: JudgedLevel | None = None
    achieved: bool = False


class TemporariesDeclared(_News):
    kind: Literal["temporaries_declared"] = "temporaries_declared"
    level: Levels
    names: list[str]
    present: list[str]
    """Those that the kernel had already: they are not the run's."""


class Promoted(_News):
    kind: Literal["promoted"] = "promoted"
    artifact: Json
    level: Levels


# -- actions and cells ------------------------------------------------------------------------


class ActionBegan(_News):
    kind: Literal["action_began"] = "action_began"
    number: int
    action_id: str
    type: str
    label: str
    digest: str | None = None
    """Of its line; None for a proposal out of a planning answer."""
    cell_id: str | None = None
    """The cell that is to run."""


class ActionEnded(_News):
    kind: Literal["action_ended"] = "action_ended"
    number: int
    action_id: str
    type: str
    success: bool
    refused: bool = False
    error: str | None = None
    cell_id: str | None = None
    again: bool = False
    """The notebook or the store could not take it: its line is still to be dealt with."""


class ActionUndone(_News):
    """The process stopped before it had ended: it is still to come, or it is left as it is."""

    kind: Literal["action_undone"] = "action_undone"
    left: bool = False


class LinesForgotten(_News):
    """The planner sends others instead of those behind the first `keep`."""

    kind: Literal["lines_forgotten"] = "lines_forgotten"
    keep: int


class LineSkipped(_News):
    kind: Literal["line_skipped"] = "line_skipped"
    why: str
    digest: str | None = None


class ActionsSkipped(_News):
    kind: Literal["actions_skipped"] = "actions_skipped"
    count: int


class RepairAsked(_News):
    kind: Literal["repair_asked"] = "repair_asked"
    message: str


class CellAdded(_News):
    kind: Literal["cell_added"] = "cell_added"
    cell_id: str
    cell_type: Literal["markdown", "code"]
    name: str | None = None
    """What the planner calls it."""


class CellRan(_News):
    kind: Literal["cell_ran"] = "cell_ran"
    cell_id: str
    status: Literal["ok", "error", "interrupted", "gone", "timeout"]
    printed: str = ""
    """For the planner."""
    kernel: str | None = None
    """Which life of which kernel it ran in."""
    theirs: list[str] | None = None
    """Names that the person had in the kernel when the run began; said once."""
    present: list[str] | None = None
    """Which of the names that matter exist now."""


class KernelFound(_News):
    kind: Literal["kernel_found"] = "kernel_found"
    identity: str


class NamesSeen(_News):
    kind: Literal["names_seen"] = "names_seen"
    present: list[str]


class NamesOverwritten(_News):
    """Names of the person's that the run's cells changed."""

    kind: Literal["names_overwritten"] = "names_overwritten"
    rebound: list[str] = Field(default_factory=list)
    deleted: list[str] = Field(default_factory=list)


class SectionBegan(_News):
    kind: Literal["section_began"] = "section_began"
    level: Literal["chapter", "section"]
    number: int
    section_id: str


class ThinkingChanged(_News):
    kind: Literal["thinking"] = "thinking"
    active: bool
    cell_id: str | None = None
    agent_name: str | None = None
    text: str = ""


# -- words ------------------------------------------------------------------------------------


class Noticed(_News):
    """For the person, and where it is a warning for the planner too."""

    kind: Literal["notice"] = "notice"
    level: Literal["info", "warning"] = "warning"
    text: str
    about: str | None = None
    """What has to change for it to be taken back."""
    to_planner: bool = True
    to_person: bool = True
    of_notebook: bool = False
    """What others did to the notebook."""


class WarningsSettled(_News):
    kind: Literal["warnings_settled"] = "warnings_settled"
    about: list[str]


class EffectAdded(_News):
    """Something the planner is to know of what happened."""

    kind: Literal["effect_added"] = "effect_added"
    text: str
    cell_id: str | None = None


class EffectsMoved(_News):
    kind: Literal["effects_moved"] = "effects_moved"


# -- questions --------------------------------------------------------------------------------


class Asked(_News):
    kind: Literal["asked"] = "asked"
    question: Pending


class Answered(_News):
    kind: Literal["answered"] = "answered"
    decision: Decision
    changes: Json | None = None
    """What the person made of what was proposed."""


class QuestionClosed(_News):
    """It was taken in, or needs no answer any more."""

    kind: Literal["question_closed"] = "question_closed"


# -- signs ------------------------------------------------------------------------------------


class StatusTold(_News):
    kind: Literal["status"] = "status"
    status: RunStatus
    state: State
    reason: str | None = None


class KernelStarting(_News):
    kind: Literal["kernel_starting"] = "kernel_starting"


class CellRunning(_News):
    kind: Literal["cell_running"] = "cell_running"
    cell_id: str


class Said(_News):
    """Something an action of the planner's, or of a package, wants to have told."""

    kind: Literal["said"] = "said"
    name: str
    payload: Json


Fact = Annotated[
    Began
    | TakenUp
    | Summed
    | Transitioned
    | Commanded
    | RestBegan
    | RestEnded
    | Failed
    | WentOn
    | Cancelled
    | Reset
    | Restarted
    | Retried
    | CellsReplaced
    | PlanAdopted
    | PlanChanged
    | StageEntered
    | StepEntered
    | BehaviorEntered
    | BehaviorNamed
    | BehaviorBegan
    | BehaviorChecked
    | BehaviorEnded
    | StepEnded
    | StageEnded
    | Jumped
    | PassedOver
    | PlannerCalled
    | CallEnded
    | Judged
    | ContextUpdated
    | NotJudged
    | ProposalsCarried
    | ProposalTaken
    | VerdictKept
    | TemporariesDeclared
    | Promoted
    | ActionBegan
    | ActionEnded
    | ActionUndone
    | LinesForgotten
    | LineSkipped
    | ActionsSkipped
    | RepairAsked
    | CellAdded
    | CellRan
    | KernelFound
    | NamesSeen
    | NamesOverwritten
    | SectionBegan
    | ThinkingChanged
    | Noticed
    | WarningsSettled
    | EffectAdded
    | EffectsMoved
    | Asked
    | Answered
    | QuestionClosed,
    Field(discriminator="kind"),
]
Sign = Annotated[StatusTold | KernelStarting | CellRunning | Said, Field(discriminator="kind")]
News = Annotated[Fact | Sign, Field(discriminator="kind")]

FACTS: TypeAdapter[Fact] = TypeAdapter(Fact)
