"""Which handler does which action (A16).

    registry = ActionRegistry()

    @registry.register("my_action")
    async def my_action(context, action): ...

A handler may be sync or async. Class-level registrations (`ActionRegistry.register_everywhere`)
count for every registry, instance-level ones for one; the instance's win. Packages add theirs
through the entry point group `notebook_bcc_ext.actions`, whose objects are called with a registry.
Hooks run before and after, for all actions or for one type. A pre-hook that raises stops the
action; the caller turns any exception into a failed result (A17).
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, TypeVar

from notebook_bcc_ext.errors import UnknownActionError

Handler = Callable[[Any, Any], Any | Awaitable[Any]]
"""(context, action) -> a result; the context is the engine's `ActionContext`."""

PreHook = Callable[[Any, Any], Any | Awaitable[Any]]
PostHook = Callable[[Any, Any, Any], Any | Awaitable[Any]]
"""(context, action, result)"""

H = TypeVar("H", bound=Callable[..., Any])
ALL = "*"
ENTRY_POINT_GROUP = "notebook_bcc_ext.actions"


class ActionRegistry:
    _everywhere: ClassVar[dict[str, Handler]] = {}

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._before: dict[str, list[PreHook]] = {}
        self._after: dict[str, list[PostHook]] = {}

    # -- registering ------------------------------------------------------------------------

    def register(self, action_type: str) -> Callable[[H], H]:
        """Decorator: the function handles `action_type` in this registry."""

        def keep(handler: H) -> H:
            self.register_handler(action_type, handler)
            return handler

        return keep

    def register_handler(self, action_type: str, handler: Handler) -> None:
        self._handlers[_valid(action_type)] = handler

    @classmethod
    def register_everywhere(cls, action_type: str, handler: Handler) -> None:
        cls._everywhere[_valid(action_type)] = handler

    @classmethod
    def unregister_everywhere(cls, action_type: str) -> None:
        cls._everywhere.pop(action_type, None)

    def before(self, hook: PreHook, action_type: str = ALL) -> None:
        self._before.setdefault(action_type, []).append(hook)

    def after(self, hook: PostHook, action_type: str = ALL) -> None:
        self._after.setdefault(action_type, []).append(hook)

    # -- using ------------------------------------------------------------------------------

    @property
    def types(self) -> frozenset[str]:
        return frozenset({*self._everywhere, *self._handlers})

    def handler(self, action_type: str) -> Handler:
        found = self._handlers.get(action_type) or self._everywhere.get(action_type)
        if found is None:
            raise UnknownActionError(action_type)
        return found

    async def execute(self, context: Any, action: Any) -> Any:
        """Pre-hooks, handler, post-hooks; what the handler returned."""
        kind: str = action.action
        handler = self.handler(kind)
        for before in (*self._before.get(ALL, ()), *self._before.get(kind, ())):
            await _settle(before(context, action))
        result = await _settle(handler(context, action))
        for after in (*self._after.get(ALL, ()), *self._after.get(kind, ())):
            await _settle(after(context, action, result))
        return result


async def _settle(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _valid(action_type: str) -> str:
    if not action_type or action_type == ALL or not action_type.isprintable():
        raise ValueError(f"'{action_type}' cannot be the type of an action")
    return action_type
