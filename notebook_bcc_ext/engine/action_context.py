"""What a handler's `ActionContext` does in a real run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Literal

from notebook_bcc_ext.actions.context import ActionResult, ThinkingState
from notebook_bcc_ext.engine.memory import Json
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.promotion import promote
from notebook_bcc_ext.engine.proposals import Update, check_update
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import InvalidProposalError, NotFoundError
from notebook_bcc_ext.observation.output_text import text_of_outputs
from notebook_bcc_ext.ports import CellText, NewCell, RunResult
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.calls import Promotion


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
        return self._world.memory.thinking

    @thinking.setter
    def thinking(self, thinking: ThinkingState | None) -> None:
        self._world.memory.thinking = thinking

    @property
    def last_text_cell(self) -> str | None:
        return self._world.memory.last_text_cell

    async def add_cell(
        self,
        cell_type: Literal["markdown", "code"],
        source: str,
        *,
        metadata: Json | None = None,
        store_id: str | None = None,
    ) -> str:
        memory = self._world.memory
        cell_id = await self._world.notebook.insert(
            NewCell(
                cell_type=cell_type,
                source=source,
                metadata={**(metadata or {}), METADATA_KEY: self._provenance()},
                wanted_id=store_id,
            )
        )
        memory.counts.cells_added += 1
        if store_id:
            memory.remember_cell(store_id, cell_id)
        if cell_type == "code":
            memory.last_code_cell = cell_id
        else:
            memory.last_text_cell = cell_id
        self.publish("cell", {"cell_id": cell_id, "cell_type": cell_type, "change": "added"})
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
        progress = self._world.memory.progress
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
        self._world.memory.counts.cells_executed += 1
        if result.status != "gone":
            # Otherwise nothing of it is left, and the next kernel has to be noticed.
            self._world.memory.remember_executed(cell_id)
            self._world.memory.kernel = self._world.runner.identity
            self._world.memory.remember_theirs(self._world.runner.theirs)
        failed = result.status != "ok"
        if failed or need_output:
            self._world.effects.add(text_of_outputs([*result.outputs, *result.caught]), cell_id)
        if result.notice:
            self._world.warn(result.notice)
        if self._wrote(text):
            await self._mark_debug(cell_id, text.mark or {}, wanted=failed or keep_debug)
        await self._observer.note_present(result.present)
        if not failed:
            return ActionResult(success=True, cell_id=cell_id)
        self.failed_run, self.failed_cell = result, cell_id
        return ActionResult(success=False, error=failure_text(result), cell_id=cell_id)

    async def _mark_debug(self, cell_id: str, mark: Json, *, wanted: bool) -> None:
        """Whether the cell offers Debug (A18); where it comes from stays on it."""
        if wanted == bool(mark.get("debug")):
            return
        mark = {key: value for key, value in mark.items() if key != "debug"}
        if wanted:
            mark["debug"] = True
        await self._world.notebook.set_metadata(cell_id, {METADATA_KEY: mark})

    async def _execute(self, cell_id: str, source: str) -> RunResult:
        notebook = self._world.notebook
        await notebook.start_execution(cell_id)
        count: int | None = None
        try:
            self._world.checkpoint.check()
            self.publish("cell", {"cell_id": cell_id, "change": "running"})
            names = self._world.memory.progress.outputs.names()
            result = await self._world.runner.run(source, cell_id, notebook.post_outputs, names)
            count = result.execution_count
        finally:
            # Also when the run is cancelled: no cell may stay marked as running.
            notebook.finish_execution(cell_id, count)
        self.publish("cell", {"cell_id": cell_id, "change": result.status})
        return result

    def _cell(self, name: str) -> str:
        cell_id = self._world.memory.cell_named(name)
        if cell_id is None:
            raise NotFoundError("no code cell has been added yet, so none can be run")
        return cell_id

    # -- the workflow -----------------------------------------------------------------------

    def new_chapter(self) -> tuple[int, str]:
        return self._world.memory.sections.new_chapter()

    def new_section(self, section_id: str | None, number: int | None) -> tuple[int, str]:
        self._world.memory.tally.sections_added += 1
        return self._world.memory.sections.new_section(section_id, number)

    def current_effects(self) -> list[str]:
        return self._world.effects.current

    def effects_to_history(self) -> None:
        self._world.effects.move_to_history()

    def propose_workflow(self, update: WorkflowUpdate) -> None:
        self._propose(update)

    def propose_steps(self, update: StageStepsUpdate) -> None:
        self._propose(update)

    def _propose(self, update: Update) -> None:
        check_update(update, self._world.memory.progress)
        self.proposal = update

    def end_step(self, step_id: str | None) -> None:
        current = self._world.memory.progress.step_id
        if step_id is not None and step_id != current:
            raise InvalidProposalError(
                f"end_phase names step '{step_id}' but the current step is '{current}'"
            )
        self.step_ended = True

    def publish(self, kind: str, payload: Json) -> None:
        self._on_loop(self._world.publish, kind, payload)

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
