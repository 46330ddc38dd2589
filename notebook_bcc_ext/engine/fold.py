"""A run is a fold: `state = reduce(apply, facts, RunState())`.

`apply` is pure and total, and the only place where a run changes. While a run works, when it is
taken up after a restart, and when somebody wants to know how it stood before some fact: always the
same facts, the same function, the same state. What a fact means is written here, once; whether it
may happen is decided before it is recorded (`engine/driver.py` and its parts).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import assert_never

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.engine.planner_words import judged, with_context
from notebook_bcc_ext.engine.proposals import parse_update, with_update
from notebook_bcc_ext.engine.state import (
    STATES,
    Attempt,
    BehaviorStart,
    BehaviorTally,
    Jump,
    KeptVerdict,
    Question,
    Rest,
    RunState,
    UnderWay,
    changed,
)
from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.facts import Fact
from notebook_bcc_ext.protocol.browser.runs import Counts, OverwrittenNames
from notebook_bcc_ext.protocol.clock import ms_between
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.calls import PlanningAnswer
from notebook_bcc_ext.protocol.planner.observation import Artifact, TransitionRecord
from notebook_bcc_ext.protocol.states import IN_A_BEHAVIOR

HISTORY_KEPT = 200
"""Transitions that observations and views may show; the store has them all."""
MAX_CELL_NAMES = 1_000
MAX_EXECUTED_CELLS = 500
MAX_DECISIONS = 50
_ASKED_ABOUT_PLANS = ("workflow", "steps")


def fold(facts: Iterable[Fact], state: RunState | None = None) -> RunState:
    return reduce(apply, facts, state or RunState())


def state_at(facts: Iterable[Fact], number: int) -> RunState:
    """The run before fact `number`, counted from 1."""
    return fold(fact for position, fact in enumerate(facts, start=1) if position < number)


def apply(state: RunState, fact: Fact) -> RunState:
    after = _apply(state, fact)
    count = after.facts if isinstance(fact, happened.Summed) else state.facts + 1
    return changed(after, facts=count, changed_at=fact.time)


def _apply(state: RunState, fact: Fact) -> RunState:  # noqa: C901, PLR0911, PLR0912, PLR0915
    progress, counts, tally = state.progress, state.counts, state.tally
    match fact:
        case happened.Began():
            return changed(state, created_at=fact.time, variables=fact.variables)
        case happened.TakenUp():
            return _taken_up(state)
        case happened.Summed():
            return STATES.validate_python(fact.state)
        case happened.Transitioned():
            return _transitioned(state, fact)
        case happened.Commanded():
            return state
        case happened.RestBegan():
            return changed(state, rest=Rest(state.rest.total_ms, state.rest.since or fact.time))
        case happened.RestEnded():
            return changed(state, rest=_rested(state.rest, fact.time))
        case happened.Failed():
            return changed(state, error=fact.error, resumable=fact.resumable, under_way=None)
        case happened.WentOn():
            return changed(state, cancelled=False, cancelled_at=None, error=None)
        case happened.Cancelled():
            return changed(
                state, cancelled=True, cancelled_at=fact.time, question=None, under_way=None
            )
        case happened.Reset():
            begun = RunState(facts=state.facts, created_at=state.created_at)
            kept = ("state", "transitions", "history", "rest", "counts", "decisions", "effects")
            of_kernel = ("kernel", "executed_cells", "theirs", "overwritten", "cell_names")
            return changed(
                begun,
                **{name: getattr(state, name) for name in (*kept, *of_kernel)},
                variables=fact.variables,
                sections=state.sections.begun_anew(),
                replaces=Attempt(0, counts.actions),
                cancelled=state.cancelled,
                cancelled_at=state.cancelled_at,
                last_code_cell=state.last_code_cell,
                last_text_cell=state.last_text_cell,
                thinking=state.thinking,
            )
        case happened.Restarted():
            return _restarted(state)
        case happened.Retried():
            return _retried(state, anew=fact.anew)
        case happened.CellsReplaced():
            return _without_cells(state, fact.gone)
        case happened.PlanAdopted():
            template = WorkflowTemplate.parse(fact.workflow)
            planned = tuple(template.sections) or state.sections.planned
            return changed(
                state,
                progress=progress.with_template(template),
                sections=changed(state.sections, planned=planned),
            )
        case happened.PlanChanged():
            return _plan_changed(state, fact)
        case happened.StageEntered():
            return changed(state, progress=progress.in_stage(fact.stage_id))
        case happened.StepEntered():
            return _in_step(state, fact.step_id)
        case happened.BehaviorEntered():
            return _in_behavior(state, fact.behavior_id, fact.goal)
        case happened.BehaviorNamed():
            return changed(state, progress=progress.named(fact.behavior_id, fact.goal))
        case happened.BehaviorBegan():
            return _behavior_began(state, resumed=fact.resumed)
        case happened.BehaviorChecked():
            outputs = progress.outputs.checked(fact.present)
            return changed(state, progress=changed(progress, outputs=outputs))
        case happened.BehaviorEnded():
            effects = state.effects.behavior_ended()
            return changed(state, progress=progress.behavior_ended(fact.present), effects=effects)
        case happened.StepEnded():
            ended = progress.step_ended(fact.present, confirmed=fact.confirmed)
            return changed(state, progress=ended)
        case happened.StageEnded():
            return changed(state, progress=progress.stage_ended(fact.present, judged=fact.judged))
        case happened.Jumped():
            nowhere = fact.stage_id is None and fact.step_id is None
            jump = None if nowhere else Jump(fact.stage_id, fact.step_id, fact.leaves_out)
            return changed(state, jump=jump)
        case happened.PassedOver():
            moved = progress.passing_over(fact.stages, fact.steps)
            if fact.taken_up is not None:
                moved = moved.taking_up(fact.taken_up)
            return changed(state, progress=moved)
        case happened.PlannerCalled():
            return changed(state, counts=_plus(counts, planner_calls=1))
        case happened.CallEnded():
            return changed(state, counts=_plus(counts, bytes_sent=fact.request_bytes))
        case happened.Judged():
            return judged(state, fact)
        case happened.ContextUpdated():
            update = PlanningAnswer.parse(fact.answer).context_update
            return with_context(state, update, "beside")
        case happened.NotJudged():
            return changed(state, context_filter=None)
        case happened.ProposalsCarried():
            return changed(state, carried=(*state.carried, *fact.actions))
        case happened.ProposalTaken():
            return changed(state, carried=state.carried[1:])
        case happened.VerdictKept():
            kept_verdict = None if fact.level is None else KeptVerdict(fact.level, fact.achieved)
            return changed(state, kept_verdict=kept_verdict)
        case happened.TemporariesDeclared():
            outputs = progress.outputs.declared(fact.names, fact.level, fact.present)
            return changed(state, progress=changed(progress, outputs=outputs))
        case happened.Promoted():
            outputs = progress.outputs.promoted(Artifact.parse(fact.artifact), fact.level)
            return changed(state, progress=changed(progress, outputs=outputs))
        case happened.ActionBegan():
            return changed(
                state,
                counts=counts.model_copy(update={"actions": fact.number}),
                tally=changed(tally, executed=tally.executed + 1),
                under_way=UnderWay(
                    fact.number, fact.action_id, fact.type, fact.label, fact.digest, fact.cell_id
                ),
            )
        case happened.ActionEnded():
            return _action_ended(state, fact)
        case happened.ActionUndone():
            return changed(
                state,
                under_way=None,
                counts=_plus(counts, actions=-1),
                tally=changed(tally, executed=tally.executed - 1),
            )
        case happened.LinesForgotten():
            return changed(state, lines_done=state.lines_done[: fact.keep])
        case happened.LineSkipped():
            return changed(
                state,
                counts=_plus(counts, lines_skipped=1),
                tally=changed(tally, lines_skipped=tally.lines_skipped + 1),
                lines_done=(*state.lines_done, fact.digest) if fact.digest else state.lines_done,
            )
        case happened.ActionsSkipped():
            return changed(
                state,
                counts=_plus(counts, actions_skipped=fact.count),
                tally=changed(tally, skipped=tally.skipped + fact.count),
            )
        case happened.RepairAsked():
            return changed(state, debug_attempts=state.debug_attempts + 1)
        case happened.CellAdded():
            return _cell_added(state, fact)
        case happened.CellRan():
            return _cell_ran(state, fact)
        case happened.KernelFound():
            return changed(state, kernel=fact.identity)
        case happened.NamesSeen():
            outputs = progress.outputs.noting(fact.present)
            return changed(state, progress=changed(progress, outputs=outputs))
        case happened.NamesOverwritten():
            told = state.overwritten
            names = OverwrittenNames(
                rebound=[*told.rebound, *fact.rebound], deleted=[*told.deleted, *fact.deleted]
            )
            return changed(state, overwritten=names)
        case happened.SectionBegan():
            return _section_began(state, fact)
        case happened.ThinkingChanged():
            thinking = None
            if fact.active and fact.cell_id is not None:
                thinking = ThinkingState(fact.cell_id, fact.agent_name, fact.text)
            return changed(state, thinking=thinking)
        case happened.Noticed():
            if not fact.to_planner:
                return state
            return changed(state, effects=state.effects.warning(fact.text, fact.about))
        case happened.WarningsSettled():
            return changed(state, effects=state.effects.settled(fact.about))
        case happened.EffectAdded():
            return changed(state, effects=state.effects.adding(fact.text, fact.cell_id))
        case happened.EffectsMoved():
            return changed(state, effects=state.effects.moved_to_history())
        case happened.Asked():
            return changed(state, question=Question(fact.question))
        case happened.Answered():
            return _answered(state, fact)
        case happened.QuestionClosed():
            return changed(state, question=None)
        case _:
            assert_never(fact)


def _plus(counts: Counts, **more: int) -> Counts:
    return counts.model_copy(update={name: getattr(counts, name) + n for name, n in more.items()})


# -- the run as a whole -----------------------------------------------------------------------


def _transitioned(state: RunState, fact: happened.Transitioned) -> RunState:
    record = TransitionRecord.model_construct(
        from_state=fact.from_state.value,
        event=str(fact.event),
        to_state=fact.to_state.value,
        timestamp=fact.time,
    )
    return changed(
        state,
        state=fact.to_state,
        transitions=fact.number,
        history=(*state.history, record)[-HISTORY_KEPT:],
    )


def _rested(rest: Rest, now: str) -> Rest:
    return rest if rest.since is None else Rest(rest.total_ms + ms_between(rest.since, now), None)


def _taken_up(state: RunState) -> RunState:
    """It rests since the process before gave its last sign of life. Only what was proposed is
    still asked: everything else is asked anew where the run comes to it."""
    asked = state.question
    return changed(
        state,
        rest=Rest(state.rest.total_ms, state.rest.since or state.changed_at),
        resumable=state.resumable or state.state in IN_A_BEHAVIOR,
        question=asked if asked and asked.pending.kind in _ASKED_ABOUT_PLANS else None,
    )


def _restarted(state: RunState) -> RunState:
    """Nothing of the way so far may steer the next one."""
    return changed(
        state,
        progress=state.progress.from_the_top(),
        sections=state.sections.begun_anew(),
        replaces=Attempt(0, state.counts.actions),
        jump=None,
        context_filter=None,
        estimated_remaining_behaviors=None,
        verdict=None,
        verdict_level=None,
        reached=(),
        carried=(),
        kept_verdict=None,
        lines_done=(),
        next_expected=(),
        next_in_progress=(),
        resumable=False,
        step_behaviors={},
        debug_attempts=0,
        under_way=None,
    )


def _retried(state: RunState, *, anew: bool) -> RunState:
    progress = state.progress
    if state.resumable and not anew:
        return changed(state, progress=progress.reopening_behavior())
    if not progress.has_behavior_to_repeat:
        return _in_behavior(changed(state, under_way=None), None, None)
    return changed(
        state,
        progress=progress.repeating_behavior(),
        sections=state.behavior_start.sections,
        replaces=Attempt(state.behavior_start.actions, state.counts.actions),
        resumable=False,
        lines_done=(),
        under_way=None,
    )


def _without_cells(state: RunState, gone: list[str]) -> RunState:
    """They are no longer in the notebook."""
    out, thinking = set(gone), state.thinking
    return changed(
        state,
        replaces=None,
        executed_cells=tuple(one for one in state.executed_cells if one not in out),
        last_code_cell=None if state.last_code_cell in out else state.last_code_cell,
        last_text_cell=None if state.last_text_cell in out else state.last_text_cell,
        thinking=None if thinking is not None and thinking.cell_id in out else thinking,
    )


# -- the plan ---------------------------------------------------------------------------------


def _plan_changed(state: RunState, fact: happened.PlanChanged) -> RunState:
    update = parse_update(fact.what, fact.update)
    progress, goes_on_at = with_update(update, state.progress)
    jump = state.jump if goes_on_at is None else Jump(*goes_on_at, leaves_out=False)
    counts = _plus(state.counts, plan_revisions=1)
    return changed(state, progress=progress, jump=jump, counts=counts)


def _in_step(state: RunState, step_id: str) -> RunState:
    progress = state.progress.in_step(step_id)
    behaviors = state.step_behaviors
    if state.kept_verdict is None:
        behaviors = {key: n for key, n in behaviors.items() if key != progress.step_key}
    return changed(state, progress=progress, debug_attempts=0, step_behaviors=behaviors)


def _in_behavior(state: RunState, behavior_id: str | None, goal: str | None) -> RunState:
    """What is written from here on is this behavior's."""
    progress = state.progress.in_behavior(behavior_id, goal)
    outputs = progress.outputs.entering_behavior(state.next_expected)
    outputs = outputs.taking_up(state.next_in_progress)
    wanted = state.context_filter
    if wanted is not None and wanted.outputs_tracking is not None:
        tracking = wanted.outputs_tracking
        outputs = outputs.expecting(tracking.expected_variables, tracking.validation_required)
    return changed(
        state,
        progress=changed(progress, outputs=outputs),
        tally=BehaviorTally(),
        lines_done=(),
        next_expected=(),
        next_in_progress=(),
        resumable=False,
        behavior_start=BehaviorStart(state.counts.actions, state.sections),
    )


def _behavior_began(state: RunState, *, resumed: bool) -> RunState:
    """It counts once, however often it is tried; what only carries a question is none."""
    key, iteration = state.progress.step_key, state.progress.iteration
    after = changed(state, resumable=False)
    if not resumed:
        after = changed(after, tally=BehaviorTally(), lines_done=())
    if state.kept_verdict is None and state.step_behaviors.get(key) != iteration:
        behaviors = {**state.step_behaviors, key: iteration}
        counts = _plus(state.counts, behaviors=1)
        after = changed(after, step_behaviors=behaviors, counts=counts)
    return after


# -- actions and cells ------------------------------------------------------------------------


def _action_ended(state: RunState, fact: happened.ActionEnded) -> RunState:
    action, counts, tally = state.under_way, state.counts, state.tally
    if fact.success:
        counts = _plus(counts, actions_succeeded=1)
        tally = changed(tally, succeeded=tally.succeeded + 1, last_result="success")
    elif fact.refused:
        counts = _plus(counts, actions_skipped=1)
        tally = changed(tally, skipped=tally.skipped + 1)
    else:
        counts = _plus(counts, actions_failed=1)
        tally = changed(tally, last_result=f"error: {fact.error}")
    lines, progress = state.lines_done, state.progress
    if action is not None:
        progress = progress.having_taken(action.label)
        if action.digest is not None and not fact.again:
            lines = (*lines, action.digest)
    return changed(
        state, under_way=None, counts=counts, tally=tally, lines_done=lines, progress=progress
    )


def _cell_added(state: RunState, fact: happened.CellAdded) -> RunState:
    names, action = state.cell_names, state.under_way
    if fact.name:
        names = _limited({**names, fact.name: fact.cell_id}, MAX_CELL_NAMES)
    if action is not None:
        action = changed(action, cells=(*action.cells, fact.cell_id))
    is_code = fact.cell_type == "code"
    return changed(
        state,
        counts=_plus(state.counts, cells_added=1),
        cell_names=names,
        under_way=action,
        last_code_cell=fact.cell_id if is_code else state.last_code_cell,
        last_text_cell=state.last_text_cell if is_code else fact.cell_id,
    )


def _limited(names: dict[str, str], most: int) -> Mapping[str, str]:
    while len(names) > most:
        del names[next(iter(names))]
    return names


def _cell_ran(state: RunState, fact: happened.CellRan) -> RunState:
    action = state.under_way
    if action is not None and action.cell_id == fact.cell_id:
        action = changed(action, ran=fact.status)
    after = changed(state, counts=_plus(state.counts, cells_executed=1), under_way=action)
    if fact.status != "gone":
        # Otherwise nothing of it is left, and the next kernel has to be noticed.
        others = tuple(one for one in state.executed_cells if one != fact.cell_id)
        theirs = state.theirs
        if theirs is None and fact.theirs is not None:
            theirs = tuple(fact.theirs)
        executed = (*others, fact.cell_id)[-MAX_EXECUTED_CELLS:]
        after = changed(after, executed_cells=executed, kernel=fact.kernel, theirs=theirs)
    if fact.printed:
        after = changed(after, effects=state.effects.adding(fact.printed, fact.cell_id))
    if fact.present is not None:
        outputs = state.progress.outputs.noting(fact.present)
        after = changed(after, progress=changed(state.progress, outputs=outputs))
    return after


def _section_began(state: RunState, fact: happened.SectionBegan) -> RunState:
    if fact.level == "chapter":
        return changed(state, sections=state.sections.with_chapter(fact.number))
    return changed(
        state,
        sections=state.sections.with_section(fact.number, fact.section_id),
        tally=changed(state.tally, sections_added=state.tally.sections_added + 1),
    )


# -- questions --------------------------------------------------------------------------------


def _answered(state: RunState, fact: happened.Answered) -> RunState:
    asked, decision, tally = state.question, fact.decision, state.tally
    question = None if asked is None else Question(asked.pending, decision.verdict, fact.changes)
    if decision.verdict == "rejected" and decision.kind in ("behavior", "code", "rebuild"):
        reason = f": {decision.reason}" if decision.reason else ""
        refused = tally.refused or decision.kind != "rebuild"
        tally = changed(tally, last_result=f"rejected by the person{reason}", refused=refused)
    decisions = (*state.decisions, decision)[-MAX_DECISIONS:]
    return changed(state, question=question, decisions=decisions, tally=tally)
