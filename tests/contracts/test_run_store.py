"""The contract of `RunStore`, on SQLite and on the fake."""

from __future__ import annotations

import pytest

from notebook_bcc_ext.adapters.store.runs import SqliteRunStore, StoreLimits
from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.engine.state import STATES, RunState
from notebook_bcc_ext.ports import CallRecord, StoredRun
from notebook_bcc_ext.protocol.browser.facts import (
    ActionBegan,
    Began,
    CellAdded,
    EffectAdded,
    Summed,
    Transitioned,
)
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.protocol.states import Event, State
from tests.support.fakes import MemoryStore

pytestmark = pytest.mark.contract

LIMITS = StoreLimits(calls=5, call_bytes=5_000)
REQUEST = {"notebook": "a.ipynb", "planner": {"kind": "embedded"}, "goal": "一"}


@pytest.fixture(params=["sqlite", "fake"])
def store(request):
    if request.param == "fake":
        return MemoryStore(LIMITS)
    return SqliteRunStore(request.getfixturevalue("database"), LIMITS)


def transition(number=1):
    return Transitioned(
        number=number,
        from_state=State.IDLE,
        event=Event.START_WORKFLOW,
        to_state=State.STAGE_RUNNING,
    )


def words(number):
    return EffectAdded(text=f"名 {number}")


def call(number, size=10):
    return CallRecord(
        number=number,
        kind="planning",
        url="http://planner/planning",
        started_at="2026-01-01T00:00:00Z",
        duration_ms=1.5,
        status=200,
        tries=1,
        request_bytes=size,
        answer_bytes=2,
        request="r" * size,
        answer="{}",
        location=CurrentLocation(stage_id="s", behavior_iteration=2),
    )


async def added(store, run_id, first, *facts, state=State.IDLE, notebook="a.ipynb"):
    await store.committed(store.post_facts(run_id, first, facts, state, notebook))


async def test_a_run_is_added_once_with_its_request(store):
    assert await store.run("r") is None
    await store.add_run("r", REQUEST)
    await store.add_run("r", {**REQUEST, "goal": "another"})
    assert await store.run("r") == StoredRun("r", REQUEST)
    assert await store.facts("r") == []


async def test_runs_are_listed_newest_first(store):
    for name in "abc":
        await store.add_run(name, {**REQUEST, "goal": name})
    await added(store, "a", 1, words(1))
    assert [run.run_id for run in await store.runs()] == ["c", "b", "a"]
    assert [run.request["goal"] for run in await store.runs()] == ["c", "b", "a"]


async def test_a_run_follows_its_notebook(store):
    await store.add_run("r", REQUEST)
    await added(store, "r", 1, words(1), notebook="b.ipynb")
    expected = StoredRun("r", {**REQUEST, "notebook": "b.ipynb"})
    assert await store.run("r") == expected
    assert await store.runs() == [expected]


async def test_facts_come_back_as_they_were_and_in_order(store):
    facts = [
        Began(variables={"名": [1, None, {"a": 2.5}]}),
        transition(),
        ActionBegan(number=1, action_id="action-1", type="add", label="add: x", digest="d"),
        CellAdded(cell_id="c", cell_type="code"),
    ]
    await store.add_run("r", REQUEST)
    store.post_facts("r", 1, facts[:1], State.IDLE, "a.ipynb")
    store.post_facts("r", 2, facts[1:3], State.STAGE_RUNNING, "a.ipynb")
    await added(store, "r", 4, facts[3])
    await added(store, "other", 1, words(1))
    assert await store.facts("r") == facts
    assert await store.facts("r", after=2) == facts[2:]
    assert await store.facts("nobody") == []


async def test_facts_that_are_given_again_are_stored_once(store):
    await store.add_run("r", REQUEST)
    facts = [words(number) for number in range(4)]
    await added(store, "r", 1, *facts[:2])
    await added(store, "r", 1, *facts[:2])
    await added(store, "r", 2, *facts[1:])
    assert await store.facts("r") == facts


async def test_facts_of_some_kinds_in_pages(store):
    await store.add_run("r", REQUEST)
    mixed = [fact for number in range(1, 6) for fact in (transition(number), words(number))]
    await added(store, "r", 1, *mixed)
    page = await store.facts_of("r", ["transition"], skip=2, limit=2)
    assert [fact.number for fact in page] == [3, 4]
    assert len(await store.facts_of("r", ["transition"])) == 5
    assert await store.facts_of("r", ["transition", "effect_added"]) == mixed
    assert await store.facts_of("nobody", ["transition"]) == []


async def test_a_sum_takes_the_place_of_all_facts_up_to_its_number(store):
    await store.add_run("r", REQUEST)
    facts = [Began(variables={}), *(words(number) for number in range(2, 7))]
    await added(store, "r", 1, *facts)
    state = fold(facts[:4])
    summed = Summed(state=STATES.dump_python(state, mode="json"))
    await store.committed(store.post_sum("r", 4, summed))
    assert await store.facts("r") == [summed, *facts[4:]]
    assert fold(await store.facts("r")) == fold(facts)
    assert await store.facts("r", after=4) == facts[4:]
    await added(store, "r", 7, words(7))
    assert fold(await store.facts("r")).facts == 7
    again = Summed(state=STATES.dump_python(RunState(facts=6), mode="json"))
    await store.committed(store.post_sum("r", 6, again))
    assert [fact.kind for fact in await store.facts("r")] == ["summed", "effect_added"]


async def test_what_is_written_together_is_there_together(store):
    await store.add_run("r", REQUEST)
    facts = [words(1), words(2)]
    with store.together():
        first = store.post_facts("r", 1, facts[:1], State.IDLE, "a.ipynb")
        second = store.post_facts("r", 2, facts[1:], State.IDLE, "a.ipynb")
    await store.committed(second)
    assert first.done()
    assert await store.facts("r") == facts


async def test_calls_come_back_as_they_were(store):
    await store.add_call("r", call(1))
    assert await store.calls("r") == [call(1)]
    assert await store.calls("nobody") == []


async def test_the_number_of_the_last_call(store):
    assert await store.last_call_number("r") == 0
    for number in (1, 2, 3):
        await store.add_call("r", call(number))
    await store.add_call("other", call(9))
    assert await store.last_call_number("r") == 3


async def test_only_so_many_calls_are_kept(store):
    for number in range(1, 9):
        await store.add_call("r", call(number))
    assert [kept.number for kept in await store.calls("r")] == [4, 5, 6, 7, 8]
    assert [kept.number for kept in await store.calls("r", after=5, limit=2)] == [6, 7]


async def test_only_so_many_bytes_of_calls_are_kept(store):
    for number in range(1, 4):
        await store.add_call("r", call(number, size=2_500))
    assert [kept.number for kept in await store.calls("r")] == [3]
    await store.add_call("r", call(4, size=9_000))
    assert [kept.number for kept in await store.calls("r")] == [4]


async def test_deleting_a_run_leaves_nothing_of_it(store):
    for run_id in ("r", "kept"):
        await store.add_run(run_id, REQUEST)
        await added(store, run_id, 1, words(1))
        await store.add_call(run_id, call(1))
    await store.delete_run("r")
    assert [run.run_id for run in await store.runs()] == ["kept"]
    assert await store.run("r") is None
    assert await store.facts("r") == []
    assert await store.calls("r") == []
    assert len(await store.facts("kept")) == len(await store.calls("kept")) == 1
