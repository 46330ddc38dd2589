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
from typing import Literal

from notebook_bcc_ext.engine.approval import decision_on
from notebook_bcc_ext.engine.belongings import leave_kernel
from notebook_bcc_ext.engine.commands import COMMANDS, allowed_commands
from notebook_bcc_ext.engine.driver import Driver
from notebook_bcc_ext.engine.failures import error_card
from notebook_bcc_ext.engine.inputs import initial_variables
from notebook_bcc_ext.engine.view import run_view
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import (
    BccError,
    IllegalCommandError,
    NotAllowedError,
    PlannerStreamError,
    PlanRejectedError,
    RunFailedError,
    StepsRejectedError,
    StoreError,
)
from notebook_bcc_ext.fsm import allows, follow
from notebook_bcc_ext.protocol.browser.facts import (
    Cancelled,
    Commanded,
    Failed,
    Reset,
    Restarted,
    RestBegan,
    RestEnded,
    Retried,
    StageEntered,
    StatusTold,
    WentOn,
)
from notebook_bcc_ext.protocol.browser.runs import (
    Command,
    CommandName,
    RunStatus,
    RunView,
    location_of,
)
from notebook_bcc_ext.protocol.planner.observation import Observation
from notebook_bcc_ext.protocol.states import IN_A_BEHAVIOR, Event, State

logger = logging.getLogger(__name__)

INTERRUPT_SECONDS = 2.0
STOP_TRIES = 60
STOP_AGAIN_SECONDS = 0.5
REMEMBERED_KEYS = 200
_ENDED: tuple[RunStatus, ...] = ("done", "failed", "cancelled")


class Run:
    def __init__(self, world: World) -> None:
        self.world = world
        self._driver = Driver(world)
        self._task: asyncio.Task[None] | None = None
        self._driving = False
        self._keys: dict[str, None] = {}
        world.gate.on_own_pause = self._publish_status

    @property
    def id(self) -> str:
        return self.world.run_id

    # -- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Drive on, if nobody drives; what an earlier drive still has to write comes first."""
        if not self._driving:
            self._driving = True
            if self.world.state.rest.since is not None:
                self.world.ledger.record(RestEnded())
            self.world.log.begins(self.world.state.state)
            self._task = asyncio.get_running_loop().create_task(
                self._drive(self._task), name=f"run {self.id}"
            )

    async def save(self) -> None:
        """Durable on return."""
        await self.world.store.add_run(self.id, self.world.request.model_dump(mode="json"))
        await self.world.ledger.stored()

    async def finished(self) -> None:
        """Until the run rests and everything about it is written."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """The server stops: leave everything as it is, durable. What cannot be written now is
        told in the log and keeps nobody from stopping; the notebook's log has it."""
        await self._stop_task()
        world = self.world
        for part in (
            world.ledger.stored,
            world.notebook.close,
            world.runner.close,
            world.planner.close,
        ):
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
            self.world.ledger.record(RestBegan())
        if self.status in _ENDED:
            await leave_kernel(self.world)
        try:
            await self.world.ledger.stored()
        except StoreError as error:
            self.world.warn(f"what became of the run is not stored yet: {error}")
        with contextlib.suppress(BccError):
            await self.world.notebook.flush()
        self.world.tell_notices()
        self._publish_status()

    async def _drive_to_rest(self) -> None:
        try:
            await self._driver.drive()
        except PlanRejectedError as error:
            self.world.ledger.record(Cancelled())
            self._publish_status(str(error))
        except BccError as error:
            self._fail(error)
        except Exception as error:
            logger.exception("run %s stopped on an unexpected error", self.id)
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """FAIL where the table has it; elsewhere the run pauses with the error (F13)."""
        world, ledger = self.world, self.world.ledger
        if world.state.cancelled:
            # The end of a cell that cancel interrupted is no failure.
            if world.state.replaces is not None:
                world.warn(f"the cells of the run are still in the notebook: {error}")
            return
        keeps_state = isinstance(error, (StepsRejectedError, NotAllowedError))
        resumable = isinstance(error, PlannerStreamError)
        if isinstance(error, RunFailedError):
            resumable = error.resumable
        if isinstance(error, StoreError):
            # What landed is not done twice: a retry goes on from here.
            resumable = world.state.state in IN_A_BEHAVIOR
            keeps_state = not resumable
        if not keeps_state and allows(world.state.state, Event.FAIL):
            ledger.fire(Event.FAIL)
        if world.state.state is not State.ERROR:
            world.gate.pause("error")
        location = location_of(world.state.progress.current)
        card = error_card(error, location, world.settings.redactor)
        ledger.record(Failed(error=card, resumable=resumable))

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
            decided = self.world.questions.decided(command.proposal_id)
            why = decided or self._why_not()
            raise IllegalCommandError(command.command, why, self.allowed_commands)
        if command.key is not None:
            # Before it is done: the same order sent twice at once is one order.
            self._keys[command.key] = None
        self.world.ledger.record(Commanded(command=command.command, by=by))
        try:
            await COMMANDS[command.command](self, command, by)
        except BccError:
            self._keys.pop(command.key or "", None)
            raise
        while len(self._keys) > REMEMBERED_KEYS:
            del self._keys[next(iter(self._keys))]
        await self.world.ledger.stored()
        self._publish_status()

    def _why_not(self) -> str:
        return f"the run is {self.status} in state {self.world.state.state}"

    async def answer(
        self, command: Command, verdict: Literal["confirmed", "rejected"], by: str | None
    ) -> None:
        pending = self.world.state.pending
        if pending is None:
            why = self.world.questions.decided(command.proposal_id)
            why = why or "nothing is waiting for an answer"
            raise IllegalCommandError(command.command, why, self.allowed_commands)
        if command.edited is not None:
            self._driver.approval.check_edit(command.edited)
        edited = command.edited is not None
        decision = decision_on(pending, verdict, by=by, reason=command.reason, edited=edited)
        await self.world.questions.answer(command.proposal_id, decision, command.edited)

    async def cancel(self) -> None:
        """Stop within a second: the stream is closed, the kernel interrupted, nothing undone."""
        world, ledger = self.world, self.world.ledger
        executing = world.state.state is State.ACTION_RUNNING
        # The table does not know it everywhere: at idle it is no transition.
        ledger.record(Cancelled())
        if allows(world.state.state, Event.CANCEL):
            ledger.fire(Event.CANCEL)
        if self._task is not None and not self._task.done():
            if executing:
                with contextlib.suppress(BccError, TimeoutError):
                    async with asyncio.timeout(INTERRUPT_SECONDS):
                        await world.runner.interrupt()
            await self._stop_task()
        world.gate.resume()
        await leave_kernel(world)
        with contextlib.suppress(BccError):
            await world.notebook.flush()

    async def reset(self) -> None:
        """Back to idle, as if it had not begun: the workflow is forgotten and its cells are taken
        out of the notebook. It rests there until it is started again."""
        world, ledger = self.world, self.world.ledger
        follow(world.state.state, Event.RESET)
        ledger.record(Cancelled())
        await leave_kernel(world)
        ledger.fire(Event.RESET)
        ledger.record(Reset(variables=initial_variables(world.request)))
        world.gate.resume()
        self.start()
        await self.finished()

    def restart(self) -> None:
        """From the top; what the attempt before wrote is replaced."""
        ledger = self.world.ledger
        if self.world.state.state is State.ERROR:
            ledger.fire(Event.START_WORKFLOW)
            first = self.world.state.progress.template.stages[0].id
            ledger.record(Restarted(), StageEntered(stage_id=first))
        self._go_on()

    def retry(self) -> None:
        """The failed behavior again, in the place of the attempt before; or the failed call where
        the state was kept."""
        ledger, anew = self.world.ledger, False
        if self.world.state.state is State.ACTION_COMPLETED:
            # Something was not allowed. The table has one way back to where actions are asked for.
            ledger.fire(Event.FAIL)
            anew = True
        if self.world.state.state is State.ERROR:
            ledger.fire(Event.START_BEHAVIOR)
            ledger.record(Retried(anew=anew))
        self._go_on()

    def debug(self) -> None:
        """The failed behavior again, with the error told to the planner."""
        state = self.world.state
        error = state.error.message if state.error else "unknown error"
        tally = replace(state.tally, last_result=f"error: {error}")
        self._driver.repair_next(tally.feedback(state.progress.behavior_id))
        self.retry()

    def _go_on(self) -> None:
        self.world.ledger.record(WentOn())
        self.world.gate.resume()
        self.start()

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
        state = self.world.state.state
        if state is State.WORKFLOW_COMPLETED:
            return "done"
        if state is State.ERROR:
            return "failed"
        if state is State.CANCELLED or self.world.state.cancelled:
            return "cancelled"
        if self.world.state.pending is not None:
            return "waiting"
        if self.world.gate.paused or self.resting:
            return "paused"
        return "running"

    def view(self) -> RunView:
        world = self.world
        return run_view(
            world,
            status=self.status,
            commands=self.allowed_commands,
            has_ended=self.status in _ENDED,
        )

    async def observation(self) -> Observation:
        return await self._driver.observer.observation()

    def _publish_status(self, reason: str | None = None) -> None:
        gate = self.world.gate
        self.world.ledger.sign(
            StatusTold(
                status=self.status,
                state=self.world.state.state,
                reason=reason or (gate.reason if gate.paused else None),
            )
        )
