"""What a handler's `ActionContext` does in a real run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Literal

from notebook_bcc_ext.actions.context import ActionResult, ThinkingState, Thought
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.promotion import promote
from notebook_bcc_ext.engine.proposals import Update, check_update
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import InvalidProposalError, NotFoundError
from notebook_bcc_ext.observation.output_text import text_of_outputs
from notebook_bcc_ext.ports import CellText, NewCell, RunResult
from notebook_bcc_ext.protocol.browser.facts import (
    CellAdded,
    CellRan,
    CellRunning,
    EffectsMoved,
    Said,
    SectionBegan,
    ThinkingChanged,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.calls import Promotion

Json = dict[str, Any]


class RunActionContext:
    """Made for one action; what the action asked of the run is read off it afterwards."""

    def __init__(self, world: World, observer: Observer, action_id: str) -> None:
        self._world = world
        self._observer = observer
        self.action_id = action_id
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self.proposal: Update | None = None
        self.step_ended = False
        self.failed_run: RunResult | None = None
        self.failed_cell: str | None = None

    # -- cells ------------------------------------------------------------------------------

    @property
    def thinking(self) -> ThinkingState | None:
        return self._world.state.thinking

    def begin_thinking(self, thinking: ThinkingState) -> None:
        self._world.ledger.record(
            ThinkingChanged(
                active=True,
                cell_id=thinking.cell_id,
                agent_name=thinking.agent_name,
                text=thinking.text,
            )
        )

    def end_thinking(self) -> None:
        self._world.ledger.record(ThinkingChanged(active=False))

    @property
    def last_text_cell(self) -> str | None:
        return self._world.state.last_text_cell

    async def add_cell(
        self,
        cell_type: Literal["markdown", "code"],
        source: str,
        *,
        metadata: Json | None = None,
        store_id: str | None = None,
        thinking: Thought | None = None,
    ) -> str:
        world = self._world
        cell = NewCell(
            cell_type=cell_type,
            source=source,
            metadata={**(metadata or {}), METADATA_KEY: self._provenance()},
            wanted_id=store_id,
        )
        await world.notebook.ready()
        with world.store.together():
            # The cell and the word of it: both are stored, or none.
            cell_id = world.notebook.insert(cell)
            added = CellAdded(cell_id=cell_id, cell_type=cell_type, name=store_id or None)
            world.ledger.record(added)
            if thinking is not None:
                self.begin_thinking(ThinkingState(cell_id, thinking.agent_name, thinking.text))
            world.ledger.post()
        return cell_id

    async def set_source(self, cell_id: str, source: str) -> bool:
        if not await self._is_own(cell_id):
            return False
        return await self._world.notebook.set_source(cell_id, source)

    async def set_metadata(self, cell_id: str, changes: Json) -> bool:
        own = await self._is_own(cell_id)
        if own:
            await self._world.notebook.set_metadata(cell_id, changes)
        return own

    async def _is_own(self, cell_id: str) -> bool:
        """Whether this run wrote the cell, and the person has left it so."""
        text = await self._world.notebook.text_of(cell_id)
        return text is not None and text.untouched and self._wrote(text)

    def _wrote(self, text: CellText) -> bool:
        return (text.mark or {}).get("run") == self._world.run_id

    async def set_title(self, title: str) -> None:
        await self._world.notebook.set_title(title, self._provenance())

    def _provenance(self) -> Json:
        progress = self._world.state.progress
        return {
            "run": self._world.run_id,
            "stage": progress.stage_id,
            "step": progress.step_id,
            "behavior": progress.behavior_id,
            "iteration": progress.iteration,
            "action": self.action_id,
        }

    # -- code -------------------------------------------------------------------------------

    async def run_cell(
        self, cell_name: str, *, need_output: bool, keep_debug: bool
    ) -> ActionResult:
        cell_id = self._cell(cell_name)
        text = await self._world.notebook.text_of(cell_id)
        self._world.tell_notices()
        if text is None:
            return ActionResult(
                success=False, error=f"cell '{cell_name}' is no longer in the notebook"
            )
        if text.cell_type != "code":
            return ActionResult(
                success=False,
                error=f"cell '{cell_name}' is a {text.cell_type} cell, so it was not run: name a "
                "code cell",
            )
        result = await self._execute(cell_id, text.source)
        failed = result.status != "ok"
        printed = ""
        if failed or need_output:
            printed = text_of_outputs([*result.outputs, *result.caught])
        self._note_end(cell_id, result, printed, failure_text(result) if failed else None)
        if result.notice:
            self._world.warn(result.notice)
        if self._wrote(text):
            await self._mark_debug(cell_id, text.mark or {}, wanted=failed or keep_debug)
        if result.present is None:
            await self._observer.note_present()
        if not failed:
            return ActionResult(success=True, cell_id=cell_id)
        self.failed_run, self.failed_cell = result, cell_id
        return ActionResult(success=False, error=failure_text(result), cell_id=cell_id)

    def _note_end(self, cell_id: str, result: RunResult, printed: str, error: str | None) -> None:
        """In the notebook and in the run: both are stored, or none."""
        world = self._world
        with world.store.together():
            world.notebook.finish_execution(cell_id, result.execution_count)
            world.ledger.record(
                CellRan(
                    cell_id=cell_id,
                    status=result.status,
                    printed=printed,
                    error=error,
                    kernel=world.runner.identity,
                    theirs=self._theirs(),
                    present=None if result.present is None else sorted(result.present),
                )
            )
            world.ledger.post()

    def _theirs(self) -> list[str] | None:
        """Said once: the names do not change, and may be many."""
        theirs = self._world.runner.theirs
        return None if theirs is None or self._world.state.theirs is not None else list(theirs)

    async def _mark_debug(self, cell_id: str, mark: Json, *, wanted: bool) -> None:
        """Whether the cell offers Debug (A18); where it comes from stays on it."""
        if wanted == bool(mark.get("debug")):
            return
        mark = {key: value for key, value in mark.items() if key != "debug"}
        if wanted:
            mark["debug"] = True
        await self._world.notebook.set_metadata(cell_id, {METADATA_KEY: mark})

    async def _execute(self, cell_id: str, source: str) -> RunResult:
        world = self._world
        # Before code runs, the store has to know that it is about to.
        world.ledger.post()
        await world.notebook.start_execution(cell_id)
        try:
            await world.ledger.stored()
            world.ledger.sign(CellRunning(cell_id=cell_id))
            names = world.state.progress.outputs.names()
            return await world.runner.run(source, cell_id, world.notebook.post_outputs, names)
        except BaseException:
            # Also when the run is cancelled: no cell may stay marked as running.
            world.notebook.finish_execution(cell_id, None)
            raise

    def _cell(self, name: str) -> str:
        cell_id = self._world.state.cell_named(name)
        if cell_id is None:
            raise NotFoundError("no code cell has been added yet, so none can be run")
        return cell_id

    # -- the workflow -----------------------------------------------------------------------

    def new_chapter(self) -> tuple[int, str]:
        number, chapter_id = self._world.state.sections.next_chapter()
        self._begin("chapter", number, chapter_id)
        return number, chapter_id

    def new_section(self, section_id: str | None, number: int | None) -> tuple[int, str]:
        wanted, wanted_id = self._world.state.sections.next_section(section_id, number)
        self._begin("section", wanted, wanted_id)
        return wanted, wanted_id

    def _begin(self, level: Literal["chapter", "section"], number: int, section_id: str) -> None:
        self._world.ledger.record(SectionBegan(level=level, number=number, section_id=section_id))

    def current_effects(self) -> list[str]:
        return self._world.state.effects.texts()

    def effects_to_history(self) -> None:
        self._world.ledger.record(EffectsMoved())

    def propose_workflow(self, update: WorkflowUpdate) -> None:
        self._propose(update)

    def propose_steps(self, update: StageStepsUpdate) -> None:
        self._propose(update)

    def _propose(self, update: Update) -> None:
        check_update(update, self._world.state.progress)
        self.proposal = update

    def end_step(self, step_id: str | None) -> None:
        current = self._world.state.progress.step_id
        if step_id is not None and step_id != current:
            raise InvalidProposalError(
                f"end_phase names step '{step_id}' but the current step is '{current}'"
            )
        self.step_ended = True

    def publish(self, kind: str, payload: Json) -> None:
        self._on_loop(self._world.ledger.sign, Said(name=kind, payload=payload))

    def warn(self, text: str) -> None:
        self._on_loop(self._world.warn, text)

    def _on_loop(self, tell: Callable[..., None], *what: object) -> None:
        if threading.get_ident() == self._thread:
            tell(*what)
        else:
            # A sync handler from elsewhere runs in a thread of its own.
            self._loop.call_soon_threadsafe(tell, *what)

    async def promote(self, variable_name: str, artifact_id: str, description: str) -> None:
        await promote(
            self._world,
            Promotion(
                variable_name=variable_name, artifact_id=artifact_id, description=description
            ),
        )
        await self._observer.note_present()


def failure_text(result: RunResult) -> str:
    if result.error is not None and result.status != "interrupted":
        return f"{result.error.name}: {result.error.message}"
    words = {
        "interrupted": "the cell was interrupted",
        "gone": "the kernel died or was restarted while the cell ran",
        "timeout": "the cell did not finish in time",
    }
    return result.notice or words.get(result.status, "the cell failed")
