"""Outputs tracking: what is to be produced, what is, and what only was claimed (O9, O10).

A name counts as produced only when the kernel has it. Behaviors hand what they produced up to
their step, steps to their stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from notebook_bcc_ext.protocol.observation import Artifact, CurrentOutputs, OutputsProduced
from notebook_bcc_ext.protocol.planner import Level, OutputsUpdate


@dataclass
class LevelOutputs:
    expected: list[str] = field(default_factory=list)
    produced: list[str] = field(default_factory=list)
    in_progress: list[str] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    must_exist: list[str] = field(default_factory=list)
    claimed: list[str] = field(default_factory=list)
    """Said to be produced, and not checked against the kernel yet."""

    def view(self) -> CurrentOutputs:
        return CurrentOutputs(
            expected=list(self.expected),
            produced=list(self.produced),
            in_progress=list(self.in_progress),
        )

    def summary(self) -> OutputsProduced:
        fields: dict[str, object] = {"variables": list(self.produced)}
        if self.artifacts:
            fields["artifacts"] = list(self.artifacts)
        return OutputsProduced.model_validate(fields)

    def attainment(self, present: Iterable[str]) -> float | None:
        """The share of expected outputs that exist; None when nothing is expected."""
        if not self.expected:
            return None
        there = {*self.produced, *present} - (set(self.claimed) - set(present))
        return sum(name in there for name in self.expected) / len(self.expected)


@dataclass
class OutputsTracker:
    stages: LevelOutputs = field(default_factory=LevelOutputs)
    steps: LevelOutputs = field(default_factory=LevelOutputs)
    behaviors: LevelOutputs = field(default_factory=LevelOutputs)
    seen: list[str] = field(default_factory=list)
    """Which of the names that matter the kernel had when it was looked at last."""

    def attainment(self) -> dict[str, float | None]:
        return {
            "stages": self.stages.attainment(self.seen),
            "steps": self.steps.attainment(self.seen),
            "behaviors": self.behaviors.attainment(self.seen),
        }

    def level(self, level: Level) -> LevelOutputs:
        match level:
            case "stages":
                return self.stages
            case "steps":
                return self.steps
            case "behaviors":
                return self.behaviors
            case _:
                assert_never(level)

    def enter_stage(self, expected: Iterable[str]) -> None:
        self.stages = LevelOutputs(expected=_unique(expected))
        self.enter_step(())

    def enter_step(self, expected: Iterable[str]) -> None:
        self.steps = LevelOutputs(expected=_unique(expected))
        self.enter_behavior(())

    def enter_behavior(self, expected: Iterable[str]) -> None:
        self.behaviors = LevelOutputs(expected=_unique(expected))

    def apply(self, update: OutputsUpdate) -> None:
        level = self.level(update.level)
        if update.expected is not None:
            level.expected = _unique(update.expected)
        if update.produced is not None:
            news = [name for name in update.produced if name not in level.produced]
            level.claimed = _unique([*level.claimed, *news])
            level.produced = _unique([*level.produced, *news])
            level.in_progress = [n for n in level.in_progress if n not in update.produced]
        if update.in_progress is not None:
            level.in_progress = _unique(update.in_progress)

    def expect(self, names: Iterable[str], must_exist: Iterable[str]) -> None:
        """`context_filter.outputs_tracking` of the answer before this behavior."""
        self.behaviors.expected = _unique([*self.behaviors.expected, *names])
        self.behaviors.must_exist = _unique(must_exist)

    def note_present(self, present: Iterable[str]) -> None:
        """After an action: an expected name that now exists is in progress until the end."""
        there = self._look(present)
        behavior = self.behaviors
        behavior.in_progress = _unique(
            [
                *behavior.in_progress,
                *(n for n in behavior.expected if n in there and n not in behavior.produced),
            ]
        )

    def promoted(self, artifact: Artifact, level: Level = "behaviors") -> None:
        """A temporary became an artifact: out of progress, into what `level` produced."""
        for known in (self.stages, self.steps, self.behaviors):
            known.in_progress = [n for n in known.in_progress if n != artifact.parent]
            known.produced = [n for n in known.produced if n != artifact.parent]
        owner = self.level(level)
        owner.produced = _unique([*owner.produced, artifact.variable_name])
        if artifact.artifact_id not in {known.artifact_id for known in owner.artifacts}:
            owner.artifacts.append(artifact)

    def names(self) -> list[str]:
        """Every name whose existence matters now; what to ask the kernel for."""
        levels = (self.stages, self.steps, self.behaviors)
        return _unique(
            name
            for level in levels
            for name in (*level.expected, *level.produced, *level.in_progress, *level.must_exist)
        )

    def end_behavior(self, present: Iterable[str]) -> tuple[OutputsProduced, list[str]]:
        """What the behavior really produced, and warnings about what it did not."""
        there = self._look(present)
        behavior = self.behaviors
        claimed = _unique([*behavior.produced, *behavior.must_exist])
        warnings = [_not_there(name, "behavior") for name in claimed if name not in there]
        candidates = [*behavior.produced, *behavior.in_progress, *behavior.expected]
        behavior.produced = _unique(name for name in candidates if name in there)
        behavior.in_progress, behavior.claimed = [], []
        _carry(behavior, self.steps, there)
        return behavior.summary(), warnings

    def end_step(self, present: Iterable[str]) -> tuple[OutputsProduced, list[str]]:
        there = self._look(present)
        warnings = _drop_missing(self.steps, there, "step")
        _carry(self.steps, self.stages, there)
        return self.steps.summary(), warnings

    def end_stage(self, present: Iterable[str]) -> tuple[OutputsProduced, list[str]]:
        warnings = _drop_missing(self.stages, self._look(present), "stage")
        return self.stages.summary(), warnings

    def _look(self, present: Iterable[str]) -> set[str]:
        there = set(present)
        self.seen = [name for name in self.names() if name in there]
        return there


def _carry(lower: LevelOutputs, upper: LevelOutputs, present: set[str]) -> None:
    own = [name for name in upper.expected if name in present]
    upper.produced = _unique([*upper.produced, *lower.produced, *own])
    upper.in_progress = []
    known = {artifact.artifact_id for artifact in upper.artifacts}
    upper.artifacts.extend(a for a in lower.artifacts if a.artifact_id not in known)


def _drop_missing(level: LevelOutputs, present: set[str], what: str) -> list[str]:
    warnings = [_not_there(name, what) for name in level.produced if name not in present]
    found = [*level.produced, *level.expected]
    level.produced = _unique(name for name in found if name in present)
    level.in_progress, level.claimed = [], []
    return warnings


def _not_there(name: str, what: str) -> str:
    return f"'{name}' was reported as produced by this {what} but is not in the kernel"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
