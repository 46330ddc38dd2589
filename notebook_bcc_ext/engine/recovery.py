"""Taking up a run that a stopped or killed process left behind (F12, U8, A17).

Nothing is done twice without the person's word: a cell that was written is found again by its
provenance, a cell that may have run is asked about, and a lost kernel is rebuilt only on request.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.engine.approval import Approval
from notebook_bcc_ext.engine.attempts import clear_away
from notebook_bcc_ext.engine.memory import BehaviorTally, Intent, RunMemory
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY

Json = dict[str, Any]

_LOOK_BACK = 20
"""The cell of an action in doubt is among the last ones of the notebook."""


async def reconnect(world: World, approval: Approval) -> None:
    """The notebook and a kernel again, and what became of the action that was under way."""
    # Before the first stage nothing was written, so a missing notebook is made.
    await world.notebook.open(again=world.memory.has_workflow)
    settle_intent(world)
    world.publish("kernel", {"change": "starting"})
    await world.runner.start(world.memory.kernel)
    await notice_new_kernel(world, approval)


async def notice_new_kernel(world: World, approval: Approval) -> None:
    """The cells of this run ran in another kernel, or in an earlier life of this one: they are run
    again there, or the run rests until the person wants it (N8)."""
    memory = world.memory
    while (identity := await _kernel_now(world)) not in (None, memory.kernel):
        if memory.kernel is None or await _made_good(world, approval):
            memory.kernel = identity
        else:
            world.pause("kernel")
            await world.passage()


async def _made_good(world: World, approval: Approval) -> bool:
    """Whether the kernel has again what the cells of this run gave it."""
    # Cells whose place a new attempt takes are not to run again.
    await clear_away(world)
    cells = list(world.memory.executed_cells)
    if not cells:
        return True
    return await approval.of_rebuild(cells) and await _rebuild(world, cells)


async def _kernel_now(world: World) -> str | None:
    """The person may have restarted or changed it since anybody looked."""
    if world.memory.kernel is not None:
        with suppress(BccError):  # What is wrong with it, the next cell will say.
            await world.runner.start()
    return world.runner.identity


async def _rebuild(world: World, cell_ids: list[str]) -> bool:
    """False when it was broken off, so that variables are missing."""
    for cell_id in cell_ids:
        text = await world.notebook.text_of(cell_id)
        if text is None or text.cell_type != "code":
            continue
        await world.notebook.start_execution(cell_id)
        result = await world.runner.run(text.source, cell_id, world.notebook.post_outputs)
        world.notebook.finish_execution(cell_id, result.execution_count)
        if result.status in ("gone", "interrupted"):
            world.warn(f"running the cells above again was broken off at cell {cell_id}")
            return False
        if result.status != "ok":
            # It may have failed the first time as well; the planner sees it and judges.
            world.warn(f"cell {cell_id} failed while the kernel was rebuilt")
    return True


def settle_intent(world: World) -> None:
    """The action that was under way: its cell is there, so it is done; or it has still to be.

    Running code leaves no such trace; that intent stays in doubt until the person decides.
    """
    memory = world.memory
    intent = memory.in_doubt
    if intent is None or intent.kind == "exec":
        return
    memory.in_doubt = None
    cell = _cell_of(world, intent)
    if cell is not None:
        _adopt(memory, intent, cell)
        world.activity.settle(success=True, cell_id=cell["id"])


def _cell_of(world: World, intent: Intent) -> Json | None:
    wanted = (world.run_id, f"action-{intent.number}")
    for cell in reversed(world.notebook.recent_cells(_LOOK_BACK)):
        mark = cell.get("metadata", {}).get(METADATA_KEY)
        # Anybody may have written the file.
        if isinstance(mark, dict) and (mark.get("run"), mark.get("action")) == wanted:
            return cell
    return None


def _adopt(memory: RunMemory, intent: Intent, cell: Json) -> None:
    """As if the action had ended: its cell counts, its line is not run again."""
    if not memory.resumable:
        # It was the first of its behavior: what is remembered is still of the one before.
        memory.forget_lines()
        memory.tally, memory.resumable = BehaviorTally(), True
    memory.counts.actions = intent.number
    memory.counts.actions_succeeded += 1
    memory.counts.cells_added += 1
    memory.tally.executed += 1
    memory.tally.succeeded += 1
    cell_id, metadata = cell["id"], cell.get("metadata", {})
    if intent.store_id:
        memory.remember_cell(intent.store_id, cell_id)
    if cell["cell_type"] == "code":
        memory.last_code_cell = cell_id
    else:
        memory.last_text_cell = cell_id
    chapter = metadata.get("chapter_number")
    if metadata.get("is_chapter") and isinstance(chapter, int):
        memory.sections.chapters = chapter or memory.sections.chapters
    if metadata.get("is_section"):
        memory.tally.sections_added += 1
        memory.sections.new_section(metadata.get("section_id"), metadata.get("section_number"))
    if metadata.get("thinking"):
        memory.thinking = ThinkingState(cell_id, metadata.get("agent_name"))
    if intent.digest is not None:
        memory.remember_line(intent.digest)
