"""A planner of the older dialect `v1` (P8) behind the same port.

`GET /v1/actions` answers with behavior, actions and transition in one; `POST /v1/reflection`
judges after the actions ran. The dialect knows steps only, so:

    step start          asks /v1/actions, judges from it, and holds its actions for `generate`
    feedback            asks /v1/reflection; "not achieved" means another behavior
    idle                no call and no workflow: it comes with the run request
    stage start         no call: not achieved, there are steps to do
    after step / stage  no call: achieved, since every step was confirmed
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from notebook_bcc_ext.adapters.planner.actions import checked_actions
from notebook_bcc_ext.adapters.planner.client import PlannerClient
from notebook_bcc_ext.adapters.planner.connection import Question
from notebook_bcc_ext.adapters.planner.records import CallKind
from notebook_bcc_ext.errors import ProtocolError
from notebook_bcc_ext.ports import Json
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorInfo,
    PlannerRequest,
    PlanningAnswer,
    RequestOptions,
    Transition,
)
from notebook_bcc_ext.protocol.planner.dialect_v1 import V1Answer, to_v1
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.protocol.states import State

_CONFIRMED_BY_THEIR_STEPS = (State.STEP_COMPLETED, State.STAGE_COMPLETED, State.WORKFLOW_COMPLETED)


class HeldActions:
    """The actions of an answer that is already here."""

    def __init__(self, answer: V1Answer, beside: PlanningAnswer | None) -> None:
        self.behavior: BehaviorInfo | None = answer.behavior
        self.beside = beside
        self._actions = answer.actions

    async def __aiter__(self) -> AsyncIterator[Json]:
        for action in self._actions:
            yield action


class V1Planner(PlannerClient):
    _held: V1Answer | None = None
    _onward: V1Answer | None = None
    """Where an answer fetched by `generate` wants to go on, once its actions have run."""

    async def plan(self, request: PlannerRequest) -> PlanningAnswer:
        if request.behavior_feedback is not None:
            return await self._reflect(request)
        state = (request.observation.context.fsm.state or "").lower()
        if state == State.STEP_RUNNING:
            return await self._judge_step_start(request)
        if state == State.IDLE:
            return PlanningAnswer()
        return PlanningAnswer(target_achieved=state in _CONFIRMED_BY_THEIR_STEPS)

    @asynccontextmanager
    async def generate(self, request: PlannerRequest) -> AsyncIterator[HeldActions]:
        answer, self._held = self._held, None
        beside = None
        if answer is None:
            answer = self._onward = await self._fetch_actions(request, "generating")
            beside = _judgement(answer)
        yield HeldActions(answer, beside)

    async def _judge_step_start(self, request: PlannerRequest) -> PlanningAnswer:
        self._onward = None
        answer = await self._fetch_actions(request, "planning")
        self._held = answer
        # Actions come before the verdict on them: only an answer without any can say "achieved".
        achieved = answer.achieved and not answer.actions
        return _judgement(
            answer,
            target_achieved=achieved,
            transition=answer.transition.model_copy(
                update={"continue_behaviors": None, "target_achieved": achieved}
            ),
        )

    async def _reflect(self, request: PlannerRequest) -> PlanningAnswer:
        url = self._settings.v1_reflection_url
        question = Question("feedback", "POST", url, _body(request), _location(request))
        answer = await self._connection.ask(question, _read_answer)
        onward, self._onward = self._onward, None
        transition = _carried_over(onward, answer)
        if answer.has_verdict and not answer.achieved and transition.continue_behaviors is None:
            transition = transition.model_copy(update={"continue_behaviors": True})
        # Some services send the next behavior along; it is not fetched a second time then.
        self._held = answer if answer.actions and transition.continue_behaviors else None
        return _judgement(answer, transition=transition)

    async def _fetch_actions(self, request: PlannerRequest, kind: CallKind) -> V1Answer:
        url = self._settings.v1_actions_url
        question = Question(kind, "GET", url, _body(request), _location(request))
        return await self._connection.ask(question, self._read_actions)

    def _read_actions(self, raw: Json) -> V1Answer:
        most = self._settings.max_actions_per_behavior
        actions = raw.get("actions") or []
        if isinstance(actions, list) and len(actions) > most:
            problem = (
                f"it has {len(actions)} actions, more than BCC_MAX_ACTIONS_PER_BEHAVIOR={most}"
            )
            raise ProtocolError(problem)
        return _read_answer(raw)


def _body(request: PlannerRequest) -> Json:
    request.observation.require_progress()
    plain = request.model_copy(update={"options": RequestOptions(stream=False)})
    return to_v1(plain).to_wire()


def _location(request: PlannerRequest) -> CurrentLocation:
    return request.observation.location.current


def _read_answer(raw: Json) -> V1Answer:
    answer = V1Answer.parse(raw)
    if not answer.model_fields_set & V1Answer.model_fields.keys():
        raise ProtocolError(
            "it has none of the fields of an answer (behavior, actions, transition)"
        )
    checked_actions(answer.actions)
    return answer


def _judgement(answer: V1Answer, **changes: Any) -> PlanningAnswer:
    """The answer without its actions, as the engine knows answers."""
    told = {name: getattr(answer, name) for name in answer.model_fields_set if name != "actions"}
    known = {name: value for name, value in told.items() if name in PlanningAnswer.model_fields}
    return PlanningAnswer.model_validate({**known, **changes})


def _carried_over(onward: V1Answer | None, answer: V1Answer) -> Transition:
    """Where the fetched answer said how to go on, and the reflection is silent, it counts."""
    if onward is None:
        return answer.transition
    earlier = onward.transition
    carried: dict[str, Any] = {
        name: getattr(earlier, name)
        for name in ("strategy", "next_stage_id", "next_step_id")
        if getattr(answer.transition, name) is None and getattr(earlier, name) is not None
    }
    if not answer.has_verdict and earlier.continue_behaviors is not None:
        carried["continue_behaviors"] = earlier.continue_behaviors
    return answer.transition.model_copy(update=carried)
