"""Where a run stops for the person (U2-U9). The policy decides where; nothing is done unasked."""

from __future__ import annotations

import uuid
from typing import Any, Literal

from notebook_bcc_ext.actions.context import ActionResult
from notebook_bcc_ext.engine.proposals import (
    Update,
    check_update,
    check_workflow,
    describe_changes,
    kind_of,
    parse_update,
)
from notebook_bcc_ext.engine.state import Question
from notebook_bcc_ext.engine.wishes import check_wish
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import NotFoundError, ProtocolError
from notebook_bcc_ext.protocol.browser.facts import (
    Answered,
    Asked,
    EffectAdded,
    Jumped,
    PlanAdopted,
    PlanChanged,
    QuestionClosed,
)
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending, ProposalKind
from notebook_bcc_ext.protocol.clock import utc_now
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowTemplate, WorkflowUpdate
from notebook_bcc_ext.protocol.planner.actions import ExecAction
from notebook_bcc_ext.protocol.states import Event

Json = dict[str, Any]


class Approval:
    def __init__(self, world: World) -> None:
        self._world = world

    # -- proposals --------------------------------------------------------------------------

    async def of_update(self, update: Update) -> ActionResult:
        """UPDATE_*, the question, the answer, and its event. Asked also with policy `none`:
        that policy's answer is yes, so that a headless run can go on."""
        ledger, workflow = self._world.ledger, isinstance(update, WorkflowUpdate)
        pending = self._pending_update(update)
        ledger.fire(Event.UPDATE_WORKFLOW if workflow else Event.UPDATE_STEP)
        if self._world.approval == "none":
            ledger.record(Asked(question=pending))
            ledger.record(Answered(decision=decision_on(pending, "confirmed", by="policy")))
        else:
            with self._world.resting():
                await self._world.questions.ask(pending)
        return self._take_answer()

    async def of_asked(self) -> ActionResult:
        """The proposal that was before the person when the process stopped."""
        with self._world.resting():
            await self._world.questions.wait()
        return self._take_answer()

    def _take_answer(self) -> ActionResult:
        """What the person decided comes into force, all of it at once."""
        world, asked = self._world, self._world.state.question
        if asked is None:
            raise ProtocolError("the question was withdrawn")
        update = _asked_update(asked.pending)
        workflow = isinstance(update, WorkflowUpdate)
        if asked.verdict == "rejected":
            return self._rejected(workflow=workflow)
        if asked.changes is not None:
            update = self._parse_edit(update, dict(asked.changes))
        confirmed = Event.UPDATE_WORKFLOW_CONFIRMED if workflow else Event.UPDATE_STEP_CONFIRMED
        world.ledger.fire(confirmed)
        world.ledger.record(
            PlanChanged(what=kind_of(update), update=update.to_wire()), QuestionClosed()
        )
        self._forget_unknown_wish()
        return ActionResult(success=True)

    def _rejected(self, *, workflow: bool) -> ActionResult:
        ledger, decision = self._world.ledger, self._world.state.decisions[-1]
        reason = f": {decision.reason}" if decision.reason else ""
        what = "workflow" if workflow else "list of steps"
        event = Event.UPDATE_WORKFLOW_REJECTED if workflow else Event.UPDATE_STEP_REJECTED
        ledger.fire(event)
        ledger.record(
            QuestionClosed(), EffectAdded(text=f"The person rejected the proposed {what}{reason}")
        )
        self._forget_unknown_wish()
        if workflow:
            # The action did its work, which was to ask.
            return ActionResult(success=True)
        return ActionResult(success=False, error=f"the proposed {what} was rejected{reason}")

    def _forget_unknown_wish(self) -> None:
        """Where the planner wanted to go on may have been a part of what was not approved."""
        state = self._world.state
        try:
            check_wish(state.jump, state.progress, state.state)
        except NotFoundError:
            self._world.ledger.record(Jumped())

    def check_edit(self, edited: Json) -> None:
        """Refuse an edited answer that would break the workflow, before it is taken."""
        pending = self._world.state.pending
        if pending is None:
            return
        if pending.kind == "plan":
            check_workflow(WorkflowTemplate.parse(edited))
        elif pending.kind in ("workflow", "steps"):
            self._parse_edit(_asked_update(pending), edited)
        elif "source" not in pending.content:
            raise ProtocolError("this question cannot be edited: confirm or reject it")
        elif not isinstance(edited.get("source"), str):
            raise ProtocolError('edited code is sent as {"source": "the code, as text"}')

    def _parse_edit(self, update: Update, edited: Json) -> Update:
        changed = parse_update(kind_of(update), edited)
        check_update(changed, self._world.state.progress)
        return changed

    def _pending_update(self, update: Update) -> Pending:
        progress = self._world.state.progress
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
        template = self._world.state.progress.template
        pending = self._pending("plan", "Start this workflow?", template.to_wire())
        answer = await self._ask(pending)
        changes = answer.changes
        if answer.verdict == "confirmed" and changes is not None:
            changed = WorkflowTemplate.parse(dict(changes))
            check_workflow(changed)
            self._world.ledger.record(PlanAdopted(workflow=changed.to_wire()))
        return answer.verdict == "confirmed"

    async def of_behavior(self) -> bool:
        if self._world.approval not in ("behaviors", "code"):
            return True
        progress = self._world.state.progress
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
        cell_id = self._world.state.cell_named(name)
        text = await self._world.notebook.text_of(cell_id) if cell_id else None
        if cell_id is None or text is None or text.cell_type != "code":
            # Nothing would run; the action itself says why.
            return True
        content: Json = {"codecell_id": name, "cell_id": cell_id, "source": text.source}
        answer = await self._decide("code", "Run this cell?", content)
        if answer.verdict == "confirmed" and answer.changes is not None:
            await self._world.notebook.set_source(cell_id, answer.changes["source"])
            text_told = f"The person changed the code of cell {name} before it ran"
            self._world.ledger.record(EffectAdded(text=text_told))
        return answer.verdict == "confirmed"

    async def _allowed(self, kind: ProposalKind, summary: str, content: Json) -> bool:
        return (await self._decide(kind, summary, content)).verdict == "confirmed"

    async def _decide(self, kind: ProposalKind, summary: str, content: Json) -> Question:
        answer = await self._ask(self._pending(kind, summary, content))
        if answer.verdict == "rejected":
            reason = self._world.state.decisions[-1].reason
            why = f": {reason}" if reason else ""
            told = f"The person did not allow this {kind}{why}"
            self._world.ledger.record(EffectAdded(text=told))
        return answer

    # -- asking -----------------------------------------------------------------------------

    async def _ask(self, pending: Pending) -> Question:
        with self._world.resting():
            answer = await self._world.questions.ask(pending)
        self._world.ledger.record(QuestionClosed())
        return answer

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


def decision_on(
    pending: Pending,
    verdict: Literal["confirmed", "rejected"],
    *,
    by: str | None,
    reason: str | None = None,
    edited: bool = False,
) -> Decision:
    return Decision(
        proposal_id=pending.id,
        kind=pending.kind,
        verdict=verdict,
        decided_by=by,
        reason=reason,
        edited=edited,
    )


def _asked_update(pending: Pending) -> Update:
    return parse_update("workflow" if pending.kind == "workflow" else "steps", pending.content)
