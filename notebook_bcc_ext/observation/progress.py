"""Where a run is in its workflow, and what lies behind and before it (O1-O3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.outputs import OutputsTracker
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate, WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import (
    BehaviorsProgress,
    CompletedItem,
    CurrentLocation,
    Goals,
    LevelProgress,
    Location,
    OutputsProduced,
    Progress,
)

ACTIONS_TAKEN_KEPT = 10
"""How many actions of a completed item an observation lists."""


@dataclass
class ProgressTracker:
    """The position in a template. It moves only when told; it never judges goals."""

    template: WorkflowTemplate
    outputs: OutputsTracker = field(default_factory=OutputsTracker)
    stage_id: str | None = None
    step_id: str | None = None
    behavior_id: str | None = None
    behavior_goal: str | None = None
    iteration: int = 0
    focus: dict[str, str] = field(default_factory=dict)
    fresh_focus: list[str] = field(default_factory=list)
    """Levels whose focus came with the latest answer: it is meant for what comes next."""
    completed_stages: list[CompletedItem] = field(default_factory=list)
    completed_steps: list[CompletedItem] = field(default_factory=list)
    """Of the current stage."""
    completed_behaviors: list[CompletedItem] = field(default_factory=list)
    """Of the current step."""
    done_steps: dict[str, list[str]] = field(default_factory=dict)
    """Stage -> the ids of its completed steps, also of stages that were left."""
    passed_over: list[str] = field(default_factory=list)
    """`stage` or `stage/step` that the planner decided not to run: it jumped over them, or the
    goal they serve was met without them."""
    reopened: list[str] = field(default_factory=list)
    """Stages that were completed, and got new steps since."""
    actions_taken: list[str] = field(default_factory=list)
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
        return [one for one in steps if one not in done and not self._is_passed_over(one)]

    def _is_passed_over(self, step_id: str) -> bool:
        return f"{self.stage_id}/{step_id}" in self.passed_over

    # -- moving -----------------------------------------------------------------------------

    def enter_stage(self, stage_id: str) -> StageTemplate:
        stage = self.template.stage(stage_id)
        if stage is None:
            raise NotFoundError(f"the workflow has no stage '{stage_id}'")
        self.stage_id, self.step_id = stage_id, None
        self._begin_stage(stage)
        self._forget_focus("stages")
        self._forget_focus("steps")
        self.outputs.enter_stage(stage.expected_outputs)
        self._leave_behavior()
        return stage

    def enter_step(self, step_id: str) -> StepTemplate:
        stage = self.stage
        step = stage.step(step_id) if stage else None
        if step is None:
            raise NotFoundError(f"stage '{self.stage_id}' has no step '{step_id}'")
        self.step_id = step_id
        self._forget_focus("steps")
        self.outputs.enter_step(step.expected_outputs)
        self._leave_behavior()
        return step

    def _begin_stage(self, stage: StageTemplate) -> None:
        """With all its steps; one that was reopened goes on with those it has not done."""
        done: list[str] = []
        if stage.id in self.reopened:
            self.reopened.remove(stage.id)
            done = self.done_steps.get(stage.id, [])
        else:
            own = (stage.id, *(f"{stage.id}/{step.id}" for step in stage.steps))
            self.passed_over = [one for one in self.passed_over if one not in own]
        self.done_steps[stage.id] = done
        self.completed_steps = [
            CompletedItem(step_id=step.id, goal=step.purpose)
            for step in stage.steps
            if step.id in done
        ]

    def reopen_stage(self, stage_id: str) -> None:
        """It is completed, and has steps now that it did not have then."""
        self.completed_stages = [item for item in self.completed_stages if item.id != stage_id]
        self.reopened.append(stage_id)

    def pass_over_steps(self, step_ids: Iterable[str]) -> None:
        self._pass_over(f"{self.stage_id}/{step_id}" for step_id in step_ids)

    def take_up_step(self, step_id: str) -> None:
        """It is to be run after all."""
        key = f"{self.stage_id}/{step_id}"
        self.passed_over = [known for known in self.passed_over if known != key]

    def pass_over_stages(self, stage_ids: Iterable[str]) -> None:
        self._pass_over(stage_ids)

    def _pass_over(self, keys: Iterable[str]) -> None:
        self.passed_over += [key for key in keys if key not in self.passed_over]

    def enter_behavior(self, behavior_id: str | None = None, goal: str | None = None) -> str:
        """The next behavior of this step; a planner's own id wins (F9)."""
        self.iteration += 1
        self.behavior_id = behavior_id or f"behavior_{self.iteration:03d}"
        self.behavior_goal = goal
        self.actions_taken = []
        self.outputs.enter_behavior(())
        return self.behavior_id

    def note_action(self, taken: str) -> None:
        self.actions_taken.append(taken)
        del self.actions_taken[:-ACTIONS_TAKEN_KEPT]

    def restart_behavior(self) -> bool:
        """The same behavior again, as if it had not begun; or, False, a new one."""
        if self.iteration == 0 or self.step_id in {item.id for item in self.completed_steps}:
            # No behavior failed: the step had not come to one, or was through with them.
            self.enter_behavior()
            return False
        self.actions_taken = []
        self.outputs.enter_behavior(self.outputs.behaviors.expected)
        self.reopen_behavior()
        return True

    def reopen_behavior(self) -> None:
        """Not completed after all: its end was written down before it failed."""
        done = self.completed_behaviors
        if done and done[-1].behavior_id == self.behavior_id:
            done.pop()

    def restart(self) -> None:
        """From the top: nothing is completed any more."""
        self.stage_id = self.step_id = None
        self.completed_stages = []
        self.completed_steps = []
        self.done_steps, self.passed_over, self.reopened = {}, [], []
        self.focus.clear()
        self.fresh_focus = []
        self._leave_behavior()

    def complete_behavior(self, produced: OutputsProduced) -> None:
        self.completed_behaviors.append(
            CompletedItem(
                behavior_id=self.behavior_id,
                goal=self.behavior_goal,
                actions_taken=list(self.actions_taken),
                outputs_produced=produced,
            )
        )
        self._forget_focus("behaviors")

    def complete_step(self, produced: OutputsProduced) -> None:
        step = self.step
        done = self.done_steps.setdefault(self.stage_id or "", [])
        if self.step_id is not None and self.step_id not in done:
            done.append(self.step_id)
        self._mark(
            self.completed_steps,
            CompletedItem(
                step_id=self.step_id,
                goal=step.purpose if step else None,
                actions_taken=_goals_of(self.completed_behaviors),
                outputs_produced=produced,
            ),
        )

    def complete_stage(self, produced: OutputsProduced) -> None:
        stage = self.stage
        self._mark(
            self.completed_stages,
            CompletedItem(
                stage_id=self.stage_id,
                goal=stage.purpose if stage else None,
                actions_taken=[item.id for item in self.completed_steps],
                outputs_produced=produced,
            ),
        )

    def _mark(self, done: list[CompletedItem], item: CompletedItem) -> None:
        done[:] = [known for known in done if known.id != item.id]
        done.append(item)

    def _leave_behavior(self) -> None:
        self.behavior_id = self.behavior_goal = None
        self.iteration = 0
        self.completed_behaviors = []
        self.actions_taken = []
        self._forget_focus("behaviors")

    def set_focus(self, said: Mapping[str, str]) -> None:
        """What an answer says to look at; it replaces what earlier ones said."""
        self.focus.update(said)
        self.fresh_focus = list(said)

    def _forget_focus(self, level: str) -> None:
        if level in self.fresh_focus:
            self.fresh_focus.remove(level)
        else:
            self.focus.pop(level, None)

    # -- telling ----------------------------------------------------------------------------

    def location(self) -> Location:
        stage, step = self.stage, self.step
        return Location(
            current=CurrentLocation(
                stage_id=self.stage_id,
                step_id=self.step_id,
                behavior_id=self.behavior_id,
                behavior_iteration=self.iteration,
            ),
            progress=Progress(
                stages=LevelProgress(
                    completed=list(self.completed_stages),
                    current=self.stage_id,
                    remaining=self.remaining_stages(),
                    focus=self.focus.get("stages", ""),
                    current_outputs=self.outputs.stages.view(),
                ),
                steps=LevelProgress(
                    completed=list(self.completed_steps),
                    current=self.step_id,
                    remaining=self.remaining_steps(),
                    focus=self.focus.get("steps", ""),
                    current_outputs=self.outputs.steps.view(),
                ),
                behaviors=BehaviorsProgress(
                    completed=list(self.completed_behaviors),
                    current=self.behavior_id,
                    # Only the planner knows how many will follow.
                    remaining=[],
                    iteration=self.iteration,
                    focus=self.focus.get("behaviors", ""),
                    current_outputs=self.outputs.behaviors.view(),
                ),
            ),
            goals=Goals(
                stage=stage.purpose if stage else None,
                step=step.purpose if step else None,
                behavior=self.behavior_goal,
            ),
        )


def _goals_of(behaviors: Sequence[CompletedItem]) -> list[str]:
    return [item.goal or item.id for item in behaviors][-ACTIONS_TAKEN_KEPT:]
