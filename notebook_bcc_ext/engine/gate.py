"""Pausing, single steps and waiting for the person: properties of a run, not states (F14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

PauseReason = Literal[
    "user", "step", "limit", "interactive", "error", "restart", "budget", "kernel"
]


@dataclass
class Limits:
    max_actions: int = 0
    """Pause after this many actions; 0 means no limit."""
    interactive: bool = False
    """Pause after every action."""


class Gate:
    """The driver passes here before each action and each call to the planner."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._open = asyncio.Event()
        self._open.set()
        self._step_wanted = False
        self._stepping = False
        self._actions = 0
        self.reason: PauseReason | None = None
        self.on_own_pause: Callable[[], None] | None = None
        """Called when a limit pauses the run: no command told anybody."""

    @property
    def paused(self) -> bool:
        return not self._open.is_set()

    def pause(self, reason: PauseReason = "user") -> None:
        self.reason = reason
        self._open.clear()

    def resume(self) -> None:
        self.reason = None
        self._step_wanted = self._stepping = False
        self._open.set()

    def step(self) -> None:
        """Let exactly one more action through."""
        self.reason = None
        self._step_wanted = True
        self._open.set()

    async def passage(self) -> None:
        await self._open.wait()

    def action_begins(self) -> None:
        """The step that was asked for is this action, not one that was still ending then."""
        self._stepping, self._step_wanted = self._step_wanted, False

    def action_done(self) -> None:
        was_paused = self.paused
        self._count_action()
        if self.paused and not was_paused and self.on_own_pause is not None:
            self.on_own_pause()

    def _count_action(self) -> None:
        self._actions += 1
        limit = self.limits.max_actions
        if self._stepping:
            self._stepping = False
            self.pause("step")
        elif self._step_wanted:
            return
        elif limit and self._actions % limit == 0:
            self.pause("limit")
        elif self.limits.interactive:
            self.pause("interactive")
