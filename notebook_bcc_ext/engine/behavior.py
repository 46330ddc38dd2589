"""Runs the actions of one behavior as their lines arrive (P4, A17, A18, U2).

line of the stream -> parse_action -> START_ACTION / NEXT_ACTION -> handler
    -> COMPLETE_ACTION, or UPDATE_* and the person's answer, or FAIL
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from notebook_bcc_ext.actions.builtin import close_thinking
from notebook_bcc_ext.actions.context import ActionResult
from notebook_bcc_ext.engine.action_context import RunActionContext
from notebook_bcc_ext.engine.approval import Approval
from notebook_bcc_ext.engine.attempts import clear_away
from notebook_bcc_ext.engine.lines_ahead import LinesAhead, reading_ahead
from notebook_bcc_ext.engine.observer import Observer
from notebook_bcc_ext.engine.position import is_out_of_step
from notebook_bcc_ext.engine.recovery import notice_new_kernel
from notebook_bcc_ext.engine.state import UnderWay
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import (
    ActionFailedError,
    BccError,
    NotebookError,
    StepsRejectedError,
    StoreError,
    UnknownActionError,
)
from notebook_bcc_ext.ports import ActionStream, RunResult
from notebook_bcc_ext.protocol.browser.facts import (
    ActionBegan,
    ActionEnded,
    ActionsSkipped,
    ActionUndone,
    BehaviorBegan,
    BehaviorNamed,
    LinesForgotten,
    LineSkipped,
    Noticed,
    PlannerCalled,
    ProposalTaken,
    RepairAsked,
)
from notebook_bcc_ext.protocol.planner.actions import Action, ExecAction, parse_action
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, PlanningAnswer
from notebook_bcc_ext.protocol.planner.ndjson import BadLine
from notebook_bcc_ext.protocol.states import Event, State

Json = dict[str, Any]


class Behavior:
    """One behavior, from its first line to its last action."""

    def __init__(
        self,
        world: World,
        observer: Observer,
        approval: Approval,
        take_in: Callable[[PlanningAnswer], Awaitable[None]],
    ) -> None:
        """`take_in` applies what a planner sends beside the actions."""
        self._world = world
        self._observer = observer
        self._approval = approval
        self._take_in = take_in
        self._refused = False
        self._unwritten = False
        """The notebook or the store could not: no fault of the planner's or the action's."""
        self._known: deque[str] = deque()
        if world.state.resumable:
            self._known.extend(world.state.lines_done)
        world.ledger.record(BehaviorBegan(resumed=world.state.resumable))

    @property
    def step_ended(self) -> bool:
        return self._world.state.step_ended

    @property
    def _stopped(self) -> str | None:
        """Why nothing more of it is run."""
        state = self._world.state
        if state.jump is not None and state.progress.stage is None:
            return "the current stage is not in the approved workflow"
        return state.stopped

    async def run_carried(self) -> None:
        """Put the proposals of planning answers before the person, one after the other."""
        ledger = self._world.ledger
        while self._world.state.carried and self._stopped is None:
            try:
                await self._perform(self._world.state.carried[0], None)
            except BccError:
                # Answered, or not sound enough to be asked: a retry must not meet it again.
                ledger.record(ProposalTaken())
                raise
            ledger.record(ProposalTaken())
            ledger.post()

    async def run_stream(self, feedback: BehaviorFeedback | None = None) -> None:
        """Ask for the actions and run them, behind the proposals that stand in front of them (U2).
        `feedback` tells of the error to repair (debug)."""
        if self._stopped is not None:
            return  # A process that was stopped since had come to the end of it.
        if not await self._approval.of_behavior():
            await self.run_carried()
            return
        await notice_new_kernel(self._world, self._approval)
        told = False
        while not await self._run_answer(feedback, told=told):
            told = True

    async def _run_answer(self, feedback: BehaviorFeedback | None, *, told: bool) -> bool:
        """False when the answer was for another place, so that the planner is asked again."""
        request = await self._observer.generating_request(feedback)
        self._world.ledger.record(PlannerCalled(call="generating"))
        async with (
            self._world.planner.generate(request) as stream,
            reading_ahead(stream, self._world.notebook.stored) as lines,
        ):
            if stream.beside is not None:
                if is_out_of_step(self._world, request, stream.beside, told=told):
                    return False
                await self._take_in(stream.beside)
            await self.run_carried()
            try:
                if self._stopped is None:
                    await self._run_lines(stream, lines)
            except ActionFailedError:
                await self._count_left(lines, "an action failed")
                raise
            if self._stopped is not None:
                await self._count_left(lines, self._stopped)
            self._adopt_behavior(stream)
        return True

    async def _run_lines(self, stream: ActionStream, lines: LinesAhead) -> None:
        async for line in lines:
            self._adopt_behavior(stream)
            digest = _digest(line)
            if not self._was_done(digest):
                await clear_away(self._world)
                await self._take(line, digest)
                self._world.ledger.post()
            if self._stopped is not None:
                break
        await clear_away(self._world)

    async def _count_left(self, lines: LinesAhead, why: str) -> None:
        """The actions that are not run any more, so that nobody takes them for done (P5)."""
        left = await lines.left()
        if left:
            self._world.ledger.record(ActionsSkipped(count=left))
            rest = "one more action" if left == 1 else f"{left} more actions"
            self._world.warn(f"not run of this behavior: {rest}, because of this: {why}")

    async def end(self) -> None:
        """Whatever the planner forgot to finish is finished now."""
        number = self._world.state.counts.actions
        await close_thinking(RunActionContext(self._world, self._observer, f"action-{number}"))

    def _was_done(self, digest: str) -> bool:
        """Whether the planner repeats, after its stream broke, what ran before it did (P7).

        From the first line on that is another one, everything it sends is new.
        """
        if not self._known:
            return False
        if self._known[0] == digest:
            self._known.popleft()
            return True
        keep = len(self._world.state.lines_done) - len(self._known)
        self._world.ledger.record(LinesForgotten(keep=keep))
        self._known.clear()
        return False

    def _adopt_behavior(self, stream: ActionStream) -> None:
        """A planner may name its behavior in the stream (F9)."""
        behavior, progress = stream.behavior, self._world.state.progress
        if behavior is None:
            return
        said = progress.named(behavior.id, behavior.target)
        if (said.behavior_id, said.behavior_goal) != (progress.behavior_id, progress.behavior_goal):
            named = BehaviorNamed(behavior_id=behavior.id, goal=behavior.target)
            self._world.ledger.record(named)

    async def _take(self, line: Json | BadLine, digest: str) -> None:
        if isinstance(line, BadLine):
            self._skip(str(line), digest)
        elif not await self._doubt_is_over(line, digest):
            return
        elif self.step_ended:
            why = f"the step has ended; action '{_kind(line)}' after end_phase was skipped"
            self._skip(why, digest)
        else:
            await self._perform(line, digest)

    async def _doubt_is_over(self, line: Json, digest: str) -> bool:
        """Whether to deal with the line, after a process stopped in the midst of an action.

        Where that was this line's and its cell had ended, only its end is still to be dealt with;
        where the cell may have been running, only the person knows.
        """
        doubt = self._world.state.under_way
        if doubt is None:
            return True
        if doubt.digest != digest:
            again = True
        elif doubt.ran is not None:
            await self._conclude_later(line, doubt)
            return False
        else:
            again = await self._approval.of_repeat(doubt.cell_id)
        self._world.ledger.record(ActionUndone(left=not again))
        if not again:
            self._skip(f"the cell {doubt.cell_id} was not run again", digest)
        return again

    async def _conclude_later(self, line: Json, doubt: UnderWay) -> None:
        self._world.ledger.fire(Event.START_ACTION)
        context = RunActionContext(self._world, self._observer, doubt.action_id)
        context.failed_cell = doubt.cell_id
        context.failed_run = RunResult(doubt.ran or "error", None, [])
        result = ActionResult(success=False, error=doubt.error, cell_id=doubt.cell_id)
        action = parse_action(line, self._world.registry.types)
        await self._conclude(context, action, result)

    def _skip(self, why: str, digest: str | None) -> None:
        self._world.ledger.record(LineSkipped(why=why, digest=digest))
        self._world.warn(why)

    async def _perform(self, line: Json, digest: str | None) -> None:
        await self._world.passage()
        action: Action | None = None
        error: BccError | None = None
        try:
            action = parse_action(line, self._world.registry.types)
        except UnknownActionError as unknown:
            if not self._world.settings.strict_actions:
                self._skip(str(unknown), digest)
                return
            error = unknown
        except BccError as wrong:
            error = wrong
        if isinstance(action, ExecAction):
            await notice_new_kernel(self._world, self._approval)
        self._world.gate.action_begins()
        context = self._begin(line, digest, action)
        if action is None:
            result = ActionResult(success=False, error=str(error))
        else:
            result = await self._execute(context, action)
        await self._conclude(context, action, result)
        self._world.gate.action_done()

    def _begin(self, line: Json, digest: str | None, action: Action | None) -> RunActionContext:
        ledger, state = self._world.ledger, self._world.state
        first = state.state is State.BEHAVIOR_RUNNING
        ledger.fire(Event.START_ACTION if first else Event.NEXT_ACTION)
        number = state.counts.actions + 1
        runs = state.cell_named(action.codecell_id) if isinstance(action, ExecAction) else None
        ledger.record(
            ActionBegan(
                number=number,
                action_id=f"action-{number}",
                type=_kind(line) if action is None else action.action,
                label=_taken(_kind(line), action),
                digest=digest,
                cell_id=runs,
            )
        )
        return RunActionContext(self._world, self._observer, f"action-{number}")

    async def _execute(self, context: RunActionContext, action: Action) -> ActionResult:
        if isinstance(action, ExecAction) and not await self._approval.of_code(action):
            self._refused = True
            return ActionResult(success=False, error="the person did not allow a cell to run")
        try:
            result = await self._world.registry.execute(context, action)
        except (NotebookError, StoreError) as error:
            self._unwritten = True
            return ActionResult(success=False, error=str(error))
        except BccError as error:
            return ActionResult(success=False, error=str(error))
        except Exception as error:  # noqa: BLE001 - a custom handler may raise anything
            return ActionResult(
                success=False, error=f"action '{action.action}': {type(error).__name__}: {error}"
            )
        return _result(result, context.action_id)

    async def _conclude(
        self, context: RunActionContext, action: Action | None, result: ActionResult
    ) -> None:
        ledger = self._world.ledger
        if result.success and context.proposal is not None:
            result = await self._approval.of_update(context.proposal)
        if result.success:
            self._end(context, result)
            if self._world.state.state is State.ACTION_RUNNING:
                ledger.fire(Event.COMPLETE_ACTION)
        elif self._world.state.state is State.ERROR:
            self._end(context, result)
            raise StepsRejectedError(result.error or "the new steps were rejected")
        else:
            self._conclude_failure(context, action, result)

    def _conclude_failure(
        self, context: RunActionContext, action: Action | None, result: ActionResult
    ) -> None:
        """A18: let the planner repair it, go on, or fail."""
        ledger, settings = self._world.ledger, self._world.settings
        message = result.error or "the action failed"
        self._end(context, result)
        if self._refused:
            # No fault of anybody's: the planner is told, and decides what to do instead (U9).
            ledger.fire(Event.COMPLETE_ACTION)
            return
        attempts = self._world.state.debug_attempts
        # What the notebook or the store cannot do, no planner repairs, and nobody may skip.
        repairable = isinstance(action, ExecAction) and action.auto_debug and not self._unwritten
        goes_on = settings.on_action_error == "continue" and not (repairable or self._unwritten)
        if repairable and attempts < settings.max_debug_attempts:
            ledger.record(
                RepairAsked(message=message),
                Noticed(level="info", text=f"asking for a repair: {message}", to_planner=False),
            )
            ledger.fire(Event.COMPLETE_ACTION)
        elif goes_on:
            ledger.fire(Event.COMPLETE_ACTION)
        else:
            if repairable:
                message = f"{message} (still failing after {attempts} repairs)"
            failed = context.failed_run
            raise ActionFailedError(
                message,
                cell_id=context.failed_cell,
                traceback=failed.error.traceback if failed and failed.error else None,
                interrupted=failed is not None and failed.status == "interrupted",
                # What landed is not done twice: a retry goes on with this very line.
                resumable=self._unwritten,
            )

    def _end(self, context: RunActionContext, result: ActionResult) -> None:
        action = self._world.state.under_way
        if action is None:
            return
        self._world.ledger.record(
            ActionEnded(
                number=action.number,
                action_id=action.action_id,
                type=action.type,
                success=result.success,
                refused=self._refused,
                error=result.error,
                cell_id=result.cell_id,
                again=self._unwritten,
                ends_step=result.success and context.step_ended,
            )
        )
        if not (result.success or self._refused) and context.failed_run is None:
            text = f"action '{action.type}' failed: {result.error}"
            self._world.ledger.record(Noticed(text=text, to_person=False))


def _result(returned: object, action_id: str) -> ActionResult:
    """What a handler returned, in the one shape (A17); a handler may say nothing, or a dict."""
    if isinstance(returned, ActionResult):
        return replace(returned, action_id=action_id)
    if isinstance(returned, Mapping) and "success" in returned:
        error = returned.get("error")
        return ActionResult(
            success=bool(returned["success"]),
            error=None if error is None else str(error),
            action_id=action_id,
        )
    return ActionResult(success=True, action_id=action_id)


def _digest(line: Json | BadLine) -> str:
    text = str(line) if isinstance(line, BadLine) else json.dumps(line, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _kind(line: Json) -> str:
    inner = line.get("action")
    kind = inner.get("action", inner.get("type")) if isinstance(inner, dict) else inner
    return str(kind if kind is not None else line.get("type", "?"))


def _taken(kind: str, action: Action | None) -> str:
    content = getattr(action, "content", None) or getattr(action, "title", None) or ""
    first_line = str(content).strip().partition("\n")[0]
    return f"{kind}: {first_line[:60]}" if first_line else kind
