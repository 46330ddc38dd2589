"""One run's hands and senses: the ports, its ledger, and the few things everybody needs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.engine.gate import Gate, Limits, PauseReason
from notebook_bcc_ext.engine.ledger import Ledger
from notebook_bcc_ext.engine.questions import Questions
from notebook_bcc_ext.engine.run_log import RunLog
from notebook_bcc_ext.engine.state import RunState
from notebook_bcc_ext.ports import CodeRunner, NotebookDocument, Planner, RunStore
from notebook_bcc_ext.protocol.browser.facts import (
    Noticed,
    RestBegan,
    RestEnded,
    StatusTold,
    WarningsSettled,
)
from notebook_bcc_ext.protocol.browser.runs import ApprovalPolicy, RunRequest
from notebook_bcc_ext.settings.names import Settings


@dataclass
class World:
    run_id: str
    request: RunRequest
    settings: Settings
    notebook: NotebookDocument
    runner: CodeRunner
    planner: Planner
    store: RunStore
    registry: ActionRegistry
    ledger: Ledger
    gate: Gate
    budget: Budget
    questions: Questions
    log: RunLog
    restored: bool = False
    """Taken up after a restart: notebook and kernel have to be found again first."""

    @property
    def state(self) -> RunState:
        return self.ledger.state

    def adopt(self, settings: Settings) -> None:
        """What was set since the run began, from here on; its planner stays where it is."""
        self.settings = self.log.settings = settings
        self.gate.limits = Limits(
            settings.max_execution_steps, interactive=settings.interactive_mode
        )
        self.budget.settings = settings
        self.ledger.redactor, self.ledger.keep = settings.redactor, settings.keep_facts
        self.registry.patience = settings.custom_action_seconds or None
        self.planner.adopt(settings)
        self.runner.adopt(settings)

    @property
    def approval(self) -> ApprovalPolicy:
        return self.request.approval or self.settings.approval

    async def passage(self) -> None:
        """Before each action and each call: pauses, single steps and budgets are felt here."""
        self.tell_notices()
        used_up = self.budget.used_up(self.state.counts)
        if used_up is not None:
            self.budget.grant(self.state.counts)
            self.ledger.record(Noticed(text=used_up, to_planner=False))
            self.pause("budget")
        if self.gate.paused:
            await self.notebook.stored()
            with self.resting():
                # The clock stands from here on, which may be long after the word to pause.
                self.tell_paused()
                await self.ledger.stored()
                await self.gate.passage()

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Nothing is worked at meanwhile."""
        self.ledger.record(RestBegan())
        try:
            yield
        finally:
            self.ledger.record(RestEnded())

    def pause(self, reason: PauseReason) -> None:
        """Not by a command: somebody has to be told."""
        self.gate.pause(reason)
        self.tell_paused()

    def tell_paused(self) -> None:
        status = StatusTold(status="paused", state=self.state.state, reason=self.gate.reason)
        self.ledger.sign(status)

    def tell_notices(self) -> None:
        """What others did to the notebook meanwhile."""
        for text in self.notebook.take_notices():
            self.ledger.record(Noticed(text=text, of_notebook=True))

    def warn(self, text: str, about: str | None = None) -> None:
        """Something the planner and the person should know, and that stops nothing. What lasts
        (`about` something) is told to the person once."""
        told = about is not None and self.state.effects.warns(text)
        self.ledger.record(Noticed(text=text, about=about, to_person=not told))

    def settle(self, *about: str) -> None:
        """What warnings were about is so no more."""
        effects = self.state.effects
        if effects.settled(about) is not effects:
            self.ledger.record(WarningsSettled(about=list(about)))
