"""One run's hands and senses: the ports, its memory, and the few things everybody needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.answers import Questions
from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.engine.checkpoint import Checkpoint
from notebook_bcc_ext.engine.gate import Gate
from notebook_bcc_ext.engine.journal import Journal
from notebook_bcc_ext.engine.memory import Json, RunMemory
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.ports import CodeRunner, EventSink, NotebookDocument, Planner, RunStore
from notebook_bcc_ext.protocol.runs import RunRequest
from notebook_bcc_ext.protocol.settings import ApprovalPolicy, Settings


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
    memory: RunMemory = field(default_factory=RunMemory)
    effects: EffectsLog = field(default_factory=EffectsLog)
    restored: bool = False
    """Taken up after a restart: notebook and kernel have to be found again first."""
    activity: ActivityLog = field(default_factory=ActivityLog)

    @property
    def approval(self) -> ApprovalPolicy:
        return self.request.approval or self.settings.approval

    def publish(self, kind: str, payload: Json) -> None:
        self.activity.note(kind, payload, self.memory.progress)
        self.sink.publish(self.run_id, kind, payload)

    async def passage(self) -> None:
        """Before each action and each call: pauses, single steps and budgets are felt here."""
        self.tell_notices()
        used_up = self.budget.used_up()
        if used_up is not None:
            self.gate.pause("budget")
            self.budget.grant()
            self.publish("notice", {"level": "warning", "text": used_up})
            self.publish("status", {"status": "paused", "reason": "budget"})
        if self.gate.paused:
            await self.notebook.stored()
        await self.gate.passage()

    def tell_notices(self) -> None:
        """What others did to the notebook meanwhile."""
        for text in self.notebook.take_notices():
            self.effects.warn(text)
            self.publish("notice", {"level": "warning", "about": "notebook", "text": text})

    def warn(self, text: str) -> None:
        """Something the planner and the person should know, and that stops nothing."""
        self.effects.warn(text)
        self.publish("notice", {"level": "warning", "text": text})
