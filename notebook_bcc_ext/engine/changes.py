"""What the larger facts make of a run: parts of the fold, each from a state to a state."""

from __future__ import annotations

from collections.abc import Mapping

from notebook_bcc_ext.engine.proposals import parse_update, with_update
from notebook_bcc_ext.engine.state import (
    Attempt,
    BehaviorStart,
    BehaviorTally,
    Jump,
    Question,
    Rest,
    RunState,
    changed,
)
from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.runs import Counts
from notebook_bcc_ext.protocol.clock import ms_between
from notebook_bcc_ext.protocol.planner.observation import TransitionRecord
from notebook_bcc_ext.protocol.states import IN_A_BEHAVIOR

HISTORY_KEPT = 200
"""Transitions that observations and views may show; the store has them all."""
MAX_CELL_NAMES = 1_000
MAX_EXECUTED_CELLS = 500
MAX_DECISIONS = 50
_ASKED_ABOUT_PLANS = ("workflow", "steps")


def plus(counts: Counts, **more: int) -> Counts:
    return counts.model_copy(update={name: getattr(counts, name) + n for name, n in more.items()})


# -- the run as a whole -----------------------------------------------------------------------


def transitioned(state: RunState, fact: happened.Transitioned) -> RunState:
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


def rested(rest: Rest, now: str) -> Rest:
    return rest if rest.since is None else Rest(rest.total_ms + ms_between(rest.since, now), None)


def taken_up(state: RunState) -> RunState:
    """It rests since the process before gave its last sign of life. Only what was proposed is
    still asked: everything else is asked anew where the run comes to it."""
    asked = state.question
    return changed(
        state,
        rest=Rest(state.rest.total_ms, state.rest.since or state.changed_at),
        resumable=state.resumable or state.state in IN_A_BEHAVIOR,
        question=asked if asked and asked.pending.kind in _ASKED_ABOUT_PLANS else None,
    )


def restarted(state: RunState) -> RunState:
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


def retried(state: RunState, *, anew: bool) -> RunState:
    progress = state.progress
    if state.resumable and not anew:
        return changed(state, progress=progress.reopening_behavior())
    if not progress.has_behavior_to_repeat:
        return in_behavior(changed(state, under_way=None), None, None)
    return changed(
        state,
        progress=progress.repeating_behavior(),
        sections=state.behavior_start.sections,
        replaces=Attempt(state.behavior_start.actions, state.counts.actions),
        resumable=False,
        lines_done=(),
        under_way=None,
    )


def without_cells(state: RunState, gone: list[str]) -> RunState:
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


def plan_changed(state: RunState, fact: happened.PlanChanged) -> RunState:
    update = parse_update(fact.what, fact.update)
    progress, goes_on_at = with_update(update, state.progress)
    jump = state.jump if goes_on_at is None else Jump(*goes_on_at, leaves_out=False)
    counts = plus(state.counts, plan_revisions=1)
    return changed(state, progress=progress, jump=jump, counts=counts)


def in_step(state: RunState, step_id: str) -> RunState:
    progress = state.progress.in_step(step_id)
    behaviors = state.step_behaviors
    if state.kept_verdict is None:
        behaviors = {key: n for key, n in behaviors.items() if key != progress.step_key}
    return changed(state, progress=progress, debug_attempts=0, step_behaviors=behaviors)


def in_behavior(state: RunState, behavior_id: str | None, goal: str | None) -> RunState:
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
        step_ended=False,
        stopped=None,
        next_expected=(),
        next_in_progress=(),
        resumable=False,
        behavior_start=BehaviorStart(state.counts.actions, state.sections),
    )


def behavior_began(state: RunState, *, resumed: bool) -> RunState:
    """It counts once, however often it is tried; what only carries a question is none."""
    key, iteration = state.progress.step_key, state.progress.iteration
    after = changed(state, resumable=False)
    if not resumed:
        after = changed(after, tally=BehaviorTally(), lines_done=(), step_ended=False, stopped=None)
    if state.kept_verdict is None and state.step_behaviors.get(key) != iteration:
        behaviors = {**state.step_behaviors, key: iteration}
        counts = plus(state.counts, behaviors=1)
        after = changed(after, step_behaviors=behaviors, counts=counts)
    return after


# -- actions and cells ------------------------------------------------------------------------


def action_ended(state: RunState, fact: happened.ActionEnded) -> RunState:
    action, counts, tally = state.under_way, state.counts, state.tally
    if fact.success:
        counts = plus(counts, actions_succeeded=1)
        tally = changed(tally, succeeded=tally.succeeded + 1, last_result="success")
    elif fact.refused:
        counts = plus(counts, actions_skipped=1)
        tally = changed(tally, skipped=tally.skipped + 1)
    else:
        counts = plus(counts, actions_failed=1)
        tally = changed(tally, last_result=f"error: {fact.error}")
    lines, progress = state.lines_done, state.progress
    if action is not None:
        progress = progress.having_taken(action.label)
        if action.digest is not None and not fact.again:
            lines = (*lines, action.digest)
    return changed(
        state,
        under_way=None,
        counts=counts,
        tally=tally,
        lines_done=lines,
        progress=progress,
        step_ended=state.step_ended or fact.ends_step,
        stopped=fact.error or "it was not allowed" if fact.refused else state.stopped,
    )


def cell_added(state: RunState, fact: happened.CellAdded) -> RunState:
    names, action = state.cell_names, state.under_way
    if fact.name:
        names = limited({**names, fact.name: fact.cell_id}, MAX_CELL_NAMES)
    if action is not None:
        action = changed(action, cells=(*action.cells, fact.cell_id))
    is_code = fact.cell_type == "code"
    return changed(
        state,
        counts=plus(state.counts, cells_added=1),
        cell_names=names,
        under_way=action,
        last_code_cell=fact.cell_id if is_code else state.last_code_cell,
        last_text_cell=state.last_text_cell if is_code else fact.cell_id,
    )


def limited(names: dict[str, str], most: int) -> Mapping[str, str]:
    while len(names) > most:
        del names[next(iter(names))]
    return names


def cell_ran(state: RunState, fact: happened.CellRan) -> RunState:
    action = state.under_way
    if action is not None and action.cell_id == fact.cell_id:
        action = changed(action, ran=fact.status, error=fact.error)
    after = changed(state, counts=plus(state.counts, cells_executed=1), under_way=action)
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


def section_began(state: RunState, fact: happened.SectionBegan) -> RunState:
    if fact.level == "chapter":
        return changed(state, sections=state.sections.with_chapter(fact.number))
    return changed(
        state,
        sections=state.sections.with_section(fact.number, fact.section_id),
        tally=changed(state.tally, sections_added=state.tally.sections_added + 1),
    )


# -- questions --------------------------------------------------------------------------------


def answered(state: RunState, fact: happened.Answered) -> RunState:
    asked, decision, tally = state.question, fact.decision, state.tally
    question = None if asked is None else Question(asked.pending, decision.verdict, fact.changes)
    if decision.verdict == "rejected" and decision.kind in ("behavior", "code", "rebuild"):
        reason = f": {decision.reason}" if decision.reason else ""
        refused = tally.refused or decision.kind != "rebuild"
        tally = changed(tally, last_result=f"rejected by the person{reason}", refused=refused)
    decisions = (*state.decisions, decision)[-MAX_DECISIONS:]
    return changed(state, question=question, decisions=decisions, tally=tally)
