"""A run: started once, steered by commands, watched through its view and its events.

The driver runs in a task. A command either opens a gate, answers a question, or ends the task
and fires the event that the table names. Errors never leave the task: they become the run's
error card (F12, F13).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import Any

from notebook_bcc_ext.engine.answers import Answer
from notebook_bcc_ext.engine.attempts import replace_all, replace_behavior
from notebook_bcc_ext.engine.belongings import leave_kernel
from notebook_bcc_ext.engine.commands import COMMANDS, allowed_commands
from notebook_bcc_ext.engine.driver import Driver, PlanRejectedError
from notebook_bcc_ext.engine.failures import NotAllowedError, StepsRejectedError, error_card
from notebook_bcc_ext.engine.memory import initial_variables
from notebook_bcc_ext.engine.view import progress_view, thinking_view
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import BccError, IllegalCommandError, StoreError
from notebook_bcc_ext.fsm.machine import utc_now
from notebook_bcc_ext.protocol.browser.runs import (
    Command,
    CommandName,
    RunStatus,
    RunView,
    location_of,
)
from notebook_bcc_ext.protocol.planner.observation import Observation, TransitionRecord
from notebook_bcc_ext.protocol.states import Event, State

logger = logging.getLogger(__name__)

INTERRUPT_SECONDS = 2.0
STOP_TRIES = 60
STOP_AGAIN_SECONDS = 0.5
REMEMBERED_KEYS = 200
_ENDED: tuple[RunStatus, ...] = ("done", "failed", "cancelled")
_IN_A_BEHAVIOR = (
    State.BEHAVIOR_RUNNING,
    State.ACTION_RUNNING,
    State.ACTION_COMPLETED,
    State.BEHAVIOR_COMPLETED,
)


class Run:
    def __init__(self, world: World) -> None:
        self.world = world
        world.memory.created_at = world.memory.created_at or utc_now()
        self._driver = Driver(world)
        self._task: asyncio.Task[None] | None = None
        self._driving = False
        self._keys: dict[str, None] = {}
        world.machine.watch(self._on_transition)
        world.gate.on_own_pause = self._publish_status

    @property
    def id(self) -> str:
        return self.world.run_id

    # -- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Drive on, if nobody drives; what an earlier drive still has to write comes first."""
        if not self._driving:
            self._driving = True
            self.world.activity.end_rest()
            self.world.log.begins(self.world.machine.state)
            self._task = asyncio.get_running_loop().create_task(
                self._drive(self._task), name=f"run {self.id}"
            )

    async def save(self) -> None:
        """Durable on return."""
        await self._save()

    async def finished(self) -> None:
        """Until the run rests and everything about it is written."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """The server stops: leave everything as it is, durable. What cannot be written now is
        told in the log and keeps nobody from stopping; the notebook's log has it."""
        await self._stop_task()
        world = self.world
        for part in (self._save, world.notebook.close, world.runner.close, world.planner.close):
            try:
                await part()
            except BccError as error:
                logger.warning("run %s was closed incompletely: %s", self.id, error)
            except Exception:
                logger.exception("run %s was closed incompletely", self.id)

    async def _drive(self, earlier: asyncio.Task[None] | None) -> None:
        try:
            if earlier is not None:
                await asyncio.wait({earlier})
            await self._drive_to_rest()
        finally:
            # At once: a command that finds the run at rest has to start it.
            self._driving = False
            self.world.activity.begin_rest()
        if self.status in _ENDED:
            await leave_kernel(self.world)
        try:
            await self._save()
        except StoreError as error:
            self.world.warn(f"what became of the run is not stored yet: {error}")
        with contextlib.suppress(BccError):
            await self.world.notebook.flush()
        self.world.tell_notices()
        self._publish_status()

    async def _drive_to_rest(self) -> None:
        try:
            await self._save()
            await self._driver.drive()
        except PlanRejectedError as error:
            self._mark_cancelled()
            self._publish_status(str(error))
        except BccError as error:
            self._fail(error)
        except Exception as error:
            logger.exception("run %s stopped on an unexpected error", self.id)
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """FAIL where the table has it; elsewhere the run pauses with the error (F13)."""
        world = self.world
        if self.world.memory.cancelled:
            # The end of a cell that cancel interrupted is no failure.
            if world.memory.replaces is not None:
                world.warn(f"the cells of the run are still in the notebook: {error}")
            return
        keeps_state = isinstance(error, (StepsRejectedError, NotAllowedError))
        if isinstance(error, StoreError):
            # What landed is not done twice: a retry goes on from here.
            world.memory.resumable = world.machine.state in _IN_A_BEHAVIOR
            keeps_state = not world.memory.resumable
        if not keeps_state and world.machine.allows(Event.FAIL):
            world.machine.fire(Event.FAIL)
        if world.machine.state is not State.ERROR:
            world.gate.pause("error")
        location = location_of(world.memory.progress.location().current)
        world.memory.error = error_card(error, location, world.settings.redactor)
        world.memory.error.remedies = [
            command for command in self.allowed_commands if command not in ("pause", "cancel")
        ]
        world.publish("error", world.memory.error.model_dump(mode="json"))

    # -- commands ---------------------------------------------------------------------------

    @property
    def allowed_commands(self) -> list[CommandName]:
        return allowed_commands(self)

    @property
    def resting(self) -> bool:
        return not self._driving

    async def command(self, command: Command, by: str | None = None) -> None:
        """Do as the person says, once per key. Raises IllegalCommandError when it cannot be."""
        if command.key is not None and command.key in self._keys:
            return
        if command.command not in self.allowed_commands:
            decided = await self.world.questions.decided(command.proposal_id)
            why = decided or self._why_not()
            raise IllegalCommandError(command.command, why, self.allowed_commands)
        if command.key is not None:
            # Before it is done: the same order sent twice at once is one order.
            self._keys[command.key] = None
        try:
            await COMMANDS[command.command](self, command, by)
        except BccError:
            self._keys.pop(command.key or "", None)
            raise
        while len(self._keys) > REMEMBERED_KEYS:
            del self._keys[next(iter(self._keys))]
        await self._save()
        self._publish_status()

    def _why_not(self) -> str:
        return f"the run is {self.status} in state {self.world.machine.state}"

    async def answer(self, command: Command, verdict: Any, by: str | None) -> None:
        if command.edited is not None:
            self._driver.approval.check_edit(command.edited)
        answer = Answer(verdict, command.reason, command.edited, by)
        await self.world.questions.answer(command.proposal_id, answer)

    async def cancel(self) -> None:
        """Stop within a second: the stream is closed, the kernel interrupted, nothing undone."""
        world = self.world
        self._mark_cancelled()
        await world.questions.withdraw()
        if world.machine.allows(Event.CANCEL):
            world.machine.fire(Event.CANCEL)
        executing = world.machine.history[-1:] and world.machine.history[-1].from_state
        if self._task is not None and not self._task.done():
            if executing == State.ACTION_RUNNING:
                with contextlib.suppress(BccError, TimeoutError):
                    async with asyncio.timeout(INTERRUPT_SECONDS):
                        await world.runner.interrupt()
            await self._stop_task()
        world.gate.resume()
        await leave_kernel(world)
        with contextlib.suppress(BccError):
            await world.notebook.flush()

    def _mark_cancelled(self) -> None:
        # The table does not know it everywhere: at idle it is no transition.
        self.world.memory.cancelled = True
        self.world.memory.cancelled_at = utc_now()

    async def reset(self) -> None:
        """Back to idle, as if it had not begun: the workflow is forgotten and its cells are taken
        out of the notebook. It rests there until it is started again."""
        world = self.world
        world.machine.fire(Event.RESET)
        self._mark_cancelled()
        await leave_kernel(world)
        world.memory.forget_workflow(initial_variables(world.request))
        replace_all(world)
        world.memory.error = None
        world.gate.resume()
        self.start()
        await self.finished()

    def restart(self) -> None:
        """From the top; what the attempt before wrote is replaced."""
        memory, machine = self.world.memory, self.world.machine
        if machine.state is State.ERROR:
            machine.fire(Event.START_WORKFLOW)
            replace_all(self.world)
            memory.start_over()
            memory.progress.restart()
            memory.progress.enter_stage(memory.progress.template.stages[0].id)
        self._go_on()

    def retry(self) -> None:
        """The failed behavior again, in the place of the attempt before; or the failed call where
        the state was kept."""
        memory, machine = self.world.memory, self.world.machine
        if machine.state is State.ACTION_COMPLETED:
            # Something was not allowed. The table has one way back to where actions are asked for.
            machine.fire(Event.FAIL)
            memory.resumable = False
        if machine.state is State.ERROR:
            machine.fire(Event.START_BEHAVIOR)
            if memory.resumable:
                memory.progress.reopen_behavior()
            elif memory.progress.restart_behavior():
                replace_behavior(self.world)
            else:
                memory.begin_behavior()
        self._go_on()

    def debug(self) -> None:
        """The failed behavior again, with the error told to the planner."""
        memory = self.world.memory
        error = memory.error.message if memory.error else "unknown error"
        tally = replace(memory.tally, last_result=f"error: {error}")
        self._driver.repair_next(tally.feedback(memory.progress.behavior_id))
        self.retry()

    def _go_on(self) -> None:
        self._forget_error()
        self.world.gate.resume()
        self.start()

    def _forget_error(self) -> None:
        self.world.memory.cancelled = False
        self.world.memory.cancelled_at = None
        self.world.memory.error = None

    async def _stop_task(self) -> None:
        if self._task is None:
            return
        for _ in range(STOP_TRIES):
            # More than once: `asyncio.wait_for` of Python 3.11 swallows a cancellation that comes
            # just as what it waited for is done.
            if self._task.done():
                return
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=STOP_AGAIN_SECONDS)
        logger.error("run %s does not stop", self.id)

    # -- looking ----------------------------------------------------------------------------

    @property
    def status(self) -> RunStatus:
        state = self.world.machine.state
        if state is State.WORKFLOW_COMPLETED:
            return "done"
        if state is State.ERROR:
            return "failed"
        if state is State.CANCELLED or self.world.memory.cancelled:
            return "cancelled"
        if self.world.questions.pending is not None:
            return "waiting"
        if self.world.gate.paused or self.resting:
            return "paused"
        return "running"

    def view(self) -> RunView:
        world, memory = self.world, self.world.memory
        return RunView(
            id=self.id,
            notebook=world.notebook.path,
            state=world.machine.state,
            status=self.status,
            status_reason=world.gate.reason if world.gate.paused else None,
            allowed_events=world.machine.allowed_events,
            allowed_commands=self.allowed_commands,
            location=location_of(memory.progress.location().current),
            progress=progress_view(memory, world.machine.state),
            pending=world.questions.pending,
            decision=memory.decision,
            error=memory.error,
            counts=memory.counts,
            planner=world.request.planner.model_dump(mode="json"),
            goal=world.request.goal,
            data=world.request.data,
            approval=world.approval,
            thinking=thinking_view(memory),
            doing=world.activity.doing if self.status == "running" else None,
            overwritten=memory.overwritten,
            created_at=self.world.memory.created_at,
            updated_at=utc_now(),
            ended_at=self._ended_at(),
            rested_ms=world.activity.rest.total_ms,
            resting_since=world.activity.rest.since,
        )

    def _ended_at(self) -> str | None:
        if self.status not in _ENDED:
            return None
        if self.world.memory.cancelled_at is not None:
            return self.world.memory.cancelled_at
        latest = self.world.machine.latest(1)
        return latest[0].timestamp if latest else self.world.memory.created_at

    async def observation(self) -> Observation:
        return await self._driver.observer.observation()

    # -- remembering ------------------------------------------------------------------------

    async def _save(self) -> None:
        await self.world.journal.flush()
        await self.world.checkpoint.save()

    def _on_transition(self, record: TransitionRecord) -> None:
        self.world.journal.note(record)
        self.world.publish("transition", record.to_wire())

    def _publish_status(self, reason: str | None = None) -> None:
        payload = {
            "status": self.status,
            "state": self.world.machine.state,
            "reason": reason or (self.world.gate.reason if self.world.gate.paused else None),
        }
        self.world.publish("status", payload)
