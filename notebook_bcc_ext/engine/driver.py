"""Moves a run through the state machine: one effect per state, chosen by an exhaustive match.

Nothing here decides where an event leads; the table does. Nothing here claims a goal: a step,
a stage or the workflow completes because the planner said so, or because the person approved a
plan without it.
"""

from __future__ import annotations

import logging
from typing import assert_never

from notebook_bcc_ext.engine.approval import Approval
from notebook_bcc_ext.engine.attempts import clear_away, is_due
from notebook_bcc_ext.engine.behavior import Behavior
from notebook_bcc_ext.engine.failures import check_loop, goal_not_reached, not_allowed
from notebook_bcc_ext.engine.judge import Judge, Judgement
from notebook_bcc_ext.engine.navigation import Navigation
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.proposals import (
    Update,
    as_action,
    check_workflow,
    describe_changes,
)
from notebook_bcc_ext.engine.recovery import notice_new_kernel, reconnect
from notebook_bcc_ext.engine.requirements import check_requirements
from notebook_bcc_ext.engine.state import Jump
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import (
    GoalNotReachedError,
    InvalidProposalError,
    PlannerError,
    PlanRejectedError,
    StepsRejectedError,
)
from notebook_bcc_ext.protocol.browser.facts import (
    ActionEnded,
    BehaviorEntered,
    Jumped,
    KernelStarting,
    PlanAdopted,
    ProposalsCarried,
    ProposalTaken,
    StageEntered,
    StepEntered,
    VerdictKept,
)
from notebook_bcc_ext.protocol.browser.runs import JudgedLevel
from notebook_bcc_ext.protocol.plan import WorkflowUpdate
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorFeedback,
    BehaviorInfo,
    PlanningAnswer,
)
from notebook_bcc_ext.protocol.states import Event, State

logger = logging.getLogger(__name__)

_AT_REST = (State.ERROR, State.CANCELLED, State.WORKFLOW_COMPLETED)


class Driver:
    def __init__(self, world: World) -> None:
        self._world = world
        self.observer = Observer(world)
        self._judge = Judge(world, self.observer)
        self.approval = Approval(world)
        self._navigation = Navigation(world, self.observer)
        self._debug: BehaviorFeedback | None = None

    def repair_next(self, feedback: BehaviorFeedback) -> None:
        """The next behavior is to repair what this feedback tells of."""
        self._debug = feedback

    async def drive(self) -> None:
        """Until the run rests. Raises what stopped it; the caller turns that into FAIL."""
        world = self._world
        if is_due(world):
            await clear_away(world)
        if world.state.cancelled:
            return  # Reset: it rests until somebody starts it again.
        while world.state.state not in _AT_REST:
            await world.ledger.stored()
            if world.state.question is not None:
                await self._take_up_question()
                continue
            await world.passage()
            if world.restored:
                await reconnect(world, self.approval)
                world.restored = False
            await notice_new_kernel(world, self.approval)
            await world.ledger.stored()
            await self._advance()

    async def _take_up_question(self) -> None:
        """A proposal was before the person when the process stopped (U8)."""
        ledger, action = self._world.ledger, self._world.state.under_way
        result = await self.approval.of_asked()
        if action is not None:
            ledger.record(
                ActionEnded(
                    number=action.number,
                    action_id=action.action_id,
                    type=action.type,
                    success=result.success,
                    error=result.error,
                )
            )
            if action.digest is None and self._world.state.carried:
                ledger.record(ProposalTaken())
        if not result.success:
            raise StepsRejectedError(result.error or "the new steps were rejected")
        self._world.gate.resume()

    async def _advance(self) -> None:
        state = self._world.state.state
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
        world, ledger = self._world, self._world.ledger
        await world.notebook.open()
        # Where many runs begin, it waits for its turn as well.
        ledger.sign(KernelStarting())
        await world.runner.start()
        if world.request.workflow is not None and not world.state.has_workflow:
            self._adopt(WorkflowUpdate(updated_workflow=world.request.workflow))
        judgement = await self._judge.ask(may_degrade=world.state.has_workflow)
        proposals = list(judgement.proposals)
        if not world.state.has_workflow:
            definition = next((p for p in proposals if isinstance(p, WorkflowUpdate)), None)
            if definition is None:
                raise InvalidProposalError(
                    "the planner sent no workflow; let it answer with context_update."
                    "workflow_update when the state is IDLE, or start the run with a workflow"
                )
            self._adopt(definition)
            proposals = [p for p in proposals if p is not definition and p != definition]
        await check_requirements(world.state.progress.template, world.runner)
        self._carry(proposals)
        if not await self.approval.of_plan():
            raise PlanRejectedError("the plan was rejected; nothing was run")
        jump = self._take_jump()
        stage_id = self._navigation.first_stage(jump)
        ledger.fire(Event.START_WORKFLOW)
        ledger.record(
            StageEntered(stage_id=stage_id), Jumped(step_id=jump.step_id if jump else None)
        )

    def _adopt(self, definition: WorkflowUpdate) -> None:
        """U3: before a workflow exists this is its definition, not a change of it."""
        template = definition.updated_workflow
        check_workflow(template)
        self._world.ledger.record(PlanAdopted(workflow=template.to_wire()))

    # -- stage ------------------------------------------------------------------------------

    async def _judge_stage(self) -> None:
        world, ledger = self._world, self._world.ledger
        if world.state.kept_verdict is not None:
            last = self._navigation.last_step()
            ledger.fire(Event.START_STEP)
            ledger.record(StepEntered(step_id=last))
            return
        wanted = self._take_jump()
        judgement = await self._judge.ask(may_degrade=True)
        self._carry(judgement.proposals)
        jump, here = world.state.jump, world.state.progress.stage_id
        leaves = judgement.achieved or (jump is not None and jump.stage_id not in (None, here))
        if leaves and not world.state.carried:
            present = await self._navigation.present()
            self._navigation.end_stage(present, judged=judgement.achieved)
            ledger.fire(Event.COMPLETE_STAGE)
            return
        if leaves:
            self._keep_verdict("stage", judgement)
            step_id = self._navigation.first_step(None)
        else:
            step_id = self._navigation.first_step(self._take_jump() or wanted)
        ledger.fire(Event.START_STEP)
        ledger.record(StepEntered(step_id=step_id))

    def _keep_verdict(self, level: JudgedLevel, judgement: Judgement) -> None:
        """The proposals that came with it are asked first (F7)."""
        self._world.ledger.record(VerdictKept(level=level, achieved=judgement.achieved))
        if level == "stage" and judgement.achieved:
            self._navigation.settle_stage()

    # -- step -------------------------------------------------------------------------------

    async def _judge_step(self) -> None:
        world, ledger = self._world, self._world.ledger
        behavior: BehaviorInfo | None = None
        if world.state.kept_verdict is None:
            judgement = await self._judge.ask(may_degrade=True)
            self._carry(judgement.proposals)
            if judgement.achieved and not world.state.carried:
                present = await self._navigation.present()
                self._navigation.end_step(present)
                ledger.fire(Event.COMPLETE_STEP)
                return
            if judgement.achieved:
                self._keep_verdict("step", judgement)
            behavior = judgement.behavior
        ledger.fire(Event.START_BEHAVIOR)
        ledger.record(_entered(behavior))

    # -- behavior ---------------------------------------------------------------------------

    async def _run_behavior(self) -> None:
        world, ledger = self._world, self._world.ledger
        progress, limit = world.state.progress, world.settings.max_behaviors_per_step
        check_loop(progress.step_id, progress.iteration, limit)
        behavior = Behavior(world, self.observer, self.approval, self._take_in)
        judgement = Judgement(achieved=True, continues=False)
        kept = world.state.kept_verdict
        if kept is not None:
            await behavior.run_carried()
        elif not self._is_abandoned:
            debug, self._debug = self._debug, None
            await behavior.run_stream(debug)
            await world.passage()
            if not self._is_abandoned:
                await notice_new_kernel(world, self.approval)
                counted = world.state.tally.feedback(world.state.progress.behavior_id)
                judgement = await self._judge.feedback(counted)
                self._carry(judgement.proposals)
                await behavior.run_carried()
        on_the_way = judgement.achieved or judgement.continues or behavior.step_ended
        refused = world.state.tally.refused and not (on_the_way or judgement.degraded)
        if refused and not self._is_abandoned:
            raise not_allowed(world.state.progress.step_id)
        await behavior.end()
        present = await self._navigation.present()
        self._navigation.end_behavior(present)
        ledger.fire(Event.COMPLETE_BEHAVIOR)
        if self._is_abandoned or behavior.step_ended or judgement.achieved:
            if behavior.step_ended and judgement.continues:
                world.warn("the planner ended the step and asked for more behaviors; it is ended")
            judged = not self._is_abandoned and (kept is None or kept.level == "step")
            self._navigation.end_step(present, confirmed=judged)
            if kept is not None and kept.level == "step":
                ledger.record(VerdictKept())
            ledger.fire(Event.COMPLETE_STEP)
        elif judgement.continues:
            ledger.record(Jumped())
            ledger.fire(Event.NEXT_BEHAVIOR)
            ledger.record(_entered(judgement.behavior))
        else:
            step_id = world.state.progress.step_id
            raise goal_not_reached(step_id, judgement.degraded, judgement.failure)

    @property
    def _is_abandoned(self) -> bool:
        """The approved workflow does not have the current stage any more."""
        return self._world.state.progress.stage is None

    async def _take_in(self, answer: PlanningAnswer) -> None:
        self._carry(await self._judge.beside_actions(answer))

    # -- after a step, after a stage --------------------------------------------------------

    async def _after_step(self) -> None:
        world, ledger = self._world, self._world.ledger
        kept, jump = world.state.kept_verdict, self._take_jump()
        place = self._navigation.after_step(jump)
        if place.step_id is not None:
            ledger.record(VerdictKept())
            ledger.fire(Event.NEXT_STEP)
            ledger.record(StepEntered(step_id=place.step_id))
            return
        judged = kept is not None and (kept.achieved or kept.level == "workflow")
        if kept is not None and kept.level == "stage":
            ledger.record(VerdictKept())
        if place.stage_id is None and not judged:
            judgement = await self._judge.ask()
            self._carry(judgement.proposals)
            if world.state.carried:
                # Ask the person before leaving the stage: the step that just ended carries it.
                last = self._navigation.last_step()
                self._keep_verdict("stage", judgement)
                ledger.fire(Event.NEXT_STEP)
                ledger.record(StepEntered(step_id=last))
                return
            if world.state.jump is not None:
                self._keep_verdict("stage", judgement)
                return
            if not judgement.achieved:
                stage_id = world.state.progress.stage_id
                raise GoalNotReachedError(
                    f"the planner says that the goal of stage '{stage_id}' is not reached, and no "
                    "step is left; let it propose more steps"
                )
            judged = True
        present = await self._navigation.present()
        self._navigation.end_stage(present, judged=judged)
        ledger.fire(Event.COMPLETE_STAGE)
        if place.stage_id is not None:
            wish = jump or Jump()
            ledger.record(
                Jumped(stage_id=place.stage_id, step_id=wish.step_id, leaves_out=wish.leaves_out)
            )

    async def _after_stage(self) -> None:
        world, ledger = self._world, self._world.ledger
        kept, jump = world.state.kept_verdict, self._take_jump()
        ledger.record(VerdictKept())
        stage_id = self._navigation.next_stage(jump)
        if stage_id is None and not (kept is not None and kept.achieved):
            judgement = await self._judge.ask()
            self._carry(judgement.proposals)
            if world.state.carried:
                # Ask the person before the end: the stage that just ended carries it.
                self._keep_verdict("workflow", judgement)
                ledger.fire(Event.NEXT_STAGE)
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
            ledger.fire(Event.COMPLETE_WORKFLOW)
            return
        ledger.fire(Event.NEXT_STAGE)
        ledger.record(
            StageEntered(stage_id=stage_id), Jumped(step_id=jump.step_id if jump else None)
        )

    def _take_jump(self) -> Jump | None:
        jump = self._world.state.jump
        if jump is not None:
            self._world.ledger.record(Jumped())
        return jump

    def _carry(self, proposals: list[Update]) -> None:
        """Keep proposals for the person; one that changes nothing needs no answer."""
        progress = self._world.state.progress
        actions = [as_action(one) for one in proposals if describe_changes(one, progress)]
        if actions:
            self._world.ledger.record(ProposalsCarried(actions=actions))


def _entered(behavior: BehaviorInfo | None) -> BehaviorEntered:
    if behavior is None:
        return BehaviorEntered()
    return BehaviorEntered(behavior_id=behavior.id, goal=behavior.target)
