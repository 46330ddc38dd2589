"""A16: who handles what, and who is asked before and after."""

import asyncio
from types import SimpleNamespace

import pytest

from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.errors import UnknownActionError

ACTION = SimpleNamespace(action="greet", name="you")


@pytest.fixture
def everywhere():
    ActionRegistry.register_everywhere("greet", lambda context, action: "from the class")
    yield
    ActionRegistry.unregister_everywhere("greet")


def execute(registry, action=ACTION):
    return asyncio.run(registry.execute("context", action))


def test_decorator_sync_and_async_handlers():
    registry = ActionRegistry()

    @registry.register("greet")
    async def greet(context, action):
        return f"{context}: hello {action.name}"

    registry.register_handler("count", lambda context, action: 3)
    assert execute(registry) == "context: hello you"
    assert execute(registry, SimpleNamespace(action="count")) == 3
    assert registry.types >= {"greet", "count"}


def test_class_level_counts_everywhere_and_the_instance_wins(everywhere):
    first, second = ActionRegistry(), ActionRegistry()
    second.register_handler("greet", lambda context, action: "from the instance")
    assert execute(first) == "from the class"
    assert execute(second) == "from the instance"


def test_hooks_run_in_order_global_before_specific():
    calls = []
    registry = ActionRegistry()
    registry.register_handler("greet", lambda context, action: calls.append("handler") or "done")
    registry.before(lambda context, action: calls.append("before all"))
    registry.before(lambda context, action: calls.append("before greet"), "greet")
    registry.before(lambda context, action: calls.append("never"), "other")

    async def after(context, action, result):
        calls.append(f"after {result}")

    registry.after(after)
    assert execute(registry) == "done"
    assert calls == ["before all", "before greet", "handler", "after done"]


def test_a_raising_pre_hook_stops_the_action():
    calls = []
    registry = ActionRegistry()
    registry.register_handler("greet", lambda context, action: calls.append("handler"))

    def refuse(context, action):
        raise PermissionError("not today")

    registry.before(refuse)
    with pytest.raises(PermissionError, match="not today"):
        execute(registry)
    assert calls == []


def test_unknown_and_impossible_types():
    with pytest.raises(UnknownActionError, match="'greet'"):
        execute(ActionRegistry())
    for bad in ("", "*", "a\nb"):
        with pytest.raises(ValueError, match="cannot be the type"):
            ActionRegistry().register_handler(bad, print)
