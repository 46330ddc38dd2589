"""Facts of actions, and of the cells and names they left."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_bcc_ext.protocol.browser.news import Dated


class ActionBegan(Dated):
    kind: Literal["action_began"] = "action_began"
    number: int
    action_id: str
    type: str
    label: str
    digest: str | None = None
    """Of its line; None for a proposal out of a planning answer."""
    cell_id: str | None = None
    """The cell that is to run."""


class ActionEnded(Dated):
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
    ends_step: bool = False
    """The planner says that the step is complete with it; what follows in its stream is skipped."""


class ActionUndone(Dated):
    """The process stopped before it had ended: it is still to come, or it is left as it is."""

    kind: Literal["action_undone"] = "action_undone"
    left: bool = False


class LinesForgotten(Dated):
    """The planner sends others instead of those behind the first `keep`."""

    kind: Literal["lines_forgotten"] = "lines_forgotten"
    keep: int


class LineSkipped(Dated):
    kind: Literal["line_skipped"] = "line_skipped"
    why: str
    digest: str | None = None


class ActionsSkipped(Dated):
    kind: Literal["actions_skipped"] = "actions_skipped"
    count: int


class RepairAsked(Dated):
    kind: Literal["repair_asked"] = "repair_asked"
    message: str


class CellAdded(Dated):
    kind: Literal["cell_added"] = "cell_added"
    cell_id: str
    cell_type: Literal["markdown", "code"]
    name: str | None = None
    """What the planner calls it."""


class CellRan(Dated):
    kind: Literal["cell_ran"] = "cell_ran"
    cell_id: str
    status: Literal["ok", "error", "interrupted", "gone", "timeout"]
    printed: str = ""
    """For the planner."""
    error: str | None = None
    """Why it did not end well."""
    kernel: str | None = None
    """Which life of which kernel it ran in."""
    theirs: list[str] | None = None
    """Names that the person had in the kernel when the run began; said once."""
    present: list[str] | None = None
    """Which of the names that matter exist now."""


class KernelFound(Dated):
    kind: Literal["kernel_found"] = "kernel_found"
    identity: str


class NamesSeen(Dated):
    kind: Literal["names_seen"] = "names_seen"
    present: list[str]


class NamesOverwritten(Dated):
    """Names of the person's that the run's cells changed."""

    kind: Literal["names_overwritten"] = "names_overwritten"
    rebound: list[str] = Field(default_factory=list)
    deleted: list[str] = Field(default_factory=list)


class SectionBegan(Dated):
    kind: Literal["section_began"] = "section_began"
    level: Literal["chapter", "section"]
    number: int
    section_id: str


class ThinkingChanged(Dated):
    kind: Literal["thinking"] = "thinking"
    active: bool
    cell_id: str | None = None
    agent_name: str | None = None
    text: str = ""
