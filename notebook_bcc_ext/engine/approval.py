"""Where a run stops for the person (U2-U9). The policy decides where; nothing is done unasked."""

from __future__ import annotations

import uuid
from typing import Any

from notebook_bcc_ext.actions.context import ActionResult
from notebook_bcc_ext.engine.answers import Answer
from notebook_bcc_ext.engine.memory import Asking, Jump
from notebook_bcc_ext.engine.proposals import (
    Update,
    apply_steps,
    apply_workflow,
    check_update,
    check_workflow,
    describe_changes,
    kind_of,
    parse_update,
)
from notebook_bcc_ext.engine.wishes import check_wish
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotFoundError, ProtocolError
from notebook_bcc_ext.fsm.machine import utc_now
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending, ProposalKind
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowTemplate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.actions import ExecAction
from notebook_bcc_ext.protocol.states import Event

Json = dict[str, Any]


class Approval:
    def __init__(self, world: World) -> None:
        self._world = world
        self._asked: Update | None = None

    # -- proposals --------------------------------------------------------------------------

    async def of_update(self, update: Update, digest: str | None = None) -> ActionResult:
        """UPDATE_*, the question, the answer, and its event. Asked also with policy `none`:
        that policy's answer is yes, so that a headless run can go on."""
        world, workflow = self._world, isinstance(update, WorkflowUpdate)
        world.machine.fire(Event.UPDATE_WORKFLOW if workflow else Event.UPDATE_STEP)
        pending = self._pending_update(update)
        if world.approval == "none":
            answer = Answer("confirmed", decided_by="policy")
        else:
            world.memory.asking = Asking(
                kind_of(update), update.to_wire(), pending.model_dump(mode="json"), digest
            )
            await world.checkpoint.save()
            self._asked = update
            answer = await self._ask(pending)
        return self._take_answer(update, pending, answer)

    async def of_asked(self, asking: Asking) -> ActionResult:
        """The proposal that was before the person when the process stopped."""
        update = parse_update(asking.kind, asking.update)
        pending = Pending.model_validate(asking.pending)
        self._asked = update
        with self._world.activity.resting():
            answer = await self._world.questions.ask_again(pending, lambda: self._tell(pending))
        return self._take_answer(update, pending, answer)

    def _take_answer(self, update: Update, pending: Pending, answer: Answer) -> ActionResult:
        world, workflow = self._world, isinstance(update, WorkflowUpdate)
        world.memory.asking = None
        if answer.verdict == "rejected":
            return self._rejected(pending, answer, workflow=workflow)
        if answer.edited is not None:
            update = self._parse_edit(update, answer.edited)
        if isinstance(update, WorkflowUpdate):
            world.machine.fire(Event.UPDATE_WORKFLOW_CONFIRMED)
            target = apply_workflow(update, world.memory.progress)
            if target is not None:
                world.memory.jump = Jump(stage_id=target, leaves_out=False)
        else:
            world.machine.fire(Event.UPDATE_STEP_CONFIRMED)
            self._apply_steps(update)
        world.memory.counts.plan_revisions += 1
        self._forget_unknown_wish()
        self._publish_decision(pending, answer)
        return ActionResult(success=True)

    def _apply_steps(self, update: StageStepsUpdate) -> None:
        memory = self._world.memory
        apply_steps(update, memory.progress)
        if update.next_step_id is not None and update.stage_id == memory.progress.stage_id:
            memory.jump = Jump(step_id=update.next_step_id, leaves_out=False)

    def _rejected(self, pending: Pending, answer: Answer, *, workflow: bool) -> ActionResult:
        world = self._world
        reason = f": {answer.reason}" if answer.reason else ""
        event = Event.UPDATE_WORKFLOW_REJECTED if workflow else Event.UPDATE_STEP_REJECTED
        world.machine.fire(event)
        self._forget_unknown_wish()
        self._publish_decision(pending, answer)
        what = "workflow" if workflow else "list of steps"
        world.effects.add(f"The person rejected the proposed {what}{reason}")
        if workflow:
            # The action did its work, which was to ask.
            return ActionResult(success=True)
        return ActionResult(success=False, error=f"the proposed {what} was rejected{reason}")

    def _forget_unknown_wish(self) -> None:
        """Where the planner wanted to go on may have been a part of what was not approved."""
        memory = self._world.memory
        try:
            check_wish(memory.jump, memory.progress, self._world.machine.state)
        except NotFoundError:
            memory.jump = None

    def check_edit(self, edited: Json) -> None:
        """Refuse an edited answer that would break the workflow, before it is taken."""
        pending = self._world.questions.pending
        if pending is None:
            return
        if pending.kind == "plan":
            check_workflow(WorkflowTemplate.parse(edited))
        elif pending.kind in ("workflow", "steps") and self._asked is not None:
            self._parse_edit(self._asked, edited)
        elif "source" not in pending.content:
            raise ProtocolError("this question cannot be edited: confirm or reject it")
        elif not isinstance(edited.get("source"), str):
            raise ProtocolError('edited code is sent as {"source": "the code, as text"}')

    def _parse_edit(self, update: Update, edited: Json) -> Update:
        changed = parse_update(kind_of(update), edited)
        check_update(changed, self._world.memory.progress)
        return changed

    def _pending_update(self, update: Update) -> Pending:
        progress = self._world.memory.progress
        changes = describe_changes(update, progress)
        before: Json = progress.template.to_wire()
        if isinstance(update, StageStepsUpdate):
            stage = progress.template.stage(update.stage_id)
            before = {
                "stage_id": update.stage_id,
                "updated_steps": [step.to_wire() for step in stage.steps] if stage else [],
            }
        summary = f"{len(changes)} change(s) to the plan"
        return self._pending(kind_of(update), summary, update.to_wire(), before, changes)

    # -- the other places of U9 and U3 ------------------------------------------------------

    async def of_plan(self) -> bool:
        """U3: the plan itself, before the first stage."""
        if not self._world.settings.approve_plan or self._world.approval == "none":
            return True
        template = self._world.memory.progress.template
        pending = self._pending("plan", "Start this workflow?", template.to_wire())
        answer = await self._ask(pending)
        self._publish_decision(pending, answer)
        if answer.verdict == "confirmed" and answer.edited is not None:
            changed = WorkflowTemplate.parse(answer.edited)
            check_workflow(changed)
            self._world.memory.progress.template = changed
        return answer.verdict == "confirmed"

    async def of_behavior(self) -> bool:
        if self._world.approval not in ("behaviors", "code"):
            return True
        progress = self._world.memory.progress
        content: Json = {
            "stage_id": progress.stage_id,
            "step_id": progress.step_id,
            "behavior_id": progress.behavior_id,
            "goal": progress.behavior_goal or (progress.step.purpose if progress.step else None),
        }
        return await self._allowed("behavior", "Run the next behavior of this step?", content)

    async def of_repeat(self, cell_id: str | None) -> bool:
        """Code that may have run before the process stopped is not run again unasked."""
        if self._world.approval == "none":
            return False
        summary = "This cell may have been running when the server stopped. Run it again?"
        return await self._allowed("code", summary, {"codecell_id": cell_id})

    async def of_rebuild(self, cell_ids: list[str]) -> bool:
        """Whether to run the cells of this run again, because their kernel is gone. Without their
        variables nothing that follows would be true, so that policy `none` says yes."""
        if self._world.approval == "none":
            return True
        cells = "1 cell" if len(cell_ids) == 1 else f"{len(cell_ids)} cells"
        summary = f"The kernel is a new one. Run {cells} again to rebuild it?"
        return await self._allowed("rebuild", summary, {"cell_ids": list(cell_ids)})

    async def of_code(self, action: ExecAction) -> bool:
        if self._world.approval != "code":
            return True
        name = action.codecell_id
        cell_id = self._world.memory.cell_named(name)
        text = await self._world.notebook.text_of(cell_id) if cell_id else None
        if cell_id is None or text is None or text.cell_type != "code":
            # Nothing would run; the action itself says why.
            return True
        content: Json = {"codecell_id": name, "cell_id": cell_id, "source": text.source}
        answer = await self._decide("code", "Run this cell?", content)
        if answer.verdict == "confirmed" and answer.edited is not None:
            await self._world.notebook.set_source(cell_id, answer.edited["source"])
            self._world.effects.add(f"The person changed the code of cell {name} before it ran")
        return answer.verdict == "confirmed"

    async def _allowed(self, kind: ProposalKind, summary: str, content: Json) -> bool:
        return (await self._decide(kind, summary, content)).verdict == "confirmed"

    async def _decide(self, kind: ProposalKind, summary: str, content: Json) -> Answer:
        pending = self._pending(kind, summary, content)
        answer = await self._ask(pending)
        self._publish_decision(pending, answer)
        if answer.verdict == "confirmed":
            return answer
        reason = f": {answer.reason}" if answer.reason else ""
        tally = self._world.memory.tally
        tally.last_result = f"rejected by the person{reason}"
        tally.refused = tally.refused or kind in ("behavior", "code")
        self._world.effects.add(f"The person did not allow this {kind}{reason}")
        return answer

    # -- asking -----------------------------------------------------------------------------

    async def _ask(self, pending: Pending) -> Answer:
        with self._world.activity.resting():
            return await self._world.questions.ask(pending, lambda: self._tell(pending))

    def _tell(self, pending: Pending) -> None:
        self._world.publish("pending", pending.model_dump(mode="json"))

    def _pending(
        self,
        kind: ProposalKind,
        summary: str,
        content: Json,
        before: Json | None = None,
        changes: list[Any] | None = None,
    ) -> Pending:
        return Pending(
            id=uuid.uuid4().hex,
            kind=kind,
            summary=summary,
            content=content,
            before=before,
            changes=changes or [],
            asked_at=utc_now(),
        )

    def _publish_decision(self, pending: Pending, answer: Answer) -> None:
        decision = Decision(
            proposal_id=pending.id,
            kind=pending.kind,
            verdict=answer.verdict,
            decided_by=answer.decided_by,
            reason=answer.reason,
            edited=answer.edited is not None,
        )
        self._world.memory.decision = decision
        self._world.publish("decision", decision.model_dump(mode="json"))
