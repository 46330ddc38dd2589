"""Facts of a run as a whole: its way through the states, rests, failures, questions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_bcc_ext.protocol.browser.news import Dated, Json
from notebook_bcc_ext.protocol.browser.runs import (
    ActivityNode,
    CommandName,
    Decision,
    Pending,
    RunError,
)
from notebook_bcc_ext.protocol.states import Event, State


class Began(Dated):
    kind: Literal["began"] = "began"
    variables: Json
    """What the person said at the start, as the planner's variables."""


class TakenUp(Dated):
    """Another process goes on with the run."""

    kind: Literal["taken_up"] = "taken_up"


class Summed(Dated):
    """All facts before this one, as the state they gave."""

    kind: Literal["summed"] = "summed"
    state: Json
    activity: list[ActivityNode] = Field(default_factory=list)


class Transitioned(Dated):
    kind: Literal["transition"] = "transition"
    number: int
    from_state: State = Field(alias="from")
    event: Event
    to_state: State = Field(alias="to")
    going_on: bool = False
    """Only the way back to where actions are asked for: nothing failed, nothing is tried anew."""


class Commanded(Dated):
    """The person, or somebody for them, steered the run."""

    kind: Literal["commanded"] = "commanded"
    command: CommandName
    by: str | None = None


class RestBegan(Dated):
    """From here on nothing is worked at: the run waits, is paused, or has come to its end."""

    kind: Literal["rest_began"] = "rest_began"


class RestEnded(Dated):
    kind: Literal["rest_ended"] = "rest_ended"


class Failed(Dated):
    kind: Literal["failed"] = "failed"
    error: RunError
    resumable: bool = False
    """A retry goes on behind the lines that were done."""


class WentOn(Dated):
    """The person wants the run to go on after an error, or after it was cancelled."""

    kind: Literal["went_on"] = "went_on"


class Cancelled(Dated):
    kind: Literal["cancelled"] = "cancelled"


class Reset(Dated):
    """As before the first call; what was written goes."""

    kind: Literal["reset"] = "reset"
    variables: Json


class Restarted(Dated):
    """From the top of the plan; what was written goes."""

    kind: Literal["restarted"] = "restarted"


class Retried(Dated):
    """The failed behavior again: behind the lines that were done, or from its beginning."""

    kind: Literal["retried"] = "retried"
    anew: bool = False
    """Also where it could go on behind the lines that were done."""


class CellsReplaced(Dated):
    """What the attempt before wrote is out of the notebook, but for what a person changed."""

    kind: Literal["cells_replaced"] = "cells_replaced"
    gone: list[str] = Field(default_factory=list)
    kept: list[str] = Field(default_factory=list)


class Asked(Dated):
    kind: Literal["asked"] = "asked"
    question: Pending


class Answered(Dated):
    kind: Literal["answered"] = "answered"
    decision: Decision
    changes: Json | None = None
    """What the person made of what was proposed."""


class QuestionClosed(Dated):
    """It was taken in, or needs no answer any more."""

    kind: Literal["question_closed"] = "question_closed"


class Noticed(Dated):
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


class WarningsSettled(Dated):
    kind: Literal["warnings_settled"] = "warnings_settled"
    about: list[str]


class EffectAdded(Dated):
    """Something the planner is to know of what happened."""

    kind: Literal["effect_added"] = "effect_added"
    text: str
    cell_id: str | None = None


class EffectsMoved(Dated):
    kind: Literal["effects_moved"] = "effects_moved"
