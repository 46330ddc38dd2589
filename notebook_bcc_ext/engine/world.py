"""One run's hands and senses: the ports, its memory, and the few things everybody needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.answers import Questions
from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.engine.checkpoint import Checkpoint
from notebook_bcc_ext.engine.gate import Gate, Limits, PauseReason
from notebook_bcc_ext.engine.journal import Journal
from notebook_bcc_ext.engine.memory import Json, RunMemory
from notebook_bcc_ext.engine.run_log import RunLog
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.ports import CodeRunner, EventSink, NotebookDocument, Planner, RunStore
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
    sink: EventSink
    registry: ActionRegistry
    machine: StateMachine
    journal: Journal
    checkpoint: Checkpoint
    gate: Gate
    budget: Budget
    questions: Questions
    log: RunLog
    memory: RunMemory = field(default_factory=RunMemory)
    effects: EffectsLog = field(default_factory=EffectsLog)
    restored: bool = False
    """Taken up after a restart: notebook and kernel have to be found again first."""
    activity: ActivityLog = field(default_factory=ActivityLog)

    def adopt(self, settings: Settings) -> None:
        """What was set since the run began, from here on; its planner stays where it is."""
        self.settings = self.log.settings = settings
        self.gate.limits = Limits(
            settings.max_execution_steps, interactive=settings.interactive_mode
        )
        self.budget.settings = settings
        self.registry.patience = settings.custom_action_seconds or None
        self.planner.adopt(settings)
        self.runner.adopt(settings)

    @property
    def approval(self) -> ApprovalPolicy:
        return self.request.approval or self.settings.approval

    def publish(self, kind: str, payload: Json) -> None:
        """What a cell printed or raised may hold a secret; nobody is shown it."""
        payload = self.settings.redactor.in_observation(payload)
        self.activity.note(kind, payload, self.memory.progress)
        self.log.note(kind, payload)
        self.sink.publish(self.run_id, kind, payload)

    async def passage(self) -> None:
        """Before each action and each call: pauses, single steps and budgets are felt here."""
        self.tell_notices()
        used_up = self.budget.used_up()
        if used_up is not None:
            self.budget.grant()
            self.publish("notice", {"level": "warning", "text": used_up})
            self.pause("budget")
        if self.gate.paused:
            await self.notebook.stored()
            with self.activity.resting():
                # The clock stands from here on, which may be long after the word to pause.
                self.publish("status", {"status": "paused", "reason": self.gate.reason})
                await self.gate.passage()

    def pause(self, reason: PauseReason) -> None:
        """Not by a command: somebody has to be told."""
        self.gate.pause(reason)
        self.publish("status", {"status": "paused", "reason": reason})

    def tell_notices(self) -> None:
        """What others did to the notebook meanwhile."""
        for text in self.notebook.take_notices():
            self.effects.warn(text)
            self.publish("notice", {"level": "warning", "about": "notebook", "text": text})

    def warn(self, text: str, about: str | None = None) -> None:
        """Something the planner and the person should know, and that stops nothing. What lasts
        (`about` something) is told to the person once."""
        is_new = self.effects.warn(text, about)
        if is_new or about is None:
            self.publish("notice", {"level": "warning", "text": text})
