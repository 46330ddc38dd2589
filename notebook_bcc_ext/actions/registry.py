"""Which handler does which action (A16).

    registry = ActionRegistry()

    @registry.register("my_action")
    async def my_action(context: ActionContext, action: CustomAction) -> ActionResult: ...

A handler may be async, or sync: then it is called in a thread. Class-level registrations
(`ActionRegistry.register_everywhere`) count for every registry, instance-level ones for one; the
instance's win. Packages add theirs through the entry point group `notebook_bcc_ext.actions`, whose
objects are called with a registry (`plugins`).
Hooks run before and after, for all actions or for one type. A pre-hook that raises stops the
action; the caller turns any exception into a failed result (A17). What a post-hook raises is told,
and the action stands: it has been done.

Handlers and hooks from elsewhere get `patience` seconds: one that never returns must not hold its
run for ever, and a sync one must not hold the server at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, TypeVar

from notebook_bcc_ext.actions.context import ActionContext, ActionResult
from notebook_bcc_ext.errors import BccError, RunFailedError, UnknownActionError
from notebook_bcc_ext.protocol.planner.actions import Action

ActionT = TypeVar("ActionT", bound=Action)
"""The model of an action: `CustomAction` for a type that is not the protocol's."""

Outcome = ActionResult | Mapping[str, object] | None
"""What a handler returns; nothing is a success, a mapping says `success` and perhaps `error`."""

Handler = Callable[[ActionContext, ActionT], Outcome | Awaitable[Outcome]]
PreHook = Callable[[ActionContext, ActionT], object]
PostHook = Callable[[ActionContext, ActionT, Outcome], object]
"""Hooks may be async too; what they return is not looked at."""

# Which model a type of action has is known where its line is parsed, not to the type checker.
AnyHandler = Handler[Any]
H = TypeVar("H", bound=AnyHandler)

ALL = "*"
ENTRY_POINT_GROUP = "notebook_bcc_ext.actions"


class ActionRegistry:
    """The handlers and hooks of the runs that use it."""

    _everywhere: ClassVar[dict[str, AnyHandler]] = {}

    def __init__(self) -> None:
        self._handlers: dict[str, AnyHandler] = {}
        self._before: dict[str, list[PreHook[Any]]] = {}
        self._after: dict[str, list[PostHook[Any]]] = {}
        self.patience: float | None = None
        """Seconds for what is not the product's own; None: no limit."""
        self._own: frozenset[AnyHandler] = frozenset()

    def own_handlers(self) -> None:
        """The handlers so far are the product's own: a cell may run for days."""
        self._own = frozenset(self._handlers.values())

    # -- registering ------------------------------------------------------------------------

    def register(self, action_type: str) -> Callable[[H], H]:
        """Decorator: the function handles `action_type` in this registry."""

        def keep(handler: H) -> H:
            self.register_handler(action_type, handler)
            return handler

        return keep

    def register_handler(self, action_type: str, handler: AnyHandler) -> None:
        self._handlers[_valid(action_type)] = handler

    @classmethod
    def register_everywhere(cls, action_type: str, handler: AnyHandler) -> None:
        cls._everywhere[_valid(action_type)] = handler

    @classmethod
    def unregister_everywhere(cls, action_type: str) -> None:
        cls._everywhere.pop(action_type, None)

    def before(self, hook: PreHook[Any], action_type: str = ALL) -> None:
        self._before.setdefault(action_type, []).append(hook)

    def after(self, hook: PostHook[Any], action_type: str = ALL) -> None:
        self._after.setdefault(action_type, []).append(hook)

    # -- using ------------------------------------------------------------------------------

    @property
    def types(self) -> frozenset[str]:
        return frozenset({*self._everywhere, *self._handlers})

    def handler(self, action_type: str) -> AnyHandler:
        found = self._handlers.get(action_type) or self._everywhere.get(action_type)
        if found is None:
            raise UnknownActionError(action_type)
        return found

    async def execute(self, context: ActionContext, action: Action) -> Outcome:
        """Pre-hooks, handler, post-hooks; what the handler returned."""
        kind = action.action
        handler = self.handler(kind)
        for before in (*self._before.get(ALL, ()), *self._before.get(kind, ())):
            await self._call(f"a hook before '{kind}'", before, context, action)
        if handler in self._own:
            returned = handler(context, action)
            result = await returned if inspect.isawaitable(returned) else returned
        else:
            result = await self._call(f"action '{kind}'", handler, context, action)
        for after in (*self._after.get(ALL, ()), *self._after.get(kind, ())):
            try:
                await self._call(f"a hook after '{kind}'", after, context, action, result)
            except BccError as error:
                context.warn(str(error))
        return result

    async def _call(self, who: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """In words, who failed or did not return."""
        patience = asyncio.timeout(self.patience)
        try:
            async with patience:
                if inspect.iscoroutinefunction(function):
                    return await function(*arguments)
                value = await _in_thread(function, *arguments)
                return await value if inspect.isawaitable(value) else value
        except BccError:
            raise
        except Exception as error:
            if patience.expired():
                raise RunFailedError(
                    f"{who} did not return within {self.patience:g} s: correct the package it "
                    "comes from, or raise custom_action_seconds"
                ) from None
            raise RunFailedError(f"{who} failed: {type(error).__name__}: {error}") from error


def _in_thread(function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
    """Not of the loop's executor: its few threads are everybody's, and the process would wait
    for one that never ends."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = function(*arguments)
        except Exception as raised:  # noqa: BLE001  the caller's to judge
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="notebook-bcc-action", daemon=True).start()
    return future


def _valid(action_type: str) -> str:
    if not action_type or action_type == ALL or not action_type.isprintable():
        raise ValueError(f"'{action_type}' cannot be the type of an action")
    return action_type
