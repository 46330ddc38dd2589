"""What happens in a run: facts, which are stored and of which its state is the fold, and signs,
which only tell whoever is watching.

A fact is small, typed and dated. `engine/fold.py` says what each of them makes of a run, and
nothing else does; after a restart the same facts give the same run. The browser, the command line
and the log hear of facts and signs as they happen.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from notebook_bcc_ext.protocol.browser.action_facts import (
    ActionBegan,
    ActionEnded,
    ActionsSkipped,
    ActionUndone,
    CellAdded,
    CellRan,
    KernelFound,
    LinesForgotten,
    LineSkipped,
    NamesOverwritten,
    NamesSeen,
    RepairAsked,
    SectionBegan,
    ThinkingChanged,
)
from notebook_bcc_ext.protocol.browser.news import Levels, PlannerCall, When
from notebook_bcc_ext.protocol.browser.plan_facts import (
    BehaviorBegan,
    BehaviorChecked,
    BehaviorEnded,
    BehaviorEntered,
    BehaviorNamed,
    CallEnded,
    ContextUpdated,
    Judged,
    Jumped,
    NotJudged,
    PassedOver,
    PlanAdopted,
    PlanChanged,
    PlannerCalled,
    Promoted,
    ProposalsCarried,
    ProposalTaken,
    StageEnded,
    StageEntered,
    StepEnded,
    StepEntered,
    TemporariesDeclared,
    VerdictKept,
)
from notebook_bcc_ext.protocol.browser.run_facts import (
    Answered,
    Asked,
    Began,
    Cancelled,
    CellsReplaced,
    Commanded,
    EffectAdded,
    EffectsMoved,
    Failed,
    Noticed,
    QuestionClosed,
    Reset,
    Restarted,
    RestBegan,
    RestEnded,
    Retried,
    Summed,
    TakenUp,
    Transitioned,
    WarningsSettled,
    WentOn,
)
from notebook_bcc_ext.protocol.browser.signs import (
    CellRunning,
    KernelStarting,
    Said,
    StatusTold,
)

__all__ = [
    "FACTS",
    "ActionBegan",
    "ActionEnded",
    "ActionUndone",
    "ActionsSkipped",
    "Answered",
    "Asked",
    "Began",
    "BehaviorBegan",
    "BehaviorChecked",
    "BehaviorEnded",
    "BehaviorEntered",
    "BehaviorNamed",
    "CallEnded",
    "Cancelled",
    "CellAdded",
    "CellRan",
    "CellRunning",
    "CellsReplaced",
    "Commanded",
    "ContextUpdated",
    "EffectAdded",
    "EffectsMoved",
    "Fact",
    "Failed",
    "Judged",
    "Jumped",
    "KernelFound",
    "KernelStarting",
    "Levels",
    "LineSkipped",
    "LinesForgotten",
    "NamesOverwritten",
    "NamesSeen",
    "News",
    "NotJudged",
    "Noticed",
    "PassedOver",
    "PlanAdopted",
    "PlanChanged",
    "PlannerCall",
    "PlannerCalled",
    "Promoted",
    "ProposalTaken",
    "ProposalsCarried",
    "QuestionClosed",
    "RepairAsked",
    "Reset",
    "RestBegan",
    "RestEnded",
    "Restarted",
    "Retried",
    "Said",
    "SectionBegan",
    "Sign",
    "StageEnded",
    "StageEntered",
    "StatusTold",
    "StepEnded",
    "StepEntered",
    "Summed",
    "TakenUp",
    "TemporariesDeclared",
    "ThinkingChanged",
    "Transitioned",
    "VerdictKept",
    "WarningsSettled",
    "WentOn",
    "When",
]

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
