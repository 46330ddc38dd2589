"""N12: the times of a run and of its parts are those of the work, not of the waiting."""

from datetime import datetime

import pytest

from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.state import STATES, Rest, RunState
from notebook_bcc_ext.protocol import clock as clock_of_product
from notebook_bcc_ext.protocol.browser.facts import (
    Asked,
    RestBegan,
    RestEnded,
    StatusTold,
    TakenUp,
)
from notebook_bcc_ext.protocol.states import Event, State
from tests.engine.harness import lab
from tests.engine.test_activity import Story
from tests.support.planner_answers import RUN, add, say

HOUR = 3600


def seconds(node, end=None):
    """What is shown for it."""
    began, ended = (datetime.fromisoformat(at) for at in (node.started_at, end or node.ended_at))
    return round((ended - began).total_seconds() - node.rested_ms / 1000)


@pytest.fixture
def story():
    return Story()


def rest(story, seconds=HOUR):
    story.tell(RestBegan())
    assert story.state.rest.since is not None
    story.later(seconds)
    story.tell(RestEnded())
    assert story.state.rest.since is None


def test_n12_a_rest_counts_for_everything_that_is_open(story):
    story.enter()
    story.later(5)
    story.begin("a")
    story.later(2)
    rest(story)
    story.later(3)
    story.end("a", cell_id="c")
    story.enter(stage="end", step="report")

    assert round(story.state.rest.total_ms / 1000) == HOUR
    assert seconds(story.node("load/read/1/a")) == 5
    for key in ("load", "load/read", "load/read/1"):
        assert seconds(story.node(key)) == 10, key


def test_n12_what_begins_after_a_rest_did_not_rest(story):
    story.enter()
    rest(story)
    story.enter(stage="end", step="report")
    assert story.node("end").rested_ms == 0


def test_n12_what_is_stopped_while_it_rests_ends_with_its_work(story):
    story.enter()
    story.later(4)
    story.tell(RestBegan())
    story.later(HOUR)
    story.fire(Event.CANCEL, State.BEHAVIOR_RUNNING)
    assert seconds(story.node("load/read")) == 4


def test_n12_the_time_between_a_failure_and_the_next_attempt_is_no_work(story):
    story.enter()
    story.later(4)
    story.fire(Event.FAIL, State.ACTION_RUNNING)
    story.tell(RestBegan())
    story.later(HOUR)
    story.fire(Event.START_BEHAVIOR, State.ERROR)
    story.tell(RestEnded())
    story.later(6)
    story.enter(stage="end", step="report")
    step = story.node("load/read")
    assert (step.attempts, seconds(step)) == (2, 10)


def test_n12_what_takes_the_time_is_told_from_the_end_of_a_rest(story):
    story.enter()
    before = story.log.doing.since
    rest(story)
    after = story.log.doing.since
    assert datetime.fromisoformat(after) > datetime.fromisoformat(before)
    assert story.log.doing.what == "generating"


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_n12_the_time_without_a_process_is_no_work(story, how):
    story.enter()
    story.later(4)
    story.begin("a")
    if how == "stopped":
        story.tell(RestBegan())

    later = Story()
    later.log, later.state = ActivityLog(), RunState()
    later.recall(story.facts)
    later.later(4 + HOUR)
    later.tell(TakenUp(), RestEnded())
    later.end("a", cell_id="c")
    later.later(6)
    later.enter(stage="end", step="report")
    assert seconds(later.node("load/read/1/a")) == 0
    assert seconds(later.node("load/read")) == 10
    assert round(later.state.rest.total_ms / 1000) == HOUR


# -- in a run -------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """The clock of the product, moved by hand. Only what the test says takes time."""
    story = Story()

    class ByHand(datetime):
        @classmethod
        def now(cls, tz=None):
            return story.now().astimezone(tz)

    monkeypatch.setattr(clock_of_product, "datetime", ByHand)
    return story


def rested(room):
    return round(room.run.view().rested_ms / 1000)


async def test_n12_the_wait_for_an_answer_is_no_work(tmp_path, clock):
    async with lab(tmp_path, request={"approval": "code"}) as room:
        room.planner.step("read", behaviors=[[add("x = 1"), RUN]])
        await room.go()
        view = room.run.view()
        assert (view.status, view.resting_since is not None) == ("waiting", True)
        while room.run.status == "waiting":
            clock.later(HOUR)
            await room.answer("confirm")
        questions = len(room.events.of(Asked))
        assert room.run.status == "done"
        assert questions > 0
        assert rested(room) == questions * HOUR
        step = next(n for n in room.run.world.ledger.activity.since(0) if n.level == "step")
        assert step.rested_ms >= HOUR * 1000
        assert seconds(step) < HOUR


async def test_n12_a_pause_is_no_work_but_the_cell_that_still_runs_is(tmp_path, clock):
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[say("1"), say("2")]])

        def pause_in_the_midst(context, action, result):
            room.run.world.gate.pause()
            clock.later(7)

        room.run.world.registry.after(pause_in_the_midst, "add")
        room.run.start()
        await room.events.until(lambda: room.run.view().resting_since is not None)
        assert room.run.status == "paused"
        told = room.events.of(StatusTold)[-1]
        assert told.status == "paused", "whoever looks hears that the clock stands"
        clock.later(HOUR)
        await room.command("resume")
        await room.events.until(lambda: rested(room) >= HOUR)
        step = next(n for n in room.run.world.ledger.activity.since(0) if n.level == "step")
        assert round(step.rested_ms / 1000) == HOUR, "and the 7 seconds are work"


async def test_n12_a_failed_run_that_is_tried_again_has_rested(tmp_path, clock):
    async with lab(tmp_path, request={"approval": "none"}) as room:
        room.planner.step("read", behaviors=[[add("1 / 0"), RUN]])
        await room.go()
        assert (room.run.status, room.run.view().resting_since is not None) == ("failed", True)
        clock.later(HOUR)
        await room.command("retry")
        await room.to_rest()
        assert rested(room) == HOUR


def test_n12_a_run_that_was_stored_before_rests_were_counted_is_taken_up():
    stored = STATES.dump_python(RunState(), mode="json")
    del stored["rest"]
    assert STATES.validate_python(stored).rest == Rest()
