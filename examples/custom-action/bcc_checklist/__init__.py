"""An action of one's own: `{"action": "checklist", "title": "…", "items": ["…", "…"]}`."""

from __future__ import annotations

from notebook_bcc_ext.api import (
    ActionContext,
    ActionRegistry,
    ActionResult,
    CustomAction,
    Outcome,
    ProtocolError,
    WireModel,
)

MOST_ITEMS = 50


class Checklist(WireModel):
    """The fields of the action; `parse` names the one that is missing or wrong."""

    items: list[str]
    title: str = "To do"


async def checklist(context: ActionContext, action: CustomAction) -> ActionResult:
    wanted = Checklist.parse(action.to_wire())
    if not wanted.items:
        raise ProtocolError("checklist: 'items' is empty; name at least one")
    shown = wanted.items[:MOST_ITEMS]
    if len(shown) < len(wanted.items):
        context.warn(f"checklist: {len(wanted.items) - MOST_ITEMS} more items are not shown")
    lines = [f"**{wanted.title}**", "", *(f"- [ ] {item}" for item in shown)]
    cell_id = await context.add_cell("markdown", "\n".join(lines))
    return ActionResult(success=True, cell_id=cell_id)


def count_items(context: ActionContext, action: CustomAction, _outcome: Outcome) -> None:
    """A hook: whoever watches the run is told how long the list is."""
    items = (action.model_extra or {}).get("items", [])
    context.publish("checklist", {"items": len(items)})


def add_actions(registry: ActionRegistry) -> None:
    registry.register_handler("checklist", checklist)
    registry.after(count_items, "checklist")
