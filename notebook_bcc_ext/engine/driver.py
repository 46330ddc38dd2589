"""Moves a run through the state machine: one effect per state, chosen by an exhaustive match.

Nothing here decides where an event leads; the table does. Nothing here claims a goal: a step,
a stage or the workflow completes because the planner said so, or because the person approved a
plan without it.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Literal, assert_never

from notebook_bcc_ext.engine.approval import Approval
from notebook_bcc_ext.engine.attempts import clear_away, is_due
from notebook_bcc_ext.engine.behavior import Behavior
from notebook_bcc_ext.engine.failures import (
    GoalNotReachedError,
    StepsRejectedError,
    check_loop,
    goal_not_reached,
    not_allowed,
)
from notebook_bcc_ext.engine.judge import Judge, Judgement
from notebook_bcc_ext.engine.memory import Asking, Jump, KeptVerdict
from notebook_bcc_ext.engine.navigation import Navigation
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.proposals import Update, check_workflow, describe_changes
from notebook_bcc_ext.engine.recovery import notice_new_kernel, reconnect
from notebook_bcc_ext.engine.requirements import check_requirements
from notebook_bcc_ext.engine.updates import as_action
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import (
    InvalidProposalError,
    PlannerError,
    PlannerStreamError,
    ProtocolError,
)
from notebook_bcc_ext.protocol.plan import WorkflowUpdate
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, PlanningAnswer
from notebook_bcc_ext.protocol.states import Event, State

logger = logging.getLogger(__name__)

_AT_REST = (State.ERROR, State.CANCELLED, State.WORKFLOW_COMPLETED)


class PlanRejectedError(ProtocolError):
    """The person did not want the plan; the run ends before it began."""


class Driver:
    def __init__(self, world: World) -> None:
        self._world = world
        self.observer = Observer(world)
        self._judge = Judge(world, self.observer)
        self.approval = Approval(world)
        self._navigation = Navigation(world, self.observer)
        self._next_behavior_info: Judgement | None = None
        self._debug: BehaviorFeedback | None = None

    def repair_next(self, feedback: BehaviorFeedback) -> None:
        """The next behavior is to repair what this feedback tells of."""
        self._debug = feedback

    async def drive(self) -> None:
        """Until the run rests. Raises what stopped it; the caller turns that into FAIL."""
        world = self._world
        if is_due(world):
            await clear_away(world)
        if world.memory.cancelled:
            return  # Reset: it rests until somebody starts it again.
        while world.machine.state not in _AT_REST:
            await world.journal.flush()
            if world.memory.asking is not None:
                await self._take_up_question(world.memory.asking)
                continue
            await world.passage()
            if world.restored:
                await reconnect(world, self.approval)
                world.restored = False
                self._begin_actions_again()
            await notice_new_kernel(world, self.approval)
            await world.checkpoint.save()
            await self._advance()

    def _begin_actions_again(self) -> None:
        """The process stopped between two actions. They are asked for in `behavior_running`, to
        which the table has one way back."""
        machine = self._world.machine
        if machine.state is State.ACTION_COMPLETED and self._world.memory.kept_verdict is None:
            with self._world.activity.same_attempt():
                machine.fire(Event.FAIL)
                machine.fire(Event.START_BEHAVIOR)

    async def _take_up_question(self, asking: Asking) -> None:
        """A proposal was before the person when the process stopped (U8)."""
        memory = self._world.memory
        result = await self.approval.of_asked(asking)
        if asking.digest is not None:
            memory.remember_line(asking.digest)
        elif memory.carried:
            memory.carried.pop(0)
        self._world.activity.settle(success=result.success)
        if not result.success:
            raise StepsRejectedError(result.error or "the new steps were rejected")
        memory.tally.succeeded += 1
        memory.counts.actions_succeeded += 1
        memory.resumable = True
        self._world.gate.resume()

    async def _advance(self) -> None:
        state = self._world.machine.state
        match state:
            case State.IDLE:
                await self._start_workflow()
            case State.STAGE_RUNNING:
                await self._judge_stage()
            case State.STEP_RUNNING:
                await self._judge_step()
            case State.BEHAVIOR_RUNNING | State.ACTION_COMPLETED:
                # In `action_completed` only where a question was answered after a restart.
                await self._run_behavior()
            case State.STEP_COMPLETED:
                await self._after_step()
            case State.STAGE_COMPLETED:
                await self._after_stage()
            case (
                State.ACTION_RUNNING
                | State.BEHAVIOR_COMPLETED
                | State.WORKFLOW_UPDATE_PENDING
                | State.STEP_UPDATE_PENDING
                | State.ERROR
                | State.CANCELLED
                | State.WORKFLOW_COMPLETED
            ):
                raise AssertionError(f"a behavior left the machine in {state}")
            case _:
                assert_never(state)

    # -- workflow ---------------------------------------------------------------------------

    async def _start_workflow(self) -> None:
        world, memory = self._world, self._world.memory
        await world.notebook.open()
        # Where many runs begin, it waits for its turn as well.
        world.publish("kernel", {"change": "starting"})
        await world.runner.start()
        if world.request.workflow is not None and not memory.has_workflow:
            self._adopt(WorkflowUpdate(updated_workflow=world.request.workflow))
        judgement = await self._judge.ask(may_degrade=memory.has_workflow)
        proposals = list(judgement.proposals)
        if not memory.has_workflow:
            definition = next((p for p in proposals if isinstance(p, WorkflowUpdate)), None)
            if definition is None:
                raise InvalidProposalError(
                    "the planner sent no workflow; let it answer with context_update."
                    "workflow_update when the state is IDLE, or start the run with a workflow"
                )
            self._adopt(definition)
            proposals = [p for p in proposals if p is not definition and p != definition]
        await check_requirements(memory.progress.template, world.runner)
        self._carry(proposals)
        if not await self.approval.of_plan():
            raise PlanRejectedError("the plan was rejected; nothing was run")
        jump = self._take_jump()
        stage_id = self._navigation.first_stage(jump)
        world.machine.fire(Event.START_WORKFLOW)
        memory.progress.enter_stage(stage_id)
        memory.jump = Jump(step_id=jump.step_id) if jump and jump.step_id else None

    def _adopt(self, definition: WorkflowUpdate) -> None:
        """U3: before a workflow exists this is its definition, not a change of it."""
        template = definition.updated_workflow
        check_workflow(template)
        progress = self._world.memory.progress
        progress.template = template
        if template.sections:
            self._world.memory.sections.planned = list(template.sections)
        self._world.publish("workflow", template.to_wire())

    # -- stage ------------------------------------------------------------------------------

    async def _judge_stage(self) -> None:
        world, memory = self._world, self._world.memory
        if memory.kept_verdict is not None:
            world.machine.fire(Event.START_STEP)
            self._enter_step(self._navigation.last_step())
            return
        wanted = self._take_jump()
        judgement = await self._judge.ask(may_degrade=True)
        self._carry(judgement.proposals)
        elsewhere = memory.jump is not None and memory.jump.stage_id not in (
            None,
            memory.progress.stage_id,
        )
        if not memory.carried and (judgement.achieved or elsewhere):
            await self._navigation.end_stage(judged=judgement.achieved)
            world.machine.fire(Event.COMPLETE_STAGE)
            return
        if memory.carried and (judgement.achieved or elsewhere):
            self._keep_verdict("stage", judgement)
            step_id = self._navigation.first_step(None)
        else:
            step_id = self._navigation.first_step(self._take_jump() or wanted)
        world.machine.fire(Event.START_STEP)
        self._enter_step(step_id)

    def _keep_verdict(
        self, level: Literal["step", "stage", "workflow"], judgement: Judgement
    ) -> None:
        """The proposals that came with it are asked first (F7)."""
        self._world.memory.kept_verdict = KeptVerdict(level, achieved=judgement.achieved)
        if level == "stage" and judgement.achieved:
            self._navigation.settle_stage()

    def _enter_step(self, step_id: str) -> None:
        memory = self._world.memory
        memory.progress.enter_step(step_id)
        memory.debug_attempts = 0
        if memory.kept_verdict is None:
            memory.step_behaviors.pop(memory.progress.step_key, None)

    # -- step -------------------------------------------------------------------------------

    async def _judge_step(self) -> None:
        world, memory = self._world, self._world.memory
        if memory.kept_verdict is None:
            judgement = await self._judge.ask(may_degrade=True)
            self._carry(judgement.proposals)
            if judgement.achieved and not memory.carried:
                await self._navigation.end_step()
                world.machine.fire(Event.COMPLETE_STEP)
                return
            if judgement.achieved:
                self._keep_verdict("step", judgement)
            self._next_behavior_info = judgement
        world.machine.fire(Event.START_BEHAVIOR)
        self._enter_behavior()

    def _enter_behavior(self) -> None:
        info = self._next_behavior_info.behavior if self._next_behavior_info else None
        self._next_behavior_info = None
        memory = self._world.memory
        # Should it stop before its first line: these are of the behavior before.
        memory.forget_lines()
        memory.progress.enter_behavior(info.id if info else None, info.target if info else None)
        memory.progress.outputs.enter_behavior(memory.next_expected)
        memory.progress.outputs.take_up(memory.next_in_progress)
        memory.next_expected, memory.next_in_progress = [], []
        wanted = memory.context_filter
        if wanted is not None and wanted.outputs_tracking is not None:
            tracking = wanted.outputs_tracking
            memory.progress.outputs.expect(
                tracking.expected_variables, tracking.validation_required
            )
        memory.begin_behavior()

    # -- behavior ---------------------------------------------------------------------------

    async def _run_behavior(self) -> None:
        world, memory = self._world, self._world.memory
        progress, limit = memory.progress, world.settings.max_behaviors_per_step
        check_loop(progress.step_id, progress.iteration, limit)
        self._count_behavior()
        behavior = Behavior(world, self.observer, self.approval, self._take_in)
        judgement = Judgement(achieved=True, continues=False)
        abandoned = memory.progress.stage is None
        kept = memory.kept_verdict
        if kept is not None:
            await behavior.run_carried()
            abandoned = memory.progress.stage is None
        elif not abandoned:
            debug, self._debug = self._debug, None
            try:
                await behavior.run_stream(debug)
            except PlannerStreamError:
                memory.resumable = True
                raise
            await world.passage()
            abandoned = memory.progress.stage is None
            if not abandoned:
                await notice_new_kernel(world, self.approval)
                counted = memory.tally.feedback(memory.progress.behavior_id)
                judgement = await self._judge.feedback(counted)
                self._carry(judgement.proposals)
                await behavior.run_carried()
                abandoned = memory.progress.stage is None
        on_the_way = judgement.achieved or judgement.continues or behavior.step_ended
        if memory.tally.refused and not (abandoned or on_the_way or judgement.degraded):
            raise not_allowed(memory.progress.step_id)
        await behavior.end()
        await self._navigation.end_behavior()
        world.machine.fire(Event.COMPLETE_BEHAVIOR)
        if abandoned or behavior.step_ended or judgement.achieved:
            if behavior.step_ended and judgement.continues:
                world.warn("the planner ended the step and asked for more behaviors; it is ended")
            judged = not abandoned and (kept is None or kept.level == "step")
            await self._navigation.end_step(confirmed=judged)
            if kept is not None and kept.level == "step":
                memory.kept_verdict = None
            world.machine.fire(Event.COMPLETE_STEP)
        elif judgement.continues:
            self._next_behavior_info = judgement
            memory.jump = None
            world.machine.fire(Event.NEXT_BEHAVIOR)
            self._enter_behavior()
        else:
            memory.resumable = judgement.degraded is not None
            raise goal_not_reached(memory.progress.step_id, judgement.degraded, judgement.failure)

    def _count_behavior(self) -> None:
        """Once, however often it is tried; what only carries a question is none."""
        memory = self._world.memory
        key, iteration = memory.progress.step_key, memory.progress.iteration
        if memory.kept_verdict is None and memory.step_behaviors.get(key) != iteration:
            memory.step_behaviors[key] = iteration
            memory.counts.behaviors += 1

    async def _take_in(self, answer: PlanningAnswer) -> None:
        self._carry(await self._judge.beside_actions(answer))

    # -- after a step, after a stage --------------------------------------------------------

    async def _after_step(self) -> None:
        world, memory = self._world, self._world.memory
        kept, jump = memory.kept_verdict, self._take_jump()
        place = self._navigation.after_step(jump)
        if place.step_id is not None:
            memory.kept_verdict = None
            world.machine.fire(Event.NEXT_STEP)
            self._enter_step(place.step_id)
            return
        judged = kept is not None and (kept.achieved or kept.level == "workflow")
        if kept is not None and kept.level == "stage":
            memory.kept_verdict = None
        if place.stage_id is None and not judged:
            judgement = await self._judge.ask()
            self._carry(judgement.proposals)
            if memory.carried:
                # Ask the person before leaving the stage: the step that just ended carries it.
                self._keep_verdict("stage", judgement)
                world.machine.fire(Event.NEXT_STEP)
                self._enter_step(self._navigation.last_step())
                return
            if memory.jump is not None:
                self._keep_verdict("stage", judgement)
                return
            if not judgement.achieved:
                raise GoalNotReachedError(
                    f"the planner says that the goal of stage '{memory.progress.stage_id}' is not "
                    "reached, and no step is left; let it propose more steps"
                )
            judged = True
        await self._navigation.end_stage(judged=judged)
        world.machine.fire(Event.COMPLETE_STAGE)
        if place.stage_id is not None:
            memory.jump = replace(jump or Jump(), stage_id=place.stage_id)

    async def _after_stage(self) -> None:
        world, memory = self._world, self._world.memory
        kept, memory.kept_verdict = memory.kept_verdict, None
        jump = self._take_jump()
        stage_id = self._navigation.next_stage(jump)
        if stage_id is None and not (kept is not None and kept.achieved):
            judgement = await self._judge.ask()
            self._carry(judgement.proposals)
            if memory.carried:
                # Ask the person before the end: the stage that just ended carries it.
                self._keep_verdict("workflow", judgement)
                world.machine.fire(Event.NEXT_STAGE)
                return
            jump = self._take_jump()
            stage_id = self._navigation.next_stage(jump)
            if stage_id is None and not judgement.achieved:
                raise PlannerError(
                    "the planner says that the goal of the workflow is not reached, and no stage "
                    "is left; let it propose more stages"
                )
        if stage_id is None:
            # Whoever sees the run completed may open the file.
            await world.notebook.flush()
            world.machine.fire(Event.COMPLETE_WORKFLOW)
            return
        world.machine.fire(Event.NEXT_STAGE)
        memory.progress.enter_stage(stage_id)
        memory.jump = Jump(step_id=jump.step_id) if jump and jump.step_id else None

    def _take_jump(self) -> Jump | None:
        jump, self._world.memory.jump = self._world.memory.jump, None
        return jump

    def _carry(self, proposals: list[Update]) -> None:
        """Keep proposals for the person; one that changes nothing needs no answer."""
        memory = self._world.memory
        memory.carried.extend(
            as_action(proposal)
            for proposal in proposals
            if describe_changes(proposal, memory.progress)
        )
