"""A run is a fold: `state = reduce(apply, facts, RunState())`.

`apply` is pure and total, and the only place where a run changes. While a run works, when it is
taken up after a restart, and when somebody wants to know how it stood before some fact: always the
same facts, the same function, the same state. What a fact means is written here, once; whether it
may happen is decided before it is recorded (`engine/driver.py` and its parts).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import assert_never

from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.engine.changes import (
    action_ended,
    answered,
    behavior_began,
    cell_added,
    cell_ran,
    in_behavior,
    in_step,
    plan_changed,
    plus,
    restarted,
    rested,
    retried,
    section_began,
    taken_up,
    transitioned,
    without_cells,
)
from notebook_bcc_ext.engine.planner_words import judged, with_context
from notebook_bcc_ext.engine.state import (
    STATES,
    Attempt,
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
from notebook_bcc_ext.protocol.browser.runs import OverwrittenNames
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.calls import PlanningAnswer
from notebook_bcc_ext.protocol.planner.observation import Artifact


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
            return taken_up(state)
        case happened.Summed():
            return STATES.validate_python(fact.state)
        case happened.Transitioned():
            return transitioned(state, fact)
        case happened.Commanded():
            return state
        case happened.RestBegan():
            return changed(state, rest=Rest(state.rest.total_ms, state.rest.since or fact.time))
        case happened.RestEnded():
            return changed(state, rest=rested(state.rest, fact.time))
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
            return restarted(state)
        case happened.Retried():
            return retried(state, anew=fact.anew)
        case happened.CellsReplaced():
            return without_cells(state, fact.gone)
        case happened.PlanAdopted():
            template = WorkflowTemplate.parse(fact.workflow)
            planned = tuple(template.sections) or state.sections.planned
            return changed(
                state,
                progress=progress.with_template(template),
                sections=changed(state.sections, planned=planned),
            )
        case happened.PlanChanged():
            return plan_changed(state, fact)
        case happened.StageEntered():
            return changed(state, progress=progress.in_stage(fact.stage_id))
        case happened.StepEntered():
            return in_step(state, fact.step_id)
        case happened.BehaviorEntered():
            return in_behavior(state, fact.behavior_id, fact.goal)
        case happened.BehaviorNamed():
            return changed(state, progress=progress.named(fact.behavior_id, fact.goal))
        case happened.BehaviorBegan():
            return behavior_began(state, resumed=fact.resumed)
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
            return changed(state, counts=plus(counts, planner_calls=1))
        case happened.CallEnded():
            return changed(state, counts=plus(counts, bytes_sent=fact.request_bytes))
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
            return action_ended(state, fact)
        case happened.ActionUndone():
            return changed(
                state,
                under_way=None,
                counts=plus(counts, actions=-1),
                tally=changed(tally, executed=tally.executed - 1),
            )
        case happened.LinesForgotten():
            return changed(state, lines_done=state.lines_done[: fact.keep])
        case happened.LineSkipped():
            return changed(
                state,
                counts=plus(counts, lines_skipped=1),
                tally=changed(tally, lines_skipped=tally.lines_skipped + 1),
                lines_done=(*state.lines_done, fact.digest) if fact.digest else state.lines_done,
            )
        case happened.ActionsSkipped():
            return changed(
                state,
                counts=plus(counts, actions_skipped=fact.count),
                tally=changed(tally, skipped=tally.skipped + fact.count),
            )
        case happened.RepairAsked():
            attempts = state.debug_attempts + 1
            return changed(state, debug_attempts=attempts, stopped=fact.message)
        case happened.CellAdded():
            return cell_added(state, fact)
        case happened.CellRan():
            return cell_ran(state, fact)
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
            return section_began(state, fact)
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
            return answered(state, fact)
        case happened.QuestionClosed():
            return changed(state, question=None)
        case _:
            assert_never(fact)
