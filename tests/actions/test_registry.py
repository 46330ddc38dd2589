"""A16: who handles what, and who is asked before and after."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.errors import RunFailedError, UnknownActionError
from notebook_bcc_ext.protocol.planner.actions import CustomAction

NEVER = threading.Event()
ACTION = CustomAction.parse({"action": "greet", "name": "you"})
DONE = {"success": True}


@pytest.fixture
def everywhere():
    ActionRegistry.register_everywhere("greet", lambda context, action: {"from": "the class"})
    yield
    ActionRegistry.unregister_everywhere("greet")


def execute(registry, action=ACTION):
    context: Any = SimpleNamespace(name="context")
    return asyncio.run(registry.execute(context, action))


def test_decorator_sync_and_async_handlers():
    registry = ActionRegistry()

    @registry.register("greet")
    async def greet(context, action):
        return {"said": f"{context.name}: hello {action.name}"}

    registry.register_handler("count", lambda context, action: {"counted": 3})
    assert execute(registry) == {"said": "context: hello you"}
    assert execute(registry, CustomAction(action="count")) == {"counted": 3}
    assert registry.types >= {"greet", "count"}


def test_class_level_counts_everywhere_and_the_instance_wins(everywhere):
    first, second = ActionRegistry(), ActionRegistry()
    second.register_handler("greet", lambda context, action: {"from": "the instance"})
    assert execute(first) == {"from": "the class"}
    assert execute(second) == {"from": "the instance"}


def test_hooks_run_in_order_global_before_specific():
    calls = []
    registry = ActionRegistry()
    registry.register_handler("greet", lambda context, action: calls.append("handler") or DONE)
    registry.before(lambda context, action: calls.append("before all"))
    registry.before(lambda context, action: calls.append("before greet"), "greet")
    registry.before(lambda context, action: calls.append("never"), "other")

    async def after(context, action, result):
        calls.append(f"after {result['success']}")

    registry.after(after)
    assert execute(registry) == DONE
    assert calls == ["before all", "before greet", "handler", "after True"]


def test_a_raising_pre_hook_stops_the_action():
    calls = []
    registry = ActionRegistry()
    registry.register_handler("greet", lambda context, action: calls.append("handler"))

    def refuse(context, action):
        raise PermissionError("not today")

    registry.before(refuse)
    with pytest.raises(RunFailedError, match=r"a hook before 'greet' failed: .* not today"):
        execute(registry)
    assert calls == []


def test_a_raising_post_hook_is_told_and_the_action_stands():
    told = []
    registry = ActionRegistry()
    registry.register_handler("greet", lambda context, action: DONE)

    def fall_over(context, action, result):
        raise ValueError("too late")

    registry.after(fall_over)
    context: Any = SimpleNamespace(warn=told.append)
    assert asyncio.run(registry.execute(context, ACTION)) == DONE
    assert told == ["a hook after 'greet' failed: ValueError: too late"]


async def _waits(context, action):
    await asyncio.Event().wait()


@pytest.mark.parametrize("never", [_waits, lambda context, action: NEVER.wait()])
@pytest.mark.parametrize("where", ["handler", "hook"])
def test_what_never_returns_is_given_up(never, where):
    registry = ActionRegistry()
    registry.patience = 0.05
    registry.register_handler("greet", never if where == "handler" else lambda *_: None)
    if where == "hook":
        registry.before(never)
    with pytest.raises(RunFailedError, match=r"did not return within 0\.05 s"):
        execute(registry)


def test_unknown_and_impossible_types():
    with pytest.raises(UnknownActionError, match="'greet'"):
        execute(ActionRegistry())
    for bad in ("", "*", "a\nb"):
        with pytest.raises(ValueError, match="cannot be the type"):
            ActionRegistry().register_handler(bad, print)
