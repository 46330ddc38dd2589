"""Puts a run together from its request and the ports."""

from __future__ import annotations

from collections.abc import Sequence

from notebook_bcc_ext.actions.builtin import builtin_registry
from notebook_bcc_ext.actions.plugins import load_plugins
from notebook_bcc_ext.actions.registry import ActionRegistry
from notebook_bcc_ext.engine.budget import Budget
from notebook_bcc_ext.engine.gate import Gate, Limits
from notebook_bcc_ext.engine.inputs import initial_variables
from notebook_bcc_ext.engine.ledger import Ledger
from notebook_bcc_ext.engine.questions import Questions
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.engine.run_log import RunLog
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.fsm import is_running
from notebook_bcc_ext.ports import CodeRunner, EventSink, NotebookDocument, Planner, RunStore
from notebook_bcc_ext.protocol.browser.facts import Began, Fact, News, TakenUp
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import Settings


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
    facts: Sequence[Fact] | None = None,
) -> Run:
    """A new run, or with the `facts` of one another process began: paused, until somebody says go
    on."""
    log = RunLog(run_id, request.notebook, settings)

    def tell(news: News) -> None:
        log.note(news)
        sink.publish(run_id, news)

    ledger = Ledger(run_id, store, notebook, tell)
    ledger.redactor, ledger.keep = settings.redactor, settings.keep_facts
    gate = Gate(Limits(settings.max_execution_steps, interactive=settings.interactive_mode))
    if not facts:
        # Also where a process was killed before it had stored anything of the run.
        ledger.record(Began(variables=initial_variables(request)))
    else:
        ledger.recall(facts)
        ledger.record(TakenUp())
        if is_running(ledger.state.state) or ledger.state.state is State.IDLE:
            gate.pause("restart")
    theirs = ledger.state.theirs
    runner.belong(run_id, None if theirs is None else list(theirs))
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
        registry=registry,
        ledger=ledger,
        gate=gate,
        budget=Budget(settings, ledger.state.counts),
        questions=Questions(ledger),
        log=log,
        restored=bool(facts),
    )
    run = Run(world)
    state = ledger.state
    if facts is not None and (
        state.question is not None or (state.cancelled and state.replaces is not None)
    ):
        # The question can be answered at once, and a reset is finished; everything else waits for
        # the word to go on.
        run.start()
    return run
