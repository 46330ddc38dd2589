"""The embedded planner: plays a playbook, judging everything from the observation it is given.

It keeps no state between calls. What it must remember travels as planner variables in
`context.variables`, so a run survives a restart of the server:

    playbook      name or path of the playbook
    data_path     the data file of the run          goal       the person's own words
    language      `en` or `zh`                      asked_steps  optional steps asked about

and every variable that the playbook declares (`target`, …), filled with its default at the start.
A planner of one run is given these beside the observation: what the person's kernel has by such a
name hides them there, and is not what they asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from notebook_bcc_ext.errors import SettingsError
from notebook_bcc_ext.planners import answers
from notebook_bcc_ext.planners.generation import actions_of
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.planners.playbook import Stage, Step
from notebook_bcc_ext.planners.proposals import propose_steps, remember_acceptance, workflow_of
from notebook_bcc_ext.planners.situation import NAMES, REPAIR_SUFFIX, Situation, failure_of
from notebook_bcc_ext.planners.wording import say
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.protocol.states import State

DEFAULT_PLAYBOOK = "lifecycle"


class EmbeddedPlanner:
    def __init__(
        self,
        library: PlaybookLibrary | None = None,
        default_playbook: str = DEFAULT_PLAYBOOK,
        *,
        said: Mapping[str, object] | None = None,
    ) -> None:
        """`said`: the words of the one run that this planner is for; it plays `default_playbook`.
        A service has none, and knows only what it is told."""
        self.library = library or PlaybookLibrary()
        self.default_playbook = default_playbook
        self._said = said

    def plan(self, request: PlannerRequest) -> PlanningAnswer:
        situation = self.situation(request)
        if request.behavior_feedback is not None:
            return self._after_behavior(situation, request.behavior_feedback)
        match self._level(situation):
            case State.IDLE:
                return self._begin(situation)
            case State.STAGE_RUNNING:
                return self._enter_stage(situation)
            case State.STEP_COMPLETED:
                return self._judge_rest(situation, situation.progress.steps.remaining, "steps")
            case State.STAGE_COMPLETED:
                return self._judge_rest(situation, situation.progress.stages.remaining, "stages")
            case _:
                return self._enter_step(situation)

    def generate(self, request: PlannerRequest) -> Iterator[dict[str, Any]]:
        """The actions of the current behavior, one at a time."""
        situation = self.situation(request)
        step = situation.step
        if step is None:
            return
        behavior_id = request.observation.location.current.behavior_id
        behavior = situation.current_behavior(step, behavior_id)
        if behavior is not None:
            repairing = (behavior_id or "").endswith(REPAIR_SUFFIX) and behavior.repair is not None
            yield from actions_of(situation, step, behavior, repairing=repairing)

    def situation(self, request: PlannerRequest) -> Situation:
        context = request.observation.context
        told = {**context.variables, **(context.inputs or {})}.get("playbook")
        chosen = (told if self._said is None else None) or self.default_playbook
        playbook = self.library.get(str(chosen))
        return Situation(playbook, request.observation, str(chosen), self._said)

    def _level(self, situation: Situation) -> State:
        """What is being asked about: the client's state, or what the location implies."""
        state = (situation.observation.context.fsm.state or "").lower()
        if state in (State.IDLE, State.STAGE_RUNNING, State.STEP_COMPLETED, State.STAGE_COMPLETED):
            return State(state)
        current = situation.observation.location.current
        if current.step_id or state:
            return State.STEP_RUNNING
        return State.STAGE_RUNNING if current.stage_id else State.IDLE

    def _begin(self, situation: Situation) -> PlanningAnswer:
        playbook = situation.playbook
        for name, variable in playbook.variables.items():
            if variable.required and situation.variables.get(name) in (None, ""):
                meaning = situation.text(variable.description)
                raise SettingsError(
                    f"the playbook '{playbook.name}' needs the variable '{name}': {meaning}"
                )
        variables = {
            name: variable.default
            for name, variable in playbook.variables.items()
            if variable.default is not None
            and situation.variables.get(name, variable.default) == variable.default
        }
        variables |= {"playbook": situation.playbook_name, "language": situation.language}
        if playbook.names:
            variables[NAMES] = situation.choose_names()
        return answers.definition(situation, workflow_of(situation), variables)

    def _enter_stage(self, situation: Situation) -> PlanningAnswer:
        stage = situation.stage
        if stage is None:
            return answers.go_on("")
        reason = situation.skip_reason(stage.skip)
        if reason is not None:
            return answers.not_needed(situation, stage, reason)
        focus = self._say(situation, "stage_begins", stage)
        return answers.go_on(focus, level="stages")

    def _enter_step(self, situation: Situation) -> PlanningAnswer:
        step = situation.step
        if step is None:
            return answers.left_to_person(situation)
        stage_skips = situation.stage.skip if situation.stage else []
        reason = situation.skip_reason([*stage_skips, *step.skip])
        if reason is not None:
            return answers.not_needed(situation, step, reason)
        behavior = situation.first_behavior(step)
        if behavior is not None:
            answer = answers.next_behavior(situation, step, behavior, is_feedback=False)
            return remember_acceptance(situation, step, answer)
        if situation.step_is_done(step):
            return answers.achieved(situation, step, self._say(situation, "nothing_applies", step))
        return answers.stuck(self._missed(situation, step))

    def _after_behavior(self, situation: Situation, feedback: BehaviorFeedback) -> PlanningAnswer:
        step = situation.step
        if step is None:
            return answers.left_to_person(situation)
        current = situation.observation.location.current
        behavior_id = feedback.behavior_id or current.behavior_id or ""
        behavior = situation.current_behavior(step, behavior_id)
        error = failure_of(feedback)
        if error is not None and behavior is not None:
            if behavior.repair and not behavior_id.endswith(REPAIR_SUFFIX):
                return answers.repair(situation, step, behavior, error)
            name = situation.text(step.name)
            return answers.stuck(say("cannot_repair", situation.language, name=name, error=error))
        failure = situation.failure_reason(step)
        following = situation.behavior_after(step, behavior)
        if failure is None and following is not None:
            return answers.next_behavior(situation, step, following, is_feedback=True)
        if failure is None and not situation.step_is_done(step):
            failure = self._missed(situation, step)
        if failure is not None:
            return answers.stuck(failure)
        answer = answers.achieved(situation, step, self._say(situation, "goal_met", step))
        return propose_steps(situation, step, answer)

    def _judge_rest(self, situation: Situation, remaining: list[str], level: str) -> PlanningAnswer:
        if remaining:
            ids = ", ".join(remaining)
            focus = say("remaining", situation.language, count=len(remaining), ids=ids)
            return answers.go_on(focus)
        if level == "stages":
            return self._finish(situation)
        stage = situation.stage
        focus = self._say(situation, "goal_met", stage) if stage else ""
        return answers.achieved(situation, None, focus)

    def _finish(self, situation: Situation) -> PlanningAnswer:
        language, facts = situation.language, situation.variables.get("facts")
        goal = str(situation.variables.get("goal") or "")
        is_answered = isinstance(facts, dict) and facts.get("answered") is True
        sentence = "unanswered" if situation.playbook.reads_goal else "goal_not_read"
        unanswered = say(sentence, language) if goal and not is_answered else None
        return answers.finished(situation, unanswered or say("all_done", language), unanswered)

    def _say(self, situation: Situation, sentence: str, part: Stage | Step) -> str:
        name, goal = situation.text(part.name), situation.text(part.goal)
        return say(sentence, situation.language, name=name, goal=goal)

    def _missed(self, situation: Situation, step: Step) -> str:
        check = step.done_when or ", ".join(step.outputs)
        name = situation.text(step.name)
        return say("goal_missed", situation.language, name=name, check=check)
