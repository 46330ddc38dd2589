"""What a handler may do. The engine provides it; a custom handler gets the same object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowUpdate

Json = dict[str, Any]


@dataclass(frozen=True)
class Thought:
    """What a thinking cell shows."""

    agent_name: str | None = None
    text: str = ""


@dataclass(frozen=True)
class ThinkingState:
    """The open thinking cell, if any; shown live beside the notebook (A3)."""

    cell_id: str
    agent_name: str | None = None
    text: str = ""


@dataclass(frozen=True)
class ActionResult:
    """How an action ended (A17). Nothing that went wrong is a success."""

    success: bool
    error: str | None = None
    action_id: str | None = None
    cell_id: str | None = None
    details: Json = field(default_factory=dict)


class ActionContext(Protocol):
    """One run, seen from an action."""

    action_id: str
    """Names this action in events and in the provenance of its cells."""

    @property
    def thinking(self) -> ThinkingState | None:
        """The open thinking cell."""

    def begin_thinking(self, thinking: ThinkingState) -> None:
        """A cell of this run is the open thinking cell; shown live beside the notebook."""

    def end_thinking(self) -> None:
        """Nobody is thinking any more."""

    async def add_cell(
        self,
        cell_type: Literal["markdown", "code"],
        source: str,
        *,
        metadata: Json | None = None,
        store_id: str | None = None,
        thinking: Thought | None = None,
    ) -> str:
        """Write a cell with the action's provenance; its id. `store_id` can name it later, and with
        `thinking` it is the open thinking cell."""

    async def set_source(self, cell_id: str, source: str) -> bool:
        """Write a cell of this run's anew. False where the cell is the person's, because the run
        did not write it or they have changed it: then it is left as it is."""

    async def set_metadata(self, cell_id: str, changes: Json) -> bool:
        """Merge into the metadata of a cell, with the same care; None removes a key."""

    async def set_title(self, title: str) -> None:
        """A heading at the start of what this run writes."""

    async def run_cell(
        self, cell_name: str, *, need_output: bool, keep_debug: bool
    ) -> ActionResult:
        """Run a code cell, named by id, `store_id` or `lastAddedCellId`. A cell that fails is a
        result without success; KernelError is raised where no kernel can run it."""

    @property
    def last_text_cell(self) -> str | None:
        """The last markdown cell this run added."""

    def new_chapter(self) -> tuple[int, str]:
        """Count one more chapter; its number and id."""

    def new_section(self, section_id: str | None, number: int | None) -> tuple[int, str]:
        """Move on to a section, the next one where nothing is said; its number and id."""

    def current_effects(self) -> list[str]:
        """What the cells of the current behavior put out, as the planner is told it."""

    def effects_to_history(self) -> None:
        """Those effects have been commented on: the planner is told them as past ones."""

    def propose_workflow(self, update: WorkflowUpdate) -> None:
        """Ask the person; the run stops there until the answer."""

    def propose_steps(self, update: StageStepsUpdate) -> None:
        """The same for the steps of one stage. Both raise InvalidProposalError where the update
        would break the running workflow."""

    def end_step(self, step_id: str | None) -> None:
        """The current step is complete once this action is (A10)."""

    def publish(self, kind: str, payload: Json) -> None:
        """An event for whoever watches the run (A11)."""

    def warn(self, text: str) -> None:
        """Something the person and the planner should know, and that stops nothing."""

    async def promote(self, variable_name: str, artifact_id: str, description: str) -> None:
        """Give a variable of the kernel the artifact's name, and tell the planner of it."""
