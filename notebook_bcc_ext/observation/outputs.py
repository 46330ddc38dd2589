"""Outputs tracking: what is to be produced, what is, and what only was claimed (O9, O10).

A name counts as produced only when the kernel has it. Behaviors hand what they produced up to
their step, steps to their stage; so with artifacts and findings. A temporary is never produced:
it is promoted, or the planner says that it is one no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from notebook_bcc_ext.observation.effects import Warn, about_name
from notebook_bcc_ext.protocol.planner.calls import Level, OutputsUpdate
from notebook_bcc_ext.protocol.planner.observation import Artifact, CurrentOutputs, OutputsProduced

MAX_FINDINGS_CHARS = 8_000
"""Of one level: they are stored with every action, and told with every call."""
MAX_TEMPORARIES = 200


@dataclass
class LevelOutputs:
    expected: list[str] = field(default_factory=list)
    produced: list[str] = field(default_factory=list)
    in_progress: list[str] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    findings: dict[str, Any] = field(default_factory=dict)
    """Whatever else the planner said about the outputs, under its own names."""
    must_exist: list[str] = field(default_factory=list)
    claimed: list[str] = field(default_factory=list)
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

    def add_artifact(self, artifact: Artifact) -> None:
        if artifact.artifact_id not in {known.artifact_id for known in self.artifacts}:
            self.artifacts.append(artifact)

    def find(self, findings: Mapping[str, Any]) -> list[Warn]:
        """Keep what was found; more than can be told is refused as a whole."""
        together = _merged(self.findings, findings)
        if len(json.dumps(together)) > MAX_FINDINGS_CHARS:
            names = ", ".join(f"'{name}'" for name in findings)
            text = f"{names} of outputs were not kept: at most {MAX_FINDINGS_CHARS} characters"
            return [Warn(text)]
        self.findings = together
        return []

    def missing(self, present: set[str], what: str) -> list[Warn]:
        """What was to be there and is not: expected, to be validated, or claimed."""
        renamed = {artifact.parent for artifact in self.artifacts}
        words = dict.fromkeys(self.expected, f"was expected of this {what}")
        words |= dict.fromkeys(self.must_exist, f"is to be validated after this {what}")
        words |= dict.fromkeys(self.produced, f"was reported as produced by this {what}")
        return [
            Warn(f"'{name}' {said} but is not in the kernel", about_name(name))
            for name, said in words.items()
            if name not in present and name not in renamed
        ]


@dataclass
class OutputsTracker:
    stages: LevelOutputs = field(default_factory=LevelOutputs)
    steps: LevelOutputs = field(default_factory=LevelOutputs)
    behaviors: LevelOutputs = field(default_factory=LevelOutputs)
    temporaries: list[str] = field(default_factory=list)
    """What the planner declared as in progress, and neither promoted nor reported since."""
    made: list[str] = field(default_factory=list)
    """Temporaries that the kernel did not have when they were declared: the run's to delete."""
    made_by_behavior: list[str] = field(default_factory=list)
    """Those of them that were declared for the current behavior."""
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
        self.temporaries = []
        self.enter_step(())

    def enter_step(self, expected: Iterable[str]) -> None:
        self.steps = LevelOutputs(expected=_unique(expected))
        self.enter_behavior(())

    def enter_behavior(self, expected: Iterable[str]) -> None:
        self.behaviors = LevelOutputs(expected=_unique(expected))

    def apply(self, update: OutputsUpdate) -> list[Warn]:
        level = self.level(update.level)
        if update.expected is not None:
            level.expected = _unique(update.expected)
        if update.produced is not None:
            news = [name for name in update.produced if name not in level.produced]
            level.claimed = _unique([*level.claimed, *news])
            level.produced = _unique([*level.produced, *news])
            level.in_progress = [n for n in level.in_progress if n not in update.produced]
            self._no_temporaries(update.produced)
        if update.in_progress is not None:
            level.in_progress = _unique(update.in_progress)
            self.declare_temporaries(update.in_progress)
        for artifact in update.artifacts:
            level.add_artifact(artifact)
        return level.find(update.findings) if update.findings else []

    def declare_temporaries(self, names: Iterable[str]) -> None:
        self.temporaries = _unique([*self.temporaries, *names])[-MAX_TEMPORARIES:]

    def note_declared(self, update: OutputsUpdate, present: Iterable[str]) -> None:
        """Which of the temporaries that an answer declares are still to be made."""
        there, names = set(present), update.in_progress or []
        news = [name for name in names if name not in there]
        self.made = _unique([*self.made, *news])[-MAX_TEMPORARIES:]
        of_behavior = [n for n in self.made_by_behavior if n not in names]
        if update.level == "behaviors":
            of_behavior += news
        self.made_by_behavior = of_behavior[-MAX_TEMPORARIES:]

    def take_up(self, in_progress: Iterable[str]) -> None:
        """What the behavior that begins is to work on."""
        self.behaviors.in_progress = _unique(in_progress)
        self.made_by_behavior = [
            n for n in self.made_by_behavior if n in self.behaviors.in_progress
        ]

    def _no_temporaries(self, names: Iterable[str]) -> None:
        gone = set(names)
        self.temporaries = [n for n in self.temporaries if n not in gone]
        self.made = [n for n in self.made if n not in gone]
        self.made_by_behavior = [n for n in self.made_by_behavior if n not in gone]

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
        self._no_temporaries([artifact.parent] if artifact.parent else [])
        owner = self.level(level)
        owner.produced = _unique([*owner.produced, artifact.variable_name])
        owner.add_artifact(artifact)

    def names(self) -> list[str]:
        """Every name whose existence matters now; what to ask the kernel for."""
        levels = (self.stages, self.steps, self.behaviors)
        return _unique(
            name
            for level in levels
            for name in (*level.expected, *level.produced, *level.in_progress, *level.must_exist)
        )

    def check_behavior(self, present: Iterable[str]) -> list[Warn]:
        """Its actions are done: what it really produced, and warnings about what it did not."""
        there = self._look(present)
        behavior = self.behaviors
        warnings = behavior.missing(there, "behavior")
        made = [*behavior.produced, *behavior.in_progress, *behavior.expected]
        behavior.produced = self._produced(made, there)
        behavior.in_progress, behavior.claimed = [], []
        return warnings

    def end_behavior(self, present: Iterable[str]) -> tuple[OutputsProduced, list[Warn]]:
        """The same with what the planner said since, handed up to the step."""
        there = set(present)
        warnings = self.check_behavior(there)
        self._carry(self.behaviors, self.steps, there)
        return self.behaviors.summary(), warnings

    def end_step(self, present: Iterable[str]) -> tuple[OutputsProduced, list[Warn]]:
        there = self._look(present)
        warnings = self._close(self.steps, there, "step")
        self._carry(self.steps, self.stages, there)
        return self.steps.summary(), warnings

    def end_stage(self, present: Iterable[str]) -> tuple[OutputsProduced, list[Warn]]:
        warnings = self._close(self.stages, self._look(present), "stage")
        return self.stages.summary(), warnings

    def _look(self, present: Iterable[str]) -> set[str]:
        there = set(present)
        self.seen = [n for n in self.names() if n in there and n not in self.temporaries]
        return there

    def _produced(self, names: Iterable[str], present: set[str]) -> list[str]:
        return _unique(n for n in names if n in present and n not in self.temporaries)

    def _close(self, level: LevelOutputs, present: set[str], what: str) -> list[Warn]:
        warnings = level.missing(present, what)
        level.produced = self._produced([*level.produced, *level.expected], present)
        level.in_progress, level.claimed = [], []
        return warnings

    def _carry(self, lower: LevelOutputs, upper: LevelOutputs, present: set[str]) -> None:
        own = self._produced(upper.expected, present)
        upper.produced = _unique([*upper.produced, *lower.produced, *own])
        upper.in_progress = []
        for artifact in lower.artifacts:
            upper.add_artifact(artifact)
        upper.find(lower.findings)


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


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
