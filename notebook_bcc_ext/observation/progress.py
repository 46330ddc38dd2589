"""Where a run is in its workflow, and what lies behind and before it (O1-O3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.outputs import OutputsTracker
from notebook_bcc_ext.protocol.observation import (
    BehaviorsProgress,
    CompletedItem,
    CurrentLocation,
    Goals,
    LevelProgress,
    Location,
    OutputsProduced,
    Progress,
)
from notebook_bcc_ext.protocol.plan import StageTemplate, StepTemplate, WorkflowTemplate

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

    def remaining_stages(self) -> list[str]:
        done = {item.id for item in self.completed_stages}
        return [s.id for s in self.template.stages if s.id not in done and s.id != self.stage_id]

    def remaining_steps(self) -> list[str]:
        stage = self.stage
        done = {item.id for item in self.completed_steps}
        steps = stage.steps if stage else []
        return [s.id for s in steps if s.id not in done and s.id != self.step_id]

    # -- moving -----------------------------------------------------------------------------

    def enter_stage(self, stage_id: str) -> StageTemplate:
        stage = self.template.stage(stage_id)
        if stage is None:
            raise NotFoundError(f"the workflow has no stage '{stage_id}'")
        self.stage_id, self.step_id = stage_id, None
        self.completed_steps = []
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

    def restart_behavior(self) -> None:
        """The same behavior again, as if it had not begun."""
        if self.iteration == 0 or self.step_id in {item.id for item in self.completed_steps}:
            # No behavior failed: the step had not come to one, or was through with them.
            self.enter_behavior()
            return
        self.actions_taken = []
        self.outputs.enter_behavior(self.outputs.behaviors.expected)
        self.reopen_behavior()

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
