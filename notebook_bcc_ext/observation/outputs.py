"""Outputs tracking: what is to be produced, what is, and what only was claimed (O9, O10).

A name counts as produced only when the kernel has it. Behaviors hand what they produced up to
their step, steps to their stage; so with artifacts and findings. A temporary is never produced:
it is promoted, or the planner says that it is one no more.

All of it is one value: whoever changes it gets another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from notebook_bcc_ext.observation.effects import Warn, about_name
from notebook_bcc_ext.protocol.planner.calls import Level, OutputsUpdate
from notebook_bcc_ext.protocol.planner.observation import Artifact, CurrentOutputs, OutputsProduced

Names = tuple[str, ...]

MAX_FINDINGS_CHARS = 8_000
"""Of one level: they are told with every call."""
MAX_TEMPORARIES = 200


@dataclass(frozen=True)
class LevelOutputs:
    expected: Names = ()
    produced: Names = ()
    in_progress: Names = ()
    artifacts: tuple[Artifact, ...] = ()
    findings: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the planner said about the outputs, under its own names."""
    must_exist: Names = ()
    claimed: Names = ()
    """Said to be produced, and not checked against the kernel yet."""

    def view(self) -> CurrentOutputs:
        return CurrentOutputs(
            expected=list(self.expected),
            produced=list(self.produced),
            in_progress=list(self.in_progress),
            **self.findings,
        )

    def summary(self) -> OutputsProduced:
        fields: dict[str, object] = {**self.findings, "variables": list(self.produced)}
        if self.artifacts:
            fields["artifacts"] = list(self.artifacts)
        return OutputsProduced.model_validate(fields)

    def attainment(self, present: Iterable[str]) -> float | None:
        """The share of expected outputs that exist; None when nothing is expected."""
        if not self.expected:
            return None
        there = {*self.produced, *present} - (set(self.claimed) - set(present))
        return sum(name in there for name in self.expected) / len(self.expected)

    def with_artifacts(self, artifacts: Iterable[Artifact]) -> LevelOutputs:
        known = {one.artifact_id for one in self.artifacts}
        news = tuple(one for one in artifacts if one.artifact_id not in known)
        return replace(self, artifacts=(*self.artifacts, *news)) if news else self

    def finding(self, findings: Mapping[str, Any]) -> LevelOutputs:
        """With what was found; more than can be told is refused as a whole."""
        if not findings or self.refusal_of(findings) is not None:
            return self
        return replace(self, findings=_merged(self.findings, findings))

    def refusal_of(self, findings: Mapping[str, Any]) -> Warn | None:
        if len(json.dumps(_merged(self.findings, findings))) <= MAX_FINDINGS_CHARS:
            return None
        names = ", ".join(f"'{name}'" for name in findings)
        return Warn(f"{names} of outputs were not kept: at most {MAX_FINDINGS_CHARS} characters")

    def missing(self, present: Iterable[str], what: str) -> list[Warn]:
        """What was to be there and is not: expected, to be validated, or claimed."""
        there = {*present, *(artifact.parent for artifact in self.artifacts)}
        words = dict.fromkeys(self.expected, f"was expected of this {what}")
        words |= dict.fromkeys(self.must_exist, f"is to be validated after this {what}")
        words |= dict.fromkeys(self.produced, f"was reported as produced by this {what}")
        return [
            Warn(f"'{name}' {said} but is not in the kernel", about_name(name))
            for name, said in words.items()
            if name not in there
        ]


@dataclass(frozen=True)
class OutputsState:
    stages: LevelOutputs = field(default_factory=LevelOutputs)
    steps: LevelOutputs = field(default_factory=LevelOutputs)
    behaviors: LevelOutputs = field(default_factory=LevelOutputs)
    temporaries: Names = ()
    """What the planner declared as in progress, and neither promoted nor reported since."""
    made: Names = ()
    """Temporaries that the kernel did not have when they were declared: the run's to delete."""
    made_by_behavior: Names = ()
    """Those of them that were declared for the current behavior."""
    seen: Names = ()
    """Which of the names that matter the kernel had when it was looked at last."""

    # -- looking ----------------------------------------------------------------------------

    def attainment(self) -> dict[str, float | None]:
        return {
            "stages": self.stages.attainment(self.seen),
            "steps": self.steps.attainment(self.seen),
            "behaviors": self.behaviors.attainment(self.seen),
        }

    def level(self, level: Level) -> LevelOutputs:
        found: LevelOutputs = getattr(self, level)
        return found

    def names(self) -> list[str]:
        """Every name whose existence matters now; what to ask the kernel for."""
        return list(
            dict.fromkeys(
                name
                for level in (self.stages, self.steps, self.behaviors)
                for names in (level.expected, level.produced, level.in_progress, level.must_exist)
                for name in names
            )
        )

    # -- entering ---------------------------------------------------------------------------

    def entering_stage(self, expected: Iterable[str]) -> OutputsState:
        entered = replace(self, stages=LevelOutputs(expected=_unique(expected)), temporaries=())
        return entered.entering_step(())

    def entering_step(self, expected: Iterable[str]) -> OutputsState:
        return replace(self, steps=LevelOutputs(expected=_unique(expected))).entering_behavior(())

    def entering_behavior(self, expected: Iterable[str]) -> OutputsState:
        return replace(self, behaviors=LevelOutputs(expected=_unique(expected)))

    def taking_up(self, in_progress: Iterable[str]) -> OutputsState:
        """What the behavior that begins is to work on."""
        names = _unique(in_progress)
        return replace(
            self,
            behaviors=replace(self.behaviors, in_progress=names),
            made_by_behavior=_among(self.made_by_behavior, names),
        )

    def expecting(self, names: Iterable[str], must_exist: Iterable[str]) -> OutputsState:
        """`context_filter.outputs_tracking` of the answer before this behavior."""
        behaviors = replace(
            self.behaviors,
            expected=_unique([*self.behaviors.expected, *names]),
            must_exist=_unique(must_exist),
        )
        return replace(self, behaviors=behaviors)

    # -- what the planner says --------------------------------------------------------------

    def told(self, update: OutputsUpdate) -> OutputsState:
        level, after = self.level(update.level), self
        if update.expected is not None:
            level = replace(level, expected=_unique(update.expected))
        if update.produced is not None:
            level = replace(
                level,
                claimed=_unique(
                    [*level.claimed, *(n for n in update.produced if n not in level.produced)]
                ),
                produced=_unique([*level.produced, *update.produced]),
                in_progress=_without(level.in_progress, update.produced),
            )
            after = after._without_temporaries(update.produced)
        if update.in_progress is not None:
            level = replace(level, in_progress=_unique(update.in_progress))
            after = after.declaring(update.in_progress)
        level = level.with_artifacts(update.artifacts).finding(update.findings)
        return after._with(update.level, level)

    def declaring(self, temporaries: Iterable[str]) -> OutputsState:
        names = _unique([*self.temporaries, *temporaries])[-MAX_TEMPORARIES:]
        return replace(self, temporaries=names)

    def declared(self, names: Iterable[str], level: Level, present: Iterable[str]) -> OutputsState:
        """Which of the temporaries that an answer declares are still to be made."""
        there, names = set(present), tuple(names)
        news = _without(names, there)
        of_behavior = _without(self.made_by_behavior, names)
        if level == "behaviors":
            of_behavior += news
        return replace(
            self,
            made=_unique([*self.made, *news])[-MAX_TEMPORARIES:],
            made_by_behavior=of_behavior[-MAX_TEMPORARIES:],
        )

    def promoted(self, artifact: Artifact, level: Level = "behaviors") -> OutputsState:
        """A temporary became an artifact: out of progress, into what `level` produced."""
        parent = [artifact.parent] if artifact.parent else []
        after = self._without_temporaries(parent)
        for name in ("stages", "steps", "behaviors"):
            known: LevelOutputs = getattr(after, name)
            changed = replace(
                known,
                in_progress=_without(known.in_progress, parent),
                produced=_without(known.produced, parent),
            )
            if name == level:
                produced = _unique([*changed.produced, artifact.variable_name])
                changed = replace(changed, produced=produced).with_artifacts([artifact])
            after = after._with(name, changed)
        return after

    # -- what the kernel has ----------------------------------------------------------------

    def noting(self, present: Iterable[str]) -> OutputsState:
        """After an action: an expected name that now exists is in progress until the end."""
        there, behavior = set(present), self.behaviors
        news = (n for n in behavior.expected if n in there and n not in behavior.produced)
        in_progress = _unique([*behavior.in_progress, *news])
        looked = self._looking(there)
        return replace(looked, behaviors=replace(behavior, in_progress=in_progress))

    def checked(self, present: Iterable[str]) -> OutputsState:
        """Its actions are done: what the behavior really produced."""
        there, behavior = set(present), self.behaviors
        made = [*behavior.produced, *behavior.in_progress, *behavior.expected]
        produced = self._produced(made, there)
        closed = replace(behavior, produced=produced, in_progress=(), claimed=())
        return replace(self._looking(there), behaviors=closed)

    def behavior_ended(self, present: Iterable[str]) -> OutputsState:
        """The same with what the planner said since, handed up to the step."""
        there = set(present)
        after = self.checked(there)
        return replace(after, steps=after._handed_up(after.behaviors, after.steps, there))

    def step_ended(self, present: Iterable[str]) -> OutputsState:
        there = set(present)
        after = self._looking(there)
        steps = after._closed(after.steps, there)
        stages = after._handed_up(steps, after.stages, there)
        return replace(after, steps=steps, stages=stages)

    def stage_ended(self, present: Iterable[str]) -> OutputsState:
        there = set(present)
        after = self._looking(there)
        return replace(after, stages=after._closed(after.stages, there))

    def _looking(self, there: set[str]) -> OutputsState:
        seen = tuple(n for n in self.names() if n in there and n not in self.temporaries)
        return self if seen == self.seen else replace(self, seen=seen)

    def _produced(self, names: Iterable[str], there: set[str]) -> Names:
        return _unique(n for n in names if n in there and n not in self.temporaries)

    def _closed(self, level: LevelOutputs, there: set[str]) -> LevelOutputs:
        produced = self._produced([*level.produced, *level.expected], there)
        return replace(level, produced=produced, in_progress=(), claimed=())

    def _handed_up(self, lower: LevelOutputs, upper: LevelOutputs, there: set[str]) -> LevelOutputs:
        own = self._produced(upper.expected, there)
        produced = _unique([*upper.produced, *lower.produced, *own])
        upper = replace(upper, produced=produced, in_progress=())
        return upper.with_artifacts(lower.artifacts).finding(lower.findings)

    def _with(self, name: str, level: LevelOutputs) -> OutputsState:
        changes: dict[str, Any] = {name: level}
        return replace(self, **changes)

    def _without_temporaries(self, names: Iterable[str]) -> OutputsState:
        gone = set(names)
        return replace(
            self,
            temporaries=_without(self.temporaries, gone),
            made=_without(self.made, gone),
            made_by_behavior=_without(self.made_by_behavior, gone),
        )


def _merged(known: Mapping[str, Any], news: Mapping[str, Any]) -> dict[str, Any]:
    """What has the same name is put together where it is a list; otherwise the latest counts."""
    merged = dict(known)
    for name, value in news.items():
        before = merged.get(name)
        if isinstance(before, list) and isinstance(value, list):
            merged[name] = [*before, *(item for item in value if item not in before)]
        else:
            merged[name] = value
    return merged


def _unique(names: Iterable[str]) -> Names:
    return tuple(dict.fromkeys(names))


def _without(names: Iterable[str], gone: Iterable[str]) -> Names:
    out = set(gone)
    return tuple(name for name in names if name not in out)


def _among(names: Iterable[str], kept: Iterable[str]) -> Names:
    wanted = set(kept)
    return tuple(name for name in names if name in wanted)
