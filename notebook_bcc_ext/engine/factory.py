"""Puts a run together from its request and the ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_bcc_ext.actions.builtin import builtin_registry
from notebook_bcc_ext.actions.plugins import load_plugins
from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.answers import Questions
from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.engine.checkpoint import Checkpoint
from notebook_bcc_ext.engine.gate import Gate, Limits
from notebook_bcc_ext.engine.journal import Journal
from notebook_bcc_ext.engine.memory import (
    Intent,
    RunMemory,
    from_snapshot,
    initial_variables,
)
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.engine.run_log import RunLog
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.ports import CodeRunner, EventSink, NotebookDocument, Planner, RunStore
from notebook_bcc_ext.protocol.browser.runs import ActivityNode, RunRequest
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import Settings


def default_registry() -> ActionRegistry:
    """The protocol's actions and those of installed packages."""
    registry = builtin_registry()
    load_plugins(registry)
    return registry


@dataclass(frozen=True)
class Remains:
    """What the store has of a run that another process began."""

    snapshot: Mapping[str, Any]
    intent: Mapping[str, Any] | None = None
    history: Sequence[TransitionRecord] = ()
    activity: Sequence[ActivityNode] = ()

    def last_sign_of_life(self, created_at: str) -> str:
        """Of that process, as far as is known: all times are written alike, so they compare."""
        changes = [record.timestamp for record in self.history]
        nodes = [node.ended_at or node.started_at for node in self.activity]
        return max([created_at, *changes, *nodes])


def make_run(  # noqa: PLR0913  one argument per port
    run_id: str,
    request: RunRequest,
    settings: Settings,
    *,
    notebook: NotebookDocument,
    runner: CodeRunner,
    planner: Planner,
    store: RunStore,
    sink: EventSink,
    registry: ActionRegistry | None = None,
    remains: Remains | None = None,
) -> Run:
    """A new run, or with `remains` one to be taken up: paused, until somebody says go on."""
    memory, effects = RunMemory(variables=initial_variables(request)), EffectsLog()
    machine, activity = StateMachine(), ActivityLog(memory.rest)
    if remains is not None:
        memory, effects = from_snapshot(remains.snapshot)
        activity = ActivityLog(memory.rest)
        machine = StateMachine(
            State(remains.snapshot["state"]),
            remains.history,
            count=int(remains.snapshot["transitions"]),
        )
        alive_at = remains.last_sign_of_life(memory.created_at)
        activity.recall(remains.activity, memory.progress, alive_at)
        memory.resumable = memory.resumable or machine.state is State.ACTION_COMPLETED
        if remains.intent is not None:
            memory.in_doubt = Intent(**remains.intent)
    gate = Gate(Limits(settings.max_execution_steps, interactive=settings.interactive_mode))
    if remains is not None and (machine.is_running or machine.state is State.IDLE):
        gate.pause("restart")
    runner.belong(run_id, memory.theirs)
    registry = registry or default_registry()
    registry.patience = settings.custom_action_seconds or None
    world = World(
        run_id=run_id,
        request=request,
        settings=settings,
        notebook=notebook,
        runner=runner,
        planner=planner,
        store=store,
        sink=sink,
        registry=registry,
        machine=machine,
        journal=Journal(run_id, store),
        checkpoint=Checkpoint(run_id, request, notebook, store, machine, memory, effects, activity),
        gate=gate,
        budget=Budget(settings, memory.counts),
        questions=Questions(run_id, store),
        log=RunLog(run_id, request.notebook, settings),
        memory=memory,
        effects=effects,
        activity=activity,
        restored=remains is not None,
    )
    run = Run(world)
    if memory.asking is not None or (memory.cancelled and memory.replaces is not None):
        # The question can be answered at once, and a reset is finished; everything else waits for
        # the word to go on.
        run.start()
    return run
