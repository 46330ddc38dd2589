"""Where a run is in its workflow, and what lies behind and before it (O1-O3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.outputs import OutputsState
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate, WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import (
    BehaviorsProgress,
    CompletedItem,
    CurrentLocation,
    Goals,
    LevelProgress,
    Location,
    Progress,
)

ACTIONS_TAKEN_KEPT = 10
"""How many actions of a completed item an observation lists."""

Items = tuple[CompletedItem, ...]


@dataclass(frozen=True)
class ProgressState:
    """The position in a template, as a value: moving gives another one. It never judges goals."""

    template: WorkflowTemplate = field(default_factory=lambda: WorkflowTemplate(stages=[]))
    outputs: OutputsState = field(default_factory=OutputsState)
    stage_id: str | None = None
    step_id: str | None = None
    behavior_id: str | None = None
    behavior_goal: str | None = None
    iteration: int = 0
    focus: Mapping[str, str] = field(default_factory=dict)
    fresh_focus: tuple[str, ...] = ()
    """Levels whose focus came with the latest answer: it is meant for what comes next."""
    completed_stages: Items = ()
    completed_steps: Items = ()
    """Of the current stage."""
    completed_behaviors: Items = ()
    """Of the current step."""
    done_steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Stage -> the ids of its completed steps, also of stages that were left."""
    passed_over: tuple[str, ...] = ()
    """`stage` or `stage/step` that the planner decided not to run: it jumped over them, or the
    goal they serve was met without them."""
    reopened: tuple[str, ...] = ()
    """Stages that were completed, and got new steps since."""
    actions_taken: tuple[str, ...] = ()
    """Of the current behavior, the latest."""

    # -- looking ----------------------------------------------------------------------------

    @property
    def stage(self) -> StageTemplate | None:
        return self.template.stage(self.stage_id) if self.stage_id else None

    @property
    def step(self) -> StepTemplate | None:
        stage = self.stage
        return stage.step(self.step_id) if stage and self.step_id else None

    @property
    def step_key(self) -> str:
        """The current step among those of all stages."""
        return f"{self.stage_id}/{self.step_id}"

    def remaining_stages(self) -> list[str]:
        """What is still to be run, in the order of the plan."""
        settled = {*self.passed_over, *(item.id for item in self.completed_stages)}
        stages = [stage.id for stage in self.template.stages]
        return [one for one in stages if one not in settled and one != self.stage_id]

    def remaining_steps(self) -> list[str]:
        return [one for one in self.unfinished_steps() if one != self.step_id]

    def unfinished_steps(self) -> list[str]:
        """Of the current stage, the current step included."""
        stage = self.stage
        done = {item.id for item in self.completed_steps}
        steps = [step.id for step in stage.steps] if stage else []
        return [
            one
            for one in steps
            if one not in done and f"{self.stage_id}/{one}" not in self.passed_over
        ]

    # -- moving -----------------------------------------------------------------------------

    def in_stage(self, stage_id: str) -> ProgressState:
        stage = self.template.stage(stage_id)
        if stage is None:
            raise NotFoundError(f"the workflow has no stage '{stage_id}'")
        return replace(
            self._beginning(stage),
            stage_id=stage_id,
            step_id=None,
            outputs=self.outputs.entering_stage(stage.expected_outputs),
        )._leaving_behavior("stages", "steps", "behaviors")

    def in_step(self, step_id: str) -> ProgressState:
        stage = self.stage
        step = stage.step(step_id) if stage else None
        if step is None:
            raise NotFoundError(f"stage '{self.stage_id}' has no step '{step_id}'")
        outputs = self.outputs.entering_step(step.expected_outputs)
        entered = replace(self, step_id=step_id, outputs=outputs)
        return entered._leaving_behavior("steps", "behaviors")

    def _beginning(self, stage: StageTemplate) -> ProgressState:
        """With all its steps; one that was reopened goes on with those it has not done."""
        done: tuple[str, ...] = ()
        passed_over, reopened = self.passed_over, self.reopened
        if stage.id in reopened:
            reopened = tuple(one for one in reopened if one != stage.id)
            done = self.done_steps.get(stage.id, ())
        else:
            own = {stage.id, *(f"{stage.id}/{step.id}" for step in stage.steps)}
            passed_over = tuple(one for one in passed_over if one not in own)
        completed = tuple(
            CompletedItem(step_id=step.id, goal=step.purpose)
            for step in stage.steps
            if step.id in done
        )
        return replace(
            self,
            passed_over=passed_over,
            reopened=reopened,
            done_steps={**self.done_steps, stage.id: done},
            completed_steps=completed,
        )

    def in_behavior(self, behavior_id: str | None = None, goal: str | None = None) -> ProgressState:
        """The next behavior of this step; a planner's own id wins (F9)."""
        iteration = self.iteration + 1
        return replace(
            self,
            iteration=iteration,
            behavior_id=behavior_id or f"behavior_{iteration:03d}",
            behavior_goal=goal,
            actions_taken=(),
            outputs=self.outputs.entering_behavior(()),
        )

    def named(self, behavior_id: str | None, goal: str | None) -> ProgressState:
        """As the planner calls the current behavior."""
        return replace(
            self,
            behavior_id=behavior_id or self.behavior_id,
            behavior_goal=goal or self.behavior_goal,
        )

    def having_taken(self, action: str) -> ProgressState:
        taken = (*self.actions_taken, action)[-ACTIONS_TAKEN_KEPT:]
        return replace(self, actions_taken=taken)

    @property
    def has_behavior_to_repeat(self) -> bool:
        """Whether a behavior failed: the step had come to one, and was not through with them."""
        return self.iteration > 0 and self.step_id not in {i.id for i in self.completed_steps}

    def repeating_behavior(self) -> ProgressState:
        """The same behavior again, as if it had not begun."""
        outputs = self.outputs.entering_behavior(self.outputs.behaviors.expected)
        return replace(self, actions_taken=(), outputs=outputs).reopening_behavior()

    def reopening_behavior(self) -> ProgressState:
        """Not completed after all: its end was written down before it failed."""
        done = self.completed_behaviors
        if done and done[-1].behavior_id == self.behavior_id:
            return replace(self, completed_behaviors=done[:-1])
        return self

    def from_the_top(self) -> ProgressState:
        """Nothing is completed any more."""
        return ProgressState(template=self.template, outputs=self.outputs)

    # -- plans ------------------------------------------------------------------------------

    def with_template(self, template: WorkflowTemplate) -> ProgressState:
        return replace(self, template=template)

    def reopening_stage(self, stage_id: str) -> ProgressState:
        """It is completed, and has steps now that it did not have then."""
        completed = tuple(item for item in self.completed_stages if item.id != stage_id)
        return replace(self, completed_stages=completed, reopened=(*self.reopened, stage_id))

    def passing_over(self, stages: Iterable[str] = (), steps: Iterable[str] = ()) -> ProgressState:
        keys = [*stages, *(f"{self.stage_id}/{step_id}" for step_id in steps)]
        return replace(self, passed_over=tuple(dict.fromkeys([*self.passed_over, *keys])))

    def taking_up(self, step_id: str) -> ProgressState:
        """It is to be run after all."""
        key = f"{self.stage_id}/{step_id}"
        return replace(self, passed_over=tuple(one for one in self.passed_over if one != key))

    # -- completing -------------------------------------------------------------------------

    def behavior_ended(self, present: Iterable[str]) -> ProgressState:
        outputs = self.outputs.behavior_ended(present)
        item = CompletedItem(
            behavior_id=self.behavior_id,
            goal=self.behavior_goal,
            actions_taken=list(self.actions_taken),
            outputs_produced=outputs.behaviors.summary(),
        )
        completed = (*self.completed_behaviors, item)
        return replace(self, outputs=outputs, completed_behaviors=completed)._losing("behaviors")

    def step_ended(self, present: Iterable[str], *, confirmed: bool) -> ProgressState:
        after = replace(self, outputs=self.outputs.step_ended(present))
        return after._with_step() if confirmed else after

    def _with_step(self) -> ProgressState:
        step, stage_id = self.step, self.stage_id or ""
        done = self.done_steps.get(stage_id, ())
        if self.step_id is not None and self.step_id not in done:
            done = (*done, self.step_id)
        item = CompletedItem(
            step_id=self.step_id,
            goal=step.purpose if step else None,
            actions_taken=_goals_of(self.completed_behaviors),
            outputs_produced=self.outputs.steps.summary(),
        )
        return replace(
            self,
            done_steps={**self.done_steps, stage_id: done},
            completed_steps=_marked(self.completed_steps, item),
        )

    def stage_ended(self, present: Iterable[str], *, judged: bool) -> ProgressState:
        """Completed is a stage whose goal was judged to be met, or whose steps all ran; one that
        was left before is passed over, with what it had left."""
        after, stage = replace(self, outputs=self.outputs.stage_ended(present)), self.stage
        if stage is None:
            return after
        done = {item.id for item in self.completed_steps}
        if not judged and any(step.id not in done for step in stage.steps):
            return after.passing_over([stage.id], self.unfinished_steps())
        item = CompletedItem(
            stage_id=self.stage_id,
            goal=stage.purpose,
            actions_taken=[item.id for item in self.completed_steps],
            outputs_produced=after.outputs.stages.summary(),
        )
        return replace(after, completed_stages=_marked(self.completed_stages, item))

    def _leaving_behavior(self, *levels: str) -> ProgressState:
        return replace(
            self,
            behavior_id=None,
            behavior_goal=None,
            iteration=0,
            completed_behaviors=(),
            actions_taken=(),
        )._losing(*levels)

    # -- focus ------------------------------------------------------------------------------

    def focused(self, said: Mapping[str, str]) -> ProgressState:
        """What an answer says to look at; it replaces what earlier ones said."""
        return replace(self, focus={**self.focus, **said}, fresh_focus=tuple(said))

    def _losing(self, *levels: str) -> ProgressState:
        """What was said for the place that is left; what is fresh is for the one to come."""
        old = {level for level in levels if level not in self.fresh_focus}
        return replace(
            self,
            focus={level: words for level, words in self.focus.items() if level not in old},
            fresh_focus=tuple(level for level in self.fresh_focus if level not in levels),
        )

    # -- telling ----------------------------------------------------------------------------

    @property
    def current(self) -> CurrentLocation:
        return CurrentLocation(
            stage_id=self.stage_id,
            step_id=self.step_id,
            behavior_id=self.behavior_id,
            behavior_iteration=self.iteration,
        )

    def location(self) -> Location:
        return Location(
            current=self.current,
            progress=Progress(
                stages=LevelProgress(**self._level("stages")),
                steps=LevelProgress(**self._level("steps")),
                behaviors=BehaviorsProgress(**self._level("behaviors"), iteration=self.iteration),
            ),
            goals=self.goals,
        )

    @property
    def goals(self) -> Goals:
        stage, step = self.stage, self.step
        return Goals(
            stage=stage.purpose if stage else None,
            step=step.purpose if step else None,
            behavior=self.behavior_goal,
        )

    def _level(self, level: str) -> dict[str, Any]:
        completed: dict[str, Items] = {
            "stages": self.completed_stages,
            "steps": self.completed_steps,
            "behaviors": self.completed_behaviors,
        }
        current = {"stages": self.stage_id, "steps": self.step_id, "behaviors": self.behavior_id}
        # Only the planner knows how many behaviors will follow.
        remaining = {"stages": self.remaining_stages, "steps": self.remaining_steps}.get(level)
        return {
            "completed": list(completed[level]),
            "current": current[level],
            "remaining": remaining() if remaining else [],
            "focus": self.focus.get(level, ""),
            "current_outputs": getattr(self.outputs, level).view(),
        }


def _marked(done: Items, item: CompletedItem) -> Items:
    return (*(known for known in done if known.id != item.id), item)


def _goals_of(behaviors: Sequence[CompletedItem]) -> list[str]:
    return [item.goal or item.id for item in behaviors][-ACTIONS_TAKEN_KEPT:]
