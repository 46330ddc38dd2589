"""Facts that a run could have had: made by a walk through the table, with what a run does on each
of its ways."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from notebook_bcc_ext.engine.fold import apply
from notebook_bcc_ext.engine.state import RunState
from notebook_bcc_ext.fsm import allowed_events, follow
from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending, RunError
from notebook_bcc_ext.protocol.states import Event, State

Json = dict[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)
WORKFLOW: Json = {
    "name": "W",
    "stages": [
        {"id": "a", "goal": "g", "expected": ["x"], "steps": [{"id": "a1"}, {"id": "a2"}]},
        {"id": "b", "steps": [{"id": "b1", "expected": ["y"]}]},
    ],
}
MORE = {"name": "W", "stages": [*WORKFLOW["stages"], {"id": "c", "steps": [{"id": "c1"}]}]}


class Life:
    """Facts that a run could have had, one small piece of work after the other; `choose` says which
    of some options it is."""

    def __init__(self, choose: Callable[[Sequence[Any]], Any]) -> None:
        self._choose = choose
        self._seconds = 0
        self.facts: list[Any] = []
        self.state = RunState()
        self.tell(happened.Began(variables={"goal": "g"}))
        self.tell(happened.PlanAdopted(workflow=WORKFLOW))

    def pick(self, *options: Any) -> Any:
        return self._choose(options)

    def flip(self) -> bool:
        return bool(self.pick("yes", ""))

    def likely(self) -> bool:
        return bool(self.pick("yes", "yes", ""))

    def names(self) -> list[str]:
        return list(self.pick((), ("x",), ("x", "y"), ("tmp", "kept")))

    def words(self) -> str:
        return str(self.pick("said", "中文 🎉", "x" * 5000, 'quote " \\', ""))

    def tell(self, *facts: Any) -> None:
        for fact in facts:
            self._seconds += 1
            now = START + timedelta(seconds=self._seconds)
            told = fact.model_copy(update={"time": now.isoformat().replace("+00:00", "Z")})
            self.facts.append(told)
            self.state = apply(self.state, told)

    def fire(self, event: Event, *, going_on: bool = False) -> None:
        before = self.state.state
        self.tell(
            happened.Transitioned(
                number=self.state.transitions + 1,
                from_state=before,
                event=event,
                to_state=follow(before, event),
                going_on=going_on,
            )
        )

    def go(self) -> None:
        """One of the ways that the table has from here, and what a run does on it."""
        for _ in range(self.pick(0, 1, 2)):
            self.aside()
        self.walk(self.pick(*allowed_events(self.state.state)))

    def walk(self, event: Event) -> None:  # noqa: C901, PLR0912, PLR0915
        progress = self.state.progress
        match event:
            case Event.START_WORKFLOW | Event.NEXT_STAGE:
                if self.state.state is State.ERROR:
                    self.fire(event)
                    self.tell(happened.Restarted(), happened.WentOn())
                else:
                    self.fire(event)
                stage = self.pick(*(stage.id for stage in progress.template.stages))
                self.tell(happened.StageEntered(stage_id=stage), happened.Jumped())
            case Event.START_STEP | Event.NEXT_STEP:
                stage = progress.stage
                if stage is None:
                    return
                self.judged("stage")
                self.fire(event)
                self.tell(happened.StepEntered(step_id=self.pick(*(s.id for s in stage.steps))))
            case Event.START_BEHAVIOR | Event.NEXT_BEHAVIOR:
                failed = self.state.state is State.ERROR
                self.fire(event)
                if failed:
                    self.tell(happened.Retried(anew=self.flip()), happened.WentOn())
                else:
                    self.tell(happened.BehaviorEntered(goal=self.words()))
                self.tell(happened.BehaviorBegan(resumed=self.state.resumable))
                if self.state.replaces is not None:
                    self.tell(happened.CellsReplaced(gone=list(self.state.executed_cells[-1:])))
            case Event.START_ACTION | Event.NEXT_ACTION:
                self.fire(event)
                number = self.state.counts.actions + 1
                self.tell(
                    happened.ActionBegan(
                        number=number,
                        action_id=f"action-{number}",
                        type="exec",
                        label=f"exec: {self.words()[:60]}",
                        digest=self.pick(None, f"d{number}"),
                        cell_id=self.state.last_code_cell,
                    )
                )
            case Event.COMPLETE_ACTION:
                self.work()
                if self.flip() and not self.likely():
                    # Another process found that it had not done anything.
                    self.tell(happened.TakenUp(), happened.ActionUndone(left=self.flip()))
                self.ended(success=self.likely())
                self.fire(event)
            case Event.UPDATE_WORKFLOW | Event.UPDATE_STEP:
                self.fire(event)
                self.ask("workflow" if event is Event.UPDATE_WORKFLOW else "steps")
            case Event.UPDATE_WORKFLOW_CONFIRMED:
                self.answer("confirmed")
                self.fire(event)
                plan = {"updated_workflow": MORE}
                self.tell(happened.PlanChanged(what="workflow", update=plan))
                self.tell(happened.QuestionClosed())
                self.ended(success=True)
            case Event.UPDATE_STEP_CONFIRMED:
                self.answer("confirmed")
                self.fire(event)
                update: Json = {"stage_id": "a", "updated_steps": [{"id": "a1"}, {"id": "a3"}]}
                self.tell(happened.PlanChanged(what="steps", update=update))
                self.tell(happened.QuestionClosed())
                self.ended(success=True)
            case Event.UPDATE_WORKFLOW_REJECTED | Event.UPDATE_STEP_REJECTED:
                self.answer("rejected")
                self.fire(event)
                self.tell(happened.QuestionClosed(), happened.EffectAdded(text="rejected"))
                self.ended(success=False)
            case Event.COMPLETE_BEHAVIOR:
                present = self.names()
                self.tell(happened.BehaviorChecked(present=present))
                self.judged("step", after_behavior=True)
                self.tell(happened.BehaviorEnded(present=present))
                self.fire(event)
            case Event.COMPLETE_STEP:
                self.tell(happened.StepEnded(present=self.names(), confirmed=self.flip()))
                self.fire(event)
            case Event.COMPLETE_STAGE:
                self.tell(happened.StageEnded(present=self.names(), judged=self.flip()))
                self.fire(event)
            case Event.FAIL:
                self.fire(event)
                error = RunError(message=self.words(), kind="k", location={})
                self.tell(happened.Failed(error=error, resumable=self.flip()))
            case Event.CANCEL:
                self.tell(happened.Cancelled())
                self.fire(event)
            case Event.RESET:
                self.fire(event)
                self.tell(happened.Reset(variables={"goal": "g"}), happened.CellsReplaced())
                self.tell(happened.PlanAdopted(workflow=WORKFLOW))
            case _:
                self.fire(event)

    def work(self) -> None:
        """What an action does."""
        match self.pick("cell", "code", "section", "thinking", "promote", "nothing"):
            case "cell":
                cell_id = f"c{self.state.facts}"
                kind = self.pick("markdown", "code")
                name = self.pick(None, "named")
                self.tell(happened.CellAdded(cell_id=cell_id, cell_type=kind, name=name))
            case "code":
                self.tell(
                    happened.CellRan(
                        cell_id=self.state.last_code_cell or "c",
                        status=self.pick("ok", "error", "gone"),
                        printed=self.words(),
                        kernel="k1",
                        theirs=self.pick(None, ["theirs"]),
                        present=self.pick(None, self.names()),
                    )
                )
            case "section":
                level = self.pick("chapter", "section")
                self.tell(happened.SectionBegan(level=level, number=1, section_id="s"))
            case "thinking":
                active = self.flip()
                self.tell(happened.ThinkingChanged(active=active, cell_id="c", text=self.words()))
            case "promote":
                artifact = {"artifact_id": "k@1", "variable_name": "k_1", "parent": "tmp"}
                self.tell(happened.Promoted(artifact=artifact, level="behaviors"))
            case _:
                pass

    def ended(self, *, success: bool) -> None:
        action = self.state.under_way
        if action is not None:
            self.tell(
                happened.ActionEnded(
                    number=action.number,
                    action_id=action.action_id,
                    type=action.type,
                    success=success,
                    refused=not success and self.flip(),
                    error=None if success else self.words(),
                    again=self.flip(),
                )
            )

    def judged(self, level: Any, *, after_behavior: bool = False) -> None:
        self.tell(happened.PlannerCalled(call="planning"))
        answer = {
            "targetAchieved": self.flip(),
            "transition": self.pick({}, {"next_step_id": "a2"}),
            "context_update": {
                "variables": {"v": self.words()},
                "progress_update": [{"level": self.pick("steps", "stages"), "focus": "here"}],
                "outputs": {"expected": self.names(), "in_progress": self.names(), "found": [1]},
                "effects_update": {"current": [self.words()], "history": []},
            },
            "context_filter": self.pick(None, {"variables_to_include": ["x"]}),
        }
        verdict = self.pick("achieved", "not_yet", "continues")
        self.tell(
            happened.Judged(
                level=level, verdict=verdict, answer=answer, after_behavior=after_behavior
            )
        )

    def ask(self, kind: Any) -> None:
        question = Pending(id="q", kind=kind, summary="?", content={}, asked_at="2026")
        self.tell(happened.RestBegan(), happened.Asked(question=question))

    def answer(self, verdict: Any) -> None:
        asked = self.state.question
        if asked is None:
            return
        decision = Decision(
            proposal_id="q", kind=asked.pending.kind, verdict=verdict, reason=self.words()
        )
        self.tell(happened.Answered(decision=decision), happened.RestEnded())

    def aside(self) -> None:
        """What may happen anywhere."""
        self.tell(
            self.pick(
                happened.TakenUp(),
                happened.Commanded(command="pause"),
                happened.RestBegan(),
                happened.RestEnded(),
                happened.Noticed(text=self.words(), about=self.pick(None, "name:x")),
                happened.WarningsSettled(about=["name:x"]),
                happened.EffectAdded(text=self.words()),
                happened.EffectsMoved(),
                happened.KernelFound(identity="k2"),
                happened.NamesSeen(present=self.names()),
                happened.NamesOverwritten(rebound=["theirs"]),
                happened.LineSkipped(why="no", digest=self.pick(None, "d")),
                happened.LinesForgotten(keep=0),
                happened.ActionsSkipped(count=2),
                happened.RepairAsked(message="m"),
                happened.NotJudged(),
                happened.ProposalsCarried(actions=[{"action": "update_workflow"}]),
                happened.ProposalTaken(),
                happened.VerdictKept(level=self.pick(None, "step"), achieved=True),
                happened.PassedOver(steps=["a2"], taken_up=self.pick(None, "a1")),
                happened.BehaviorNamed(behavior_id="own", goal="g"),
                happened.TemporariesDeclared(level="steps", names=["tmp"], present=[]),
                happened.CallEnded(
                    number=1,
                    call="planning",
                    status=200,
                    tries=1,
                    duration_ms=1.5,
                    request_bytes=10,
                    answer_bytes=10,
                ),
                happened.ContextUpdated(answer={"context_update": {"variables": {"w": 1}}}),
            )
        )


def some_lives() -> Iterator[list[Any]]:
    """The same ones every time."""
    for seed in range(40):
        life = Life(random.Random(seed).choice)  # noqa: S311
        for _ in range(60):
            life.go()
        yield life.facts
