"""The handlers of the protocol's own actions (A1-A12, O10), registered like anybody's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from notebook_bcc_ext.actions.cleaning import clean_code, clean_text, heading, title_text
from notebook_bcc_ext.actions.context import ActionContext, ActionResult, Thought
from notebook_bcc_ext.actions.registry import ActionRegistry, AnyHandler
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner import actions as wire

Json = dict[str, Any]


def builtin_registry() -> ActionRegistry:
    registry = ActionRegistry()
    for kind, handler in _HANDLERS.items():
        registry.register_handler(kind, handler)
    registry.own_handlers()
    return registry


def cell_metadata(given: wire.ActionMetadata | None, **ours: Any) -> Json:
    """A planner's metadata with what the action knows better; unset fields left out (A15).

    Fields that are not the protocol's go under `extra`: at the top of a cell's metadata a
    stranger's `trusted` would be a promise of ours.
    """
    said = given.to_wire() if given else {}
    extra = {**(given.model_extra or {}), **said.get("extra", {})} if given else {}
    known = {key: said[key] for key in wire.ActionMetadata.model_fields if key in said}
    known.pop("extra", None)
    if known.pop("source_hidden", False):
        # Where Jupyter itself keeps it.
        ours["jupyter"] = {"source_hidden": True}
    fields = {**known, **{key: value for key, value in ours.items() if value is not None}}
    return {**fields, "extra": extra} if extra else fields


async def add(context: ActionContext, action: wire.AddAction) -> ActionResult:
    if action.is_code:
        cell_type, source = "code", clean_code(action.content)
    else:
        cell_type, source = "markdown", clean_text(action.content)
    given = action.metadata
    ours: Json = {}
    if given is not None and given.is_section:
        ours["section_number"], ours["section_id"] = context.new_section(
            given.section_id, given.section_number
        )
    cell_id = await context.add_cell(
        "code" if cell_type == "code" else "markdown",
        source,
        metadata=cell_metadata(given, **ours),
        store_id=action.store_id,
    )
    return ActionResult(success=True, cell_id=cell_id)


async def execute(context: ActionContext, action: wire.ExecAction) -> ActionResult:
    return await context.run_cell(
        action.codecell_id,
        need_output=action.need_output,
        keep_debug=action.keep_debug_button_visible,
    )


async def is_thinking(context: ActionContext, action: wire.IsThinkingAction) -> ActionResult:
    await close_thinking(context)
    text = "\n\n".join(
        part
        for part in (action.custom_text, action.thinking_text, *action.text_array)
        if part and part.strip()
    )
    metadata = cell_metadata(
        action.metadata, thinking_text=action.thinking_text, agent_name=action.agent_name
    )
    cell_id = await _open_thinking(context, action.agent_name, text, metadata, action.store_id)
    return ActionResult(success=True, cell_id=cell_id)


async def _open_thinking(
    context: ActionContext,
    agent_name: str | None,
    text: str,
    metadata: Json,
    store_id: str | None = None,
) -> str:
    return await context.add_cell(
        "markdown",
        thinking_source(agent_name, text),
        metadata={**metadata, "thinking": True, "finished_thinking": False},
        store_id=store_id,
        thinking=Thought(agent_name, text),
    )


async def finish_thinking(
    context: ActionContext, _action: wire.FinishThinkingAction
) -> ActionResult:
    cell_id = context.thinking.cell_id if context.thinking else None
    await close_thinking(context)
    return ActionResult(success=True, cell_id=cell_id)


async def close_thinking(context: ActionContext) -> None:
    """Also done when a behavior ends without having said that it is finished."""
    if context.thinking is None:
        return
    await context.set_metadata(
        context.thinking.cell_id,
        {"finished_thinking": True, "jupyter": {"source_hidden": True}},
    )
    context.end_thinking()


def thinking_source(agent_name: str | None, text: str) -> str:
    """A quote, so that it reads as an aside; a planner's own line breaks are kept."""
    name = f"**{agent_name}**" if agent_name else ""
    lines = [line for line in (name, *text.splitlines()) if line] or ["…"]
    return "\n".join(f"> 💭 {line}" if not i else f"> {line}" for i, line in enumerate(lines))


async def new_chapter(context: ActionContext, action: wire.NewChapterAction) -> ActionResult:
    number, chapter_id = context.new_chapter()
    metadata = cell_metadata(
        action.metadata, is_chapter=True, chapter_number=number, chapter_id=chapter_id
    )
    return await _add_heading(context, action, 2, metadata)


async def new_section(context: ActionContext, action: wire.NewSectionAction) -> ActionResult:
    given = action.metadata
    number, section_id = context.new_section(
        given.section_id if given else None, given.section_number if given else None
    )
    metadata = cell_metadata(given, is_section=True, section_number=number, section_id=section_id)
    return await _add_heading(context, action, 3, metadata)


async def new_step(context: ActionContext, action: wire.NewStepAction) -> ActionResult:
    return await _add_heading(context, action, 4, cell_metadata(action.metadata, is_step=True))


async def _add_heading(
    context: ActionContext,
    action: wire.NewChapterAction | wire.NewSectionAction | wire.NewStepAction,
    level: int,
    metadata: Json,
) -> ActionResult:
    cell_id = await context.add_cell(
        "markdown", heading(level, action.content), metadata=metadata, store_id=action.store_id
    )
    return ActionResult(success=True, cell_id=cell_id)


async def update_title(context: ActionContext, action: wire.UpdateTitleAction) -> ActionResult:
    await context.set_title(title_text(action.title))
    return ActionResult(success=True)


async def update_workflow(
    context: ActionContext, action: wire.UpdateWorkflowAction
) -> ActionResult:
    context.propose_workflow(
        WorkflowUpdate(updated_workflow=action.updated_workflow, next_stage_id=action.next_stage_id)
    )
    return ActionResult(success=True, details={"workflow_update_pending": True})


async def update_stage_steps(
    context: ActionContext, action: wire.UpdateStageStepsAction
) -> ActionResult:
    context.propose_steps(
        StageStepsUpdate(
            stage_id=action.stage_id,
            updated_steps=action.updated_steps,
            next_step_id=action.next_step_id,
        )
    )
    return ActionResult(success=True, details={"step_update_pending": True})


async def end_phase(context: ActionContext, action: wire.EndPhaseAction) -> ActionResult:
    context.end_step(action.step_id)
    return ActionResult(success=True)


async def next_event(context: ActionContext, action: wire.NextEventAction) -> ActionResult:
    context.publish("next_event", action.to_wire())
    return ActionResult(success=True)


async def comment_result(context: ActionContext, action: wire.CommentResultAction) -> ActionResult:
    # First, so that it is stored with the cell.
    context.effects_to_history()
    cell_id = await context.add_cell(
        "markdown",
        clean_text(action.content),
        metadata=cell_metadata(action.metadata),
        store_id=action.store_id,
    )
    return ActionResult(success=True, cell_id=cell_id)


async def update_last_text(
    context: ActionContext, action: wire.UpdateLastTextAction
) -> ActionResult:
    cell_id, text = context.last_text_cell, clean_text(action.content)
    if cell_id is None:
        cell_id = await context.add_cell("markdown", text, metadata=cell_metadata(action.metadata))
        context.warn("update_last_text: the run had no text yet, so a new cell has it")
    elif not await context.set_source(cell_id, text):
        context.warn(f"the person has changed or deleted cell {cell_id}: the text is a new cell")
        cell_id = await context.add_cell("markdown", text)
    return ActionResult(success=True, cell_id=cell_id)


async def set_effect_as_thinking(
    context: ActionContext, action: wire.SetEffectAsThinkingAction
) -> ActionResult:
    text = action.thinking_text or "\n".join(context.current_effects())
    if context.thinking is None:
        metadata = cell_metadata(action.metadata, thinking_text=text)
        cell_id = await _open_thinking(context, None, text, metadata)
        context.warn("set_effect_as_thinking: no thinking cell was open, so a new one was made")
        return ActionResult(success=True, cell_id=cell_id)
    thinking = replace(context.thinking, text=text)
    context.begin_thinking(thinking)
    if await context.set_source(thinking.cell_id, thinking_source(thinking.agent_name, text)):
        await context.set_metadata(thinking.cell_id, {"thinking_text": text})
    return ActionResult(success=True, cell_id=thinking.cell_id)


async def promote_artifact(
    context: ActionContext, action: wire.PromoteArtifactAction
) -> ActionResult:
    await context.promote(action.variable_name, action.artifact_id, action.description)
    return ActionResult(success=True)


_HANDLERS: dict[str, AnyHandler] = {
    "add": add,
    "exec": execute,
    "is_thinking": is_thinking,
    "finish_thinking": finish_thinking,
    "new_chapter": new_chapter,
    "new_section": new_section,
    "new_step": new_step,
    "update_title": update_title,
    "update_workflow": update_workflow,
    "update_stage_steps": update_stage_steps,
    "end_phase": end_phase,
    "next_event": next_event,
    "comment_result": comment_result,
    "update_last_text": update_last_text,
    "set_effect_as_thinking": set_effect_as_thinking,
    "promote_artifact": promote_artifact,
}
