"""Which step and stage come next, and what a finished one leaves behind (F11, O9)."""

from __future__ import annotations

from dataclasses import dataclass

from notebook_bcc_ext.engine.belongings import tell_overwritten
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.state import Jump
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.effects import Warn
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.protocol.browser.facts import (
    BehaviorEnded,
    PassedOver,
    StageEnded,
    StepEnded,
)


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
    def _progress(self) -> ProgressState:
        return self._world.state.progress

    # -- where to ---------------------------------------------------------------------------

    def first_stage(self, jump: Jump | None) -> str:
        return self.next_stage(jump) or self._progress.template.stages[0].id

    def first_step(self, jump: Jump | None) -> str:
        stage = self._progress.stage
        steps = [step.id for step in stage.steps] if stage else []
        if jump is not None and jump.step_id is not None and jump.step_id not in steps:
            raise NotFoundError(
                f"the planner wants to go on at step '{jump.step_id}', which stage "
                f"'{self._progress.stage_id}' does not have"
            )
        if not steps:
            raise NotFoundError(f"stage '{self._progress.stage_id}' has no steps")
        return self._next_step(jump) or steps[0]

    def after_step(self, jump: Jump | None) -> Place:
        progress = self._progress
        if progress.stage is None:
            # The approved workflow does not have this stage any more.
            return Place(stage_id=jump.stage_id if jump else self.next_stage(None))
        if jump is not None and jump.stage_id not in (None, progress.stage_id):
            return Place(stage_id=jump.stage_id)
        return Place(step_id=self._next_step(jump))

    def _next_step(self, jump: Jump | None) -> str | None:
        """The wanted step, or the next one that is not done. What a planner jumps over is not
        gone back to."""
        progress, wanted = self._progress, jump.step_id if jump else None
        order = [step.id for step in progress.stage.steps] if progress.stage else []
        remaining = progress.remaining_steps()
        if jump is None or wanted is None:
            return _next_in(order, progress.step_id, remaining)
        if jump.leaves_out:
            between = _between(order, progress.step_id, wanted)
            left_out = [one for one in between if one in remaining]
            self._world.ledger.record(PassedOver(steps=left_out, taken_up=wanted))
        else:
            self._world.ledger.record(PassedOver(taken_up=wanted))
        return wanted

    def next_stage(self, jump: Jump | None) -> str | None:
        progress, wanted = self._progress, jump.stage_id if jump else None
        order = [stage.id for stage in progress.template.stages]
        remaining = progress.remaining_stages()
        if jump is None or wanted is None:
            return _next_in(order, progress.stage_id, remaining)
        if jump.leaves_out:
            between = _between(order, progress.stage_id, wanted)
            left_out = [one for one in between if one in remaining]
            self._world.ledger.record(PassedOver(stages=left_out))
        return wanted

    def last_step(self) -> str:
        stage = self._progress.stage
        if stage is None:
            raise NotFoundError("the current stage is not in the workflow any more")
        known = [step.id for step in stage.steps]
        return self._progress.step_id if self._progress.step_id in known else known[-1]

    # -- what is left behind ----------------------------------------------------------------

    async def present(self) -> list[str]:
        """Which of the names that matter the kernel has. Asked before anything ends: what ends
        together is one step of work, and nothing is waited for in its middle."""
        await tell_overwritten(self._world)
        return sorted(await self._observer.present(self._progress.outputs.names()))

    def end_behavior(self, present: list[str]) -> None:
        self._warn(self._progress.outputs.behaviors.missing(present, "behavior"))
        self._world.ledger.record(BehaviorEnded(present=present))

    def end_step(self, present: list[str], *, confirmed: bool = True) -> None:
        self._warn(self._progress.outputs.steps.missing(present, "step"))
        self._world.ledger.record(StepEnded(present=present, confirmed=confirmed))

    def end_stage(self, present: list[str], *, judged: bool) -> None:
        self._warn(self._progress.outputs.stages.missing(present, "stage"))
        self._world.ledger.record(StageEnded(present=present, judged=judged))

    def settle_stage(self) -> None:
        """The goal of the stage is met: the steps it has left are not needed."""
        self._world.ledger.record(PassedOver(steps=self._progress.unfinished_steps()))

    def _warn(self, warnings: list[Warn]) -> None:
        for warning in warnings:
            self._world.warn(*warning)


def _next_in(order: list[str], current: str | None, remaining: list[str]) -> str | None:
    """The first one left behind the current; then what a new order put before it."""
    later = order[order.index(current) + 1 :] if current in order else order
    behind = [one for one in later if one in remaining]
    return next(iter((*behind, *remaining)), None)


def _between(order: list[str], current: str | None, wanted: str) -> list[str]:
    begin = order.index(current) + 1 if current in order else 0
    return order[begin : order.index(wanted)]
