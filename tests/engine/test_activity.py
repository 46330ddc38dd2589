"""The tree of a run: where each node begins and ends, how often, and what is new since when."""

from datetime import UTC, datetime, timedelta

import pytest

from notebook_bcc_ext.engine import activity
from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.observation.progress import ProgressTracker
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import OutputsProduced

START = datetime(2026, 1, 1, tzinfo=UTC)
TEMPLATE = {
    "stages": [
        {"id": "load", "name": "Load", "steps": [{"id": "read", "name": "Read"}, {"id": "look"}]},
        {"id": "end", "steps": [{"id": "report"}]},
    ]
}


class Story:
    """Events as the engine publishes them, in its order."""

    def __init__(self):
        self._now = START
        self.progress = ProgressTracker(WorkflowTemplate.parse(TEMPLATE))
        self.log = ActivityLog(clock=self._tick)
        self._number = 0

    def _tick(self):
        """Everything takes a moment: no two times are the same."""
        self._now += timedelta(milliseconds=1)
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def later(self, seconds):
        self._now += timedelta(seconds=seconds)

    def fire(self, start, event, end):
        self.tell("transition", {"from": start, "event": event, "to": end})

    def tell(self, kind, payload):
        self.log.note(kind, payload, self.progress)

    def action(self, *, success=True, cell_id=None):
        self._number += 1
        one = {"action_id": f"action-{self._number}", "label": f"add: {self._number}"}
        self.tell("action", {**one, "change": "started"})
        error = None if success else "boom"
        ending = {"change": "finished", "success": success, "error": error, "cell_id": cell_id}
        self.tell("action", {**one, **ending})

    def node(self, key):
        return next(node for node in self.log.since(0, 1000) if node.key == key)

    def enter(self, stage="load", step="read"):
        self.progress.enter_stage(stage)
        self.progress.enter_step(step)
        self.progress.enter_behavior()
        self.tell("planner", {"call": "generating"})


@pytest.fixture
def story():
    return Story()


def test_nodes_open_where_the_run_goes_and_close_when_it_leaves(story):
    story.enter()
    story.action(cell_id="c1")
    story.fire("action_completed", "COMPLETE_BEHAVIOR", "behavior_completed")
    story.progress.complete_step(OutputsProduced())
    story.fire("behavior_completed", "COMPLETE_STEP", "step_completed")
    story.progress.enter_step("look")
    story.tell("planner", {"call": "planning"})

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
    story.fire("action_running", "FAIL", "error")
    assert {node.status for node in story.log.since(0, 1000)} == {"failed"}
    assert story.node("load/read/1/action-1").error == "boom"

    story.fire("error", "START_BEHAVIOR", "behavior_running")
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
    story.tell("judgement", {"focus": {"steps": "Read it", "behaviors": "First look"}})
    assert story.node("load/read").words == "Read it"
    assert story.node("load/read/1").words == "First look"
    assert story.node("load").words is None


def test_what_takes_the_time_is_known(story):
    story.tell("kernel", {"change": "starting"})
    assert story.log.doing is not None
    assert story.log.doing.what == "kernel"
    story.enter()
    assert story.log.doing is not None
    assert story.log.doing.what == "generating"
    story.tell("cell", {"cell_id": "c1", "change": "running"})
    assert (story.log.doing.what, story.log.doing.cell_id) == ("cell", "c1")
    story.tell("pending", {})
    assert story.log.doing is None


def test_a_reset_begins_a_new_tree(story):
    story.enter()
    story.fire("error", "RESET", "idle")
    assert (story.log.epoch, story.log.since(0, 1000)) == (1, [])


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
    story.tell("action", {"action_id": "action-2", "label": "exec", "change": "started"})

    later = Story()
    later.progress = story.progress
    later.log.recall(story.log.since(0), story.progress, story.node("load").started_at)
    assert later.log.epoch != story.log.epoch
    assert later.node("load/read/1/action-1").cell_id == "c1"
    # It was under way: it is still to come, and then done as if nothing had been.
    assert later.node("load/read/1/action-2").status == "pending"
    later.tell("planner", {"call": "generating"})
    assert later.node("load/read/1").attempts == 1
    later.action()
    later.action(cell_id="c2")
    assert later.node("load/read/1/action-2").cell_id == "c2"


def test_an_action_whose_cell_is_there_is_done(story):
    story.enter()
    story.tell("action", {"action_id": "action-1", "label": "add: x", "change": "started"})
    later = Story()
    later.progress = story.progress
    later.log.recall(story.log.since(0), story.progress, story.node("load").started_at)
    later.log.settle(success=True, cell_id="c1")
    adopted = later.node("load/read/1/action-1")
    assert (adopted.status, adopted.cell_id) == ("done", "c1")
    assert adopted.ended_at is not None
