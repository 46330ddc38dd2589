"""Which step and stage come next, and what a finished one leaves behind (F11, O9)."""

from __future__ import annotations

from dataclasses import dataclass

from notebook_bcc_ext.engine.memory import Jump
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.progress import ProgressTracker


@dataclass(frozen=True)
class Place:
    """At most one is set; neither means: the end of the stage."""

    step_id: str | None = None
    stage_id: str | None = None


class Navigation:
    def __init__(self, world: World, observer: Observer) -> None:
        self._world = world
        self._observer = observer

    @property
    def _progress(self) -> ProgressTracker:
        return self._world.memory.progress

    # -- where to ---------------------------------------------------------------------------

    def first_stage(self, jump: Jump | None) -> str:
        if jump is not None and jump.stage_id is not None:
            return self._known_stage(jump.stage_id)
        done = {item.id for item in self._progress.completed_stages}
        stages = [stage.id for stage in self._progress.template.stages]
        return next((stage_id for stage_id in stages if stage_id not in done), stages[0])

    def first_step(self, jump: Jump | None) -> str:
        stage = self._progress.stage
        steps = [step.id for step in stage.steps] if stage else []
        if jump is not None and jump.step_id is not None:
            return self._known_step(jump.step_id, steps)
        if not steps:
            raise NotFoundError(f"stage '{self._progress.stage_id}' has no steps")
        return steps[0]

    def after_step(self, jump: Jump | None) -> Place:
        progress = self._progress
        if progress.stage is None:
            # The approved workflow does not have this stage any more.
            return Place(stage_id=jump.stage_id if jump else self.next_stage(None))
        if jump is not None and jump.stage_id not in (None, progress.stage_id):
            return Place(stage_id=self._known_stage(str(jump.stage_id)))
        if jump is not None and jump.step_id is not None:
            steps = [step.id for step in progress.stage.steps]
            return Place(step_id=self._known_step(jump.step_id, steps))
        return Place(step_id=self._next_unfinished_step())

    def _next_unfinished_step(self) -> str | None:
        stage = self._progress.stage
        order = [step.id for step in stage.steps] if stage else []
        return self._next_in(order, self._progress.step_id, self._progress.remaining_steps())

    def _next_in(self, order: list[str], current: str | None, remaining: list[str]) -> str | None:
        """The first unfinished one behind the current; then one that an update put before it."""
        if current not in order:
            return next(iter(remaining), None)
        later = order[order.index(current) + 1 :]
        behind = [item for item in later if item in remaining]
        before = [item for item in remaining if item in self._world.memory.added]
        return next(iter((*behind, *before)), None)

    def next_stage(self, jump: Jump | None) -> str | None:
        if jump is not None and jump.stage_id is not None:
            return self._known_stage(jump.stage_id)
        progress = self._progress
        order = [stage.id for stage in progress.template.stages]
        return self._next_in(order, progress.stage_id, progress.remaining_stages())

    def last_step(self) -> str:
        stage = self._progress.stage
        if stage is None:
            raise NotFoundError("the current stage is not in the workflow any more")
        known = [step.id for step in stage.steps]
        return self._progress.step_id if self._progress.step_id in known else known[-1]

    def _known_stage(self, stage_id: str) -> str:
        if self._progress.template.stage(stage_id) is None:
            raise NotFoundError(
                f"the planner wants to go on at stage '{stage_id}', which is not in the workflow"
            )
        return stage_id

    def _known_step(self, step_id: str, steps: list[str]) -> str:
        if step_id not in steps:
            raise NotFoundError(
                f"the planner wants to go on at step '{step_id}', which stage "
                f"'{self._progress.stage_id}' does not have"
            )
        return step_id

    # -- what is left behind ----------------------------------------------------------------

    async def end_behavior(self) -> None:
        produced, warnings = self._progress.outputs.end_behavior(await self._present())
        self._world.effects.move_to_history()
        self._warn(warnings)
        self._progress.complete_behavior(produced)

    async def end_step(self, *, confirmed: bool = True) -> None:
        produced, warnings = self._progress.outputs.end_step(await self._present())
        self._warn(warnings)
        if confirmed:
            self._progress.complete_step(produced)

    async def end_stage(self) -> None:
        produced, warnings = self._progress.outputs.end_stage(await self._present())
        self._warn(warnings)
        if self._progress.stage is not None:
            self._progress.complete_stage(produced)

    async def _present(self) -> set[str]:
        return await self._observer.present(self._progress.outputs.names())

    def _warn(self, warnings: list[str]) -> None:
        for warning in warnings:
            self._world.warn(warning)
