"""Puts a run together from its request and the ports."""

from __future__ import annotations

from notebook_bcc_ext.actions.builtin import builtin_registry
from notebook_bcc_ext.actions.plugins import load_plugins
from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.answers import Questions
from notebook_bcc_ext.engine.gate import Gate, Limits
from notebook_bcc_ext.engine.journal import Journal
from notebook_bcc_ext.engine.memory import RunMemory, initial_variables
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.ports import CodeRunner, EventSink, NotebookDocument, Planner, RunStore
from notebook_bcc_ext.protocol.runs import RunRequest
from notebook_bcc_ext.protocol.settings import Settings


def default_registry() -> ActionRegistry:
    """The protocol's actions and those of installed packages."""
    registry = builtin_registry()
    load_plugins(registry)
    return registry


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
) -> Run:
    variables = initial_variables(request)
    memory = RunMemory(variables=variables, pinned=list(variables))
    world = World(
        run_id=run_id,
        request=request,
        settings=settings,
        notebook=notebook,
        runner=runner,
        planner=planner,
        store=store,
        sink=sink,
        registry=registry or default_registry(),
        machine=StateMachine(),
        journal=Journal(run_id, store),
        gate=Gate(Limits(settings.max_execution_steps, interactive=settings.interactive_mode)),
        questions=Questions(run_id, store),
        memory=memory,
    )
    return Run(world)
