"""From a behavior of a playbook to the actions of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from notebook_bcc_ext.planners.conditions import parse_condition
from notebook_bcc_ext.planners.playbook import ActionItem, Behavior, Step, in_language
from notebook_bcc_ext.planners.rendering import (
    NAME_KIND,
    TEXT_KINDS,
    placeholders,
    render_code,
    render_markdown,
)
from notebook_bcc_ext.planners.situation import DATA_NAME, NAMES, Situation
from notebook_bcc_ext.protocol.planner.actions import LAST_ADDED_CELL

ALWAYS_NEEDED = ("playbook", "language", NAMES)


def actions_of(
    situation: Situation, step: Step, behavior: Behavior, *, repairing: bool
) -> Iterator[dict[str, Any]]:
    items = behavior.repair.actions if repairing and behavior.repair else behavior.actions
    # Without a repair there is nothing to offer: the person decides what to do about a failure.
    auto_debug = behavior.repair is not None and not repairing
    for item in items:
        if situation.holds(item.when):
            yield from _actions_of_item(situation, step, item, auto_debug=auto_debug)


def _actions_of_item(
    situation: Situation, step: Step, item: ActionItem, *, auto_debug: bool
) -> Iterator[dict[str, Any]]:
    scope = situation.scope(step)

    def markdown(local: dict[str, str]) -> str:
        return render_markdown(in_language(local, situation.language), scope).strip()

    if item.code is not None:
        cell: dict[str, Any] = {
            "action": "add",
            "shot_type": "action",
            "content": render_code(item.code, scope),
        }
        if situation.playbook.hide_code:
            cell["metadata"] = {"source_hidden": True}
        yield cell
        yield {
            "action": "exec",
            "codecell_id": LAST_ADDED_CELL,
            "need_output": item.need_output,
            "auto_debug": auto_debug,
        }
    elif item.title is not None:
        yield {"action": "update_title", "title": markdown(item.title)}
    elif item.chapter is not None:
        yield {"action": "new_chapter", "content": markdown(item.chapter)}
    elif item.section is not None:
        yield {"action": "new_section", "content": markdown(item.section)}
    elif item.text is not None:
        yield {"action": "add", "shot_type": "dialogue", "content": markdown(item.text)}
    elif item.thinking is not None:
        yield {"action": "is_thinking", "thinking_text": markdown(item.thinking)}
        yield {"action": "finish_thinking"}
    elif item.action is not None:
        yield item.action


def variables_needed(situation: Situation, step: Step, behavior: Behavior) -> list[str]:
    """The variables that generating will read, as far as the observation has them."""
    names = set(ALWAYS_NEEDED)
    repair = behavior.repair.actions if behavior.repair else []
    for item in [*behavior.actions, *repair]:
        names |= _variables_of_item(item)
    # Which behavior is meant can depend on conditions when the client counts its own ids.
    for one in step.behaviors:
        names |= parse_condition(one.when).names if one.when else frozenset()
    return situation.bound(sorted(name for name in names if name in situation.variables))


def _variables_of_item(item: ActionItem) -> set[str]:
    roots = {name.partition(".")[0] for text in item.texts() for name in placeholders(text)}
    names = parse_condition(item.when).names if item.when else frozenset()
    if DATA_NAME in roots:
        roots = {*roots - {DATA_NAME}, "data_path"}
    return {*names, *(roots - {*TEXT_KINDS, NAME_KIND})}
