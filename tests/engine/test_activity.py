"""The tree of a run: where each node begins and ends, how often, and what is new since when."""

from datetime import UTC, datetime, timedelta

import pytest

from notebook_bcc_ext.engine import activity
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.fold import apply
from notebook_bcc_ext.engine.state import STATES, RunState
from notebook_bcc_ext.fsm import follow
from notebook_bcc_ext.protocol.browser.facts import (
    ActionBegan,
    ActionEnded,
    ActionUndone,
    Asked,
    BehaviorEntered,
    CellRunning,
    Failed,
    Judged,
    KernelStarting,
    PlanAdopted,
    PlannerCalled,
    Reset,
    StageEntered,
    StepEnded,
    StepEntered,
    Summed,
    TakenUp,
    Transitioned,
)
from notebook_bcc_ext.protocol.browser.runs import Pending, RunError
from notebook_bcc_ext.protocol.states import Event, State

START = datetime(2026, 1, 1, tzinfo=UTC)
TEMPLATE = {
    "stages": [
        {"id": "load", "name": "Load", "steps": [{"id": "read", "name": "Read"}, {"id": "look"}]},
        {"id": "end", "steps": [{"id": "report"}]},
    ]
}
SIGNS = (KernelStarting, CellRunning)


class Story:
    """What happens in a run, in the engine's order, at times that are moved by hand."""

    def __init__(self):
        self._now = START
        self.state = RunState()
        self.log = ActivityLog()
        self.facts = []
        self._number = 0
        self.tell(PlanAdopted(workflow=TEMPLATE))

    def now(self):
        """Everything takes a moment: no two times are the same."""
        self._now += timedelta(milliseconds=1)
        return self._now

    def tick(self):
        return self.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def later(self, seconds):
        self._now += timedelta(seconds=seconds)

    def tell(self, *news):
        for said in news:
            one = said.model_copy(update={"time": self.tick()})
            if not isinstance(one, SIGNS):
                self.facts.append(one)
                self.state = apply(self.state, one)
            self.log.note(one, self.state)

    def recall(self, facts):
        """Another process does, with what the first one stored."""
        for fact in facts:
            self.state = apply(self.state, fact)
            self.log.note(fact, self.state)

    def fire(self, event, start):
        end = follow(start, event)
        self.tell(
            Transitioned(
                number=self.state.transitions + 1, from_state=start, event=event, to_state=end
            )
        )

    def begin(self, action_id=None, label="exec"):
        self._number += 1
        action_id = action_id or f"action-{self._number}"
        self.tell(ActionBegan(number=self._number, action_id=action_id, type="exec", label=label))
        return action_id

    def end(self, action_id, *, success=True, cell_id=None):
        self.tell(
            ActionEnded(
                number=self._number,
                action_id=action_id,
                type="exec",
                success=success,
                error=None if success else "boom",
                cell_id=cell_id,
            )
        )

    def action(self, *, success=True, cell_id=None):
        self.end(self.begin(), success=success, cell_id=cell_id)

    def node(self, key):
        return next(node for node in self.log.since(0, 1000) if node.key == key)

    def enter(self, stage="load", step="read"):
        self.tell(StageEntered(stage_id=stage), StepEntered(step_id=step), BehaviorEntered())
        self.tell(PlannerCalled(call="generating"))


@pytest.fixture
def story():
    return Story()


def test_nodes_open_where_the_run_goes_and_close_when_it_leaves(story):
    story.enter()
    story.action(cell_id="c1")
    story.fire(Event.COMPLETE_BEHAVIOR, State.ACTION_COMPLETED)
    story.tell(StepEnded(present=[]))
    story.fire(Event.COMPLETE_STEP, State.BEHAVIOR_COMPLETED)
    story.tell(StepEntered(step_id="look"), PlannerCalled(call="planning"))

    states = {node.key: node.status for node in story.log.since(0, 1000)}
    assert states == {
        "load/read/1/action-1": "done",
        "load/read/1": "done",
        "load/read": "done",
        "load": "running",
        "load/look": "running",
    }
    read = story.node("load/read")
    assert (read.name, read.level, read.attempts) == ("Read", "step", 1)
    assert read.ended_at > read.started_at
    assert story.node("load/read/1/action-1").cell_id == "c1"
    assert story.node("load").ended_at is None


def test_a_failure_marks_the_way_down_and_a_retry_is_another_attempt(story):
    story.enter()
    story.action(success=False, cell_id="c1")
    story.fire(Event.FAIL, State.ACTION_RUNNING)
    assert {node.status for node in story.log.since(0, 1000)} == {"failed"}
    assert story.node("load/read/1/action-1").error == "boom"

    story.fire(Event.START_BEHAVIOR, State.ERROR)
    behavior = story.node("load/read/1")
    assert (behavior.status, behavior.attempts, behavior.ended_at) == ("running", 2, None)
    assert story.node("load").status == "running"


def test_coming_back_to_a_step_is_another_attempt(story):
    story.enter()
    story.enter(stage="end", step="report")
    story.enter()
    assert story.node("load/read").attempts == 2
    assert story.node("end/report").status == "done"


def test_only_what_changed_is_told_again(story):
    story.enter()
    seen = max(node.revision for node in story.log.since(0, 1000))
    story.action()
    fresh = story.log.since(seen, 1000)
    assert [node.key for node in fresh] == ["load/read/1/action-1"]
    assert story.log.since(fresh[-1].revision, 1000) == []
    assert len(story.log.since(0, 2)) == 2


def test_the_planners_words_stay_with_the_node_they_are_about(story):
    story.enter()
    said = [{"level": "steps", "focus": "Read it"}, {"level": "behaviors", "focus": "First look"}]
    answer = {"context_update": {"progress_update": said}}
    story.tell(Judged(level="step", verdict="not_yet", answer=answer))
    assert story.node("load/read").words == "Read it"
    assert story.node("load/read/1").words == "First look"
    assert story.node("load").words is None


def test_what_takes_the_time_is_known(story):
    story.tell(KernelStarting())
    assert story.log.doing is not None
    assert story.log.doing.what == "kernel"
    story.enter()
    assert story.log.doing is not None
    assert story.log.doing.what == "generating"
    story.tell(CellRunning(cell_id="c1"))
    assert (story.log.doing.what, story.log.doing.cell_id) == ("cell", "c1")
    question = Pending(id="q", kind="code", summary="?", content={}, asked_at="2026")
    story.tell(Asked(question=question))
    assert story.log.doing is None
    story.tell(CellRunning(cell_id="c1"))
    story.tell(Failed(error=RunError(message="m", kind="k", location={})))
    assert story.log.doing is None


def test_a_reset_begins_a_new_tree(story):
    story.enter()
    story.tell(Reset(variables={}))
    assert (story.log.epoch, story.log.since(0, 1000)) == (1, [])


def test_the_way_back_to_where_actions_are_asked_for_is_no_failure(story):
    story.enter()
    before = story.log.nodes()
    for number, (start, event) in enumerate(
        [(State.ACTION_RUNNING, Event.FAIL), (State.ERROR, Event.START_BEHAVIOR)], start=1
    ):
        end = follow(start, event)
        story.tell(
            Transitioned(number=number, from_state=start, event=event, to_state=end, going_on=True)
        )
    assert story.log.nodes() == before


def test_memory_is_bounded(story, monkeypatch):
    monkeypatch.setattr(activity, "MAX_ACTIONS", 3)
    story.enter()
    for _ in range(10):
        story.action()
    actions = [node for node in story.log.since(0, 1000) if node.level == "action"]
    assert [node.action_id for node in actions] == ["action-8", "action-9", "action-10"]


def test_another_process_goes_on_with_the_tree(story):
    story.enter()
    story.action(cell_id="c1")
    story.begin()

    later = Story()
    later.log, later.state = ActivityLog(), RunState()
    later.recall(story.facts)
    assert later.log.nodes() == story.log.nodes(), "the same facts make the same tree"
    later.tell(TakenUp())
    assert later.log.epoch != story.log.epoch
    assert later.node("load/read/1/action-1").cell_id == "c1"
    # It was under way: it is still to come, and then done as if nothing had been.
    assert later.node("load/read/1/action-2").status == "pending"
    later.tell(ActionUndone())
    later.tell(PlannerCalled(call="generating"))
    assert later.node("load/read/1").attempts == 1
    later._number = 1
    later.action(cell_id="c2")
    assert later.node("load/read/1/action-2").cell_id == "c2"


def test_an_action_whose_cell_is_there_is_done(story):
    story.enter()
    story.begin()
    story.tell(TakenUp())
    story.end("action-1", cell_id="c1")
    adopted = story.node("load/read/1/action-1")
    assert (adopted.status, adopted.cell_id) == ("done", "c1")
    assert adopted.ended_at is not None


def test_an_action_that_nobody_wants_again_is_left_as_it_is(story):
    story.enter()
    story.begin()
    story.tell(TakenUp(), ActionUndone(left=True))
    left = story.node("load/read/1/action-1")
    assert (left.status, left.cell_id) == ("done", None)


def test_a_sum_of_the_facts_has_the_tree(story):
    story.enter()
    story.action(cell_id="c1")
    whole = STATES.dump_python(story.state, mode="json")
    summed = Summed(state=whole, activity=story.log.nodes())

    later = Story()
    later.log, later.state = ActivityLog(), RunState()
    later.recall([summed])
    assert later.log.nodes() == story.log.nodes()
    for one in (story, later):
        one._number = 1
        one._now = START + timedelta(hours=1)
        one.action(cell_id="c2")
        one.enter(stage="end", step="report")
    assert later.log.nodes() == story.log.nodes()
