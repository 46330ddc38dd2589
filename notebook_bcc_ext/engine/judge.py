"""Asks the planner to judge, takes its answer in, and says what it means (F6-F8, P6, P7)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from notebook_bcc_ext.engine.belongings import note_temporaries
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.planner_words import outputs_owner
from notebook_bcc_ext.engine.position import is_out_of_step
from notebook_bcc_ext.engine.promotion import promote_all
from notebook_bcc_ext.engine.proposals import Update, proposals_in
from notebook_bcc_ext.engine.state import Jump
from notebook_bcc_ext.engine.wishes import check_wish
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import PlannerError
from notebook_bcc_ext.protocol.browser.facts import (
    ContextUpdated,
    Judged,
    NotJudged,
    PlannerCall,
    PlannerCalled,
    When,
)
from notebook_bcc_ext.protocol.browser.runs import JudgedLevel, Verdict
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, BehaviorInfo, PlanningAnswer
from notebook_bcc_ext.protocol.states import State


@dataclass(frozen=True)
class Judgement:
    achieved: bool
    continues: bool
    proposals: list[Update] = field(default_factory=list)
    behavior: BehaviorInfo | None = None
    degraded: str | None = None
    """Why there is no real answer: the planner could not be reached."""
    failure: str | None = None
    """Why the goal cannot be reached, in the planner's words."""


class Judge:
    def __init__(self, world: World, observer: Observer) -> None:
        self._world = world
        self._observer = observer

    async def ask(self, *, may_degrade: bool = False) -> Judgement:
        """Judge the goal at this place. A planner that fails is an error, or a degraded answer."""
        try:
            return await self._call(None)
        except PlannerError as error:
            if not may_degrade:
                raise
            return self._degraded(error, "going on as if the goal were not reached yet")

    async def feedback(self, feedback: BehaviorFeedback) -> Judgement:
        """Report a finished behavior. Without an answer nothing continues and nothing is met."""
        await self._observer.check_behavior()
        try:
            judgement = await self._call(feedback)
        except PlannerError as error:
            return self._degraded(error, "the result of this behavior could not be judged")
        # The table asks first whether more behaviors are wanted (F8).
        return replace(judgement, achieved=judgement.achieved and not judgement.continues)

    async def _call(self, feedback: BehaviorFeedback | None) -> Judgement:
        world = self._world
        answer = await self._answer(feedback)
        proposals, wish = proposals_in(answer), _jump(answer)
        check_wish(wish, world.state.progress, world.state.state, proposals)
        judged = Judged(
            level=_level(world.state.state),
            verdict=_verdict(answer),
            answer=answer.to_wire(),
            after_behavior=feedback is not None,
        )
        await self._take_in(judged, answer, "before" if feedback is None else "after")
        return Judgement(
            achieved=answer.achieved,
            continues=answer.continues,
            proposals=proposals,
            behavior=answer.behavior,
            failure=answer.metadata.failure,
        )

    async def _answer(self, feedback: BehaviorFeedback | None) -> PlanningAnswer:
        """The planner's answer for where the run is."""
        world, told = self._world, False
        while True:
            request = await self._observer.planning_request(feedback)
            call: PlannerCall = "planning" if feedback is None else "feedback"
            world.ledger.record(PlannerCalled(call=call))
            answer = await world.planner.plan(request)
            if not is_out_of_step(world, request, answer, told=told):
                return answer
            told = True

    async def beside_actions(self, answer: PlanningAnswer) -> list[Update]:
        """Take in what came in one answer with actions that are about to run; its proposals."""
        await self._take_in(ContextUpdated(answer=answer.to_wire()), answer, "beside")
        return proposals_in(answer)

    async def _take_in(
        self, said: Judged | ContextUpdated, answer: PlanningAnswer, when: When
    ) -> None:
        world, outputs = self._world, answer.context_update.outputs
        refusal = None
        if outputs is not None and outputs.findings:
            level = world.state.progress.outputs.level(outputs_owner(outputs, when))
            refusal = level.refusal_of(outputs.findings)
        world.ledger.record(said)
        if refusal is not None:
            world.warn(*refusal)
        await note_temporaries(world, outputs)
        await promote_all(world, outputs.promote if outputs is not None else ())

    def _degraded(self, error: PlannerError, consequence: str) -> Judgement:
        self._world.ledger.record(NotJudged())
        self._world.warn(f"the planner gave no answer ({error}); {consequence}")
        return Judgement(achieved=False, continues=False, degraded=str(error))


def _verdict(answer: PlanningAnswer) -> Verdict:
    if answer.continues:
        return "continues"
    if answer.achieved and answer.metadata.unanswered:
        return "unanswered"
    return "achieved" if answer.achieved else "not_yet"


def _level(state: State) -> JudgedLevel:
    """Whose goal the planner is asked about there (F7)."""
    match state:
        case State.IDLE | State.STAGE_COMPLETED:
            return "workflow"
        case State.STAGE_RUNNING | State.STEP_COMPLETED:
            return "stage"
        case _:
            return "step"


def _jump(answer: PlanningAnswer) -> Jump | None:
    stage_id, step_id = answer.transition.next_stage_id, answer.transition.next_step_id
    return Jump(stage_id, step_id) if stage_id or step_id else None
