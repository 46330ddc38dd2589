"""What an observation means for a playbook: where we are, what is known, what has been done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from notebook_bcc_ext.planners.conditions import Facts, parse_condition
from notebook_bcc_ext.planners.playbook import Behavior, Playbook, Skip, Stage, Step, in_language
from notebook_bcc_ext.planners.rendering import Scope, render_plain
from notebook_bcc_ext.planners.wording import normalise_language
from notebook_bcc_ext.protocol.observation import LevelProgress, Observation, Progress
from notebook_bcc_ext.protocol.planner import BehaviorFeedback

REPAIR_SUFFIX = "_repair"
ASKED_STEPS = "asked_steps"
"""Planner variable: ids of optional steps that a person has been asked about."""
DATA_NAME = "data_name"
"""A placeholder of every playbook: the file name of `data_path`."""
_SUCCESS = ("", "success", "succeeded", "ok")


@dataclass(frozen=True)
class Situation:
    playbook: Playbook
    observation: Observation

    @property
    def progress(self) -> Progress:
        return self.observation.location.progress or Progress()

    @property
    def variables(self) -> dict[str, object]:
        """A kernel variable that happens to be named `target` is not what the person asked for."""
        context = self.observation.context
        return {**context.variables, **(context.inputs or {})}

    @property
    def language(self) -> str:
        return normalise_language(self.variables.get("language"))

    @property
    def stage(self) -> Stage | None:
        return self.playbook.stage(self.observation.location.current.stage_id or "")

    @property
    def step(self) -> Step | None:
        wanted = self.observation.location.current.step_id
        return next((step for _, step in self.playbook.steps() if step.id == wanted), None)

    @property
    def facts(self) -> Facts:
        produced = {name for level in self._levels() for name in level.current_outputs.produced}
        completed = {item.id for level in self._levels() for item in level.completed}
        effects = self.observation.context.effects.current
        return Facts(
            self.variables, frozenset(produced), frozenset(completed), tuple(map(str, effects))
        )

    def _levels(self) -> tuple[LevelProgress, ...]:
        return self.progress.stages, self.progress.steps, self.progress.behaviors

    def text(self, local: dict[str, str]) -> str:
        """A name, goal or reason in the run's language, with its values."""
        return render_plain(in_language(local, self.language), self.scope(None))

    def scope(self, step: Step | None) -> Scope:
        texts = step.texts if step else {}
        path = str(self.variables.get("data_path") or "")
        variables = {**self.variables, DATA_NAME: re.split(r"[\\/]", path)[-1]}
        return Scope(variables, texts, self.language, self.playbook.label_function)

    def holds(self, condition: str | None) -> bool:
        return condition is None or parse_condition(condition).holds(self.facts)

    def skip_reason(self, skips: list[Skip]) -> str | None:
        found = next((skip for skip in skips if self.holds(skip.when)), None)
        return self.text(found.reason) if found else None

    def step_is_done(self, step: Step) -> bool:
        if step.done_when is not None:
            return self.holds(step.done_when)
        facts = self.facts
        return all(name in facts.produced or name in facts.variables for name in step.outputs)

    def first_behavior(self, step: Step) -> Behavior | None:
        finished = {item.id for item in self.progress.behaviors.completed}
        return next((one for one in self._applicable(step, 0) if one.id not in finished), None)

    def behavior_after(self, step: Step, behavior: Behavior | None) -> Behavior | None:
        start = step.behaviors.index(behavior) + 1 if behavior else len(step.behaviors)
        return next(self._applicable(step, start), None)

    def remaining_behaviors(self, step: Step, behavior: Behavior) -> int:
        """How many follow this one, as far as can be told now."""
        return sum(1 for _ in self._applicable(step, step.behaviors.index(behavior) + 1))

    def _applicable(self, step: Step, start: int) -> Iterator[Behavior]:
        return (one for one in step.behaviors[start:] if self.holds(one.when))

    def current_behavior(self, step: Step, behavior_id: str | None) -> Behavior | None:
        """By the planner's own id; a client that counts its own ids is followed by number."""
        wanted = (behavior_id or "").removesuffix(REPAIR_SUFFIX)
        named = step.behavior(wanted)
        if named is not None:
            return named
        number = wanted.removeprefix("behavior_")
        iteration = int(number) if number.isdecimal() else 1
        applicable = list(self._applicable(step, 0))
        return applicable[iteration - 1] if 0 < iteration <= len(applicable) else None

    def steps_present(self) -> list[str]:
        """The steps of the current stage as the client has them, in order."""
        steps = self.progress.steps
        current = steps.current or self.observation.location.current.step_id
        ids = [*(item.id for item in steps.completed), *([current] if current else [])]
        return list(dict.fromkeys([*ids, *steps.remaining]))

    def asked_steps(self) -> list[str]:
        asked = self.variables.get(ASKED_STEPS)
        return [str(one) for one in asked] if isinstance(asked, list) else []


def failure_of(feedback: BehaviorFeedback) -> str | None:
    """The error a behavior ended with, in one short line; None when it went well."""
    result = " ".join(feedback.last_action_result.split())
    if result.lower() not in _SUCCESS:
        return result[:200]
    if not result and feedback.actions_succeeded < feedback.actions_executed:
        failed = feedback.actions_executed - feedback.actions_succeeded
        return f"{failed} of {feedback.actions_executed} actions failed"
    return None
