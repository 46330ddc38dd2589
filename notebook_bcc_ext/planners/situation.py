"""What an observation means for a playbook: where we are, what is known, what has been done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from notebook_bcc_ext.planners.conditions import Facts, parse_condition
from notebook_bcc_ext.planners.playbook import (
    Behavior,
    Fail,
    Playbook,
    Skip,
    Stage,
    Step,
    in_language,
)
from notebook_bcc_ext.planners.rendering import Scope, render_plain
from notebook_bcc_ext.planners.wording import language_of, normalise_language
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback
from notebook_bcc_ext.protocol.planner.observation import LevelProgress, Observation, Progress

REPAIR_SUFFIX = "_repair"
NAMES = "names_in_kernel"
"""Planner variable: what the playbook's names are called in this kernel."""
ASKED_STEPS = "asked_steps"
"""Planner variable: ids of optional steps that a person has been asked about."""
DATA_NAME = "data_name"
"""A placeholder of every playbook: the file name of `data_path`."""
RUN_WORDS = ("goal", "data_path", "language")
"""Besides what a playbook declares, the variables that a run is started with."""
_SUCCESS = ("", "success", "succeeded", "ok")


@dataclass(frozen=True)
class Situation:
    playbook: Playbook
    observation: Observation
    playbook_name: str = ""
    """As it was chosen: a name, or a file."""
    said: Mapping[str, object] | None = None
    """What the run was started with, where that is known."""

    @property
    def progress(self) -> Progress:
        return self.observation.location.progress or Progress()

    @property
    def variables(self) -> dict[str, object]:
        """By the playbook's names. A kernel variable that happens to be named `target` is not what
        the person asked for, and their `facts` are not the playbook's."""
        context = self.observation.context
        given = self._with_words_of_run({**context.variables, **(context.inputs or {})})
        ours = {name: given[bound] for name, bound in _names_in(given).items() if bound in given}
        theirs = _names_in(given).keys()
        return {**{name: value for name, value in given.items() if name not in theirs}, **ours}

    def _with_words_of_run(self, given: dict[str, object]) -> dict[str, object]:
        """A kernel variable stands in for none of them, also where the person said nothing."""
        if self.said is None:
            return given
        declared = self.playbook.variables
        kept = {
            name: value
            for name, value in given.items()
            if name not in declared and name not in RUN_WORDS
        }
        defaults = {
            name: variable.default
            for name, variable in declared.items()
            if variable.default is not None
        }
        return {**kept, **defaults, **self.said}

    @property
    def names(self) -> dict[str, str]:
        """What the playbook's names are called in this kernel."""
        known = _names_in(self.observation.context.variables)
        return {name: known.get(name, name) for name in self.playbook.names}

    def choose_names(self) -> dict[str, str]:
        """For each name of the playbook one that is not in the kernel; the ones of an earlier
        attempt stay."""
        seen = self.observation.context.variables
        return _names_in(seen) or {name: _free(name, seen) for name in self.playbook.names}

    def unseen_names(self) -> list[str]:
        """The chosen names that are not among the variables. Functions and modules never are: what
        has such a name all the same is the person's."""
        seen = self.observation.context.variables
        return [bound for bound in self.choose_names().values() if bound not in seen]

    def bound(self, names: list[str]) -> list[str]:
        return [self.names.get(name, name) for name in names]

    @property
    def language(self) -> str:
        """What was said, else that of the question."""
        said = self.variables.get("language")
        return normalise_language(said) if said else language_of(self.variables.get("goal"))

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
        playbook = self.playbook
        return Scope(
            variables,
            texts,
            self.language,
            playbook.label_function,
            playbook.text_function,
            self.names,
        )

    def holds(self, condition: str | None) -> bool:
        return condition is None or parse_condition(condition).holds(self.facts)

    def skip_reason(self, skips: list[Skip]) -> str | None:
        return self._reason(skips)

    def failure_reason(self, step: Step) -> str | None:
        """Why the step's goal cannot be reached, where that is known."""
        return self._reason(step.fail)

    def _reason(self, cases: Sequence[Skip | Fail]) -> str | None:
        found = next((case for case in cases if self.holds(case.when)), None)
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


def _names_in(variables: Mapping[str, object]) -> dict[str, str]:
    known = variables.get(NAMES)
    items = known.items() if isinstance(known, dict) else ()
    return {str(name): str(bound) for name, bound in items}


def _free(name: str, taken: Mapping[str, object]) -> str:
    base = name if name.endswith("report") else f"{name}_report"
    numbered = (f"{base}_{number}" for number in count(2))
    return next(one for one in chain([name, base], numbered) if one not in taken)


def failure_of(feedback: BehaviorFeedback) -> str | None:
    """The error a behavior ended with, in one short line; None when it went well."""
    result = " ".join(feedback.last_action_result.split())
    if result.lower() not in _SUCCESS:
        return result[:200]
    if not result and feedback.actions_succeeded < feedback.actions_executed:
        failed = feedback.actions_executed - feedback.actions_succeeded
        return f"{failed} of {feedback.actions_executed} actions failed"
    return None
