"""The contract of `RunStore`, on SQLite and on the fake."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from notebook_bcc_ext.adapters.store.runs import SqliteRunStore, StoreLimits
from notebook_bcc_ext.errors import NotFoundError, StoreError
from notebook_bcc_ext.ports import ActivityChanges, CallRecord, StoredProposal
from notebook_bcc_ext.protocol.browser.runs import ActivityNode
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation, TransitionRecord
from tests.support.fakes import MemoryStore

pytestmark = pytest.mark.contract

LIMITS = StoreLimits(calls=5, call_bytes=5_000, transitions=20)


@pytest.fixture(params=["sqlite", "fake"])
def store(request):
    if request.param == "fake":
        return MemoryStore(LIMITS)
    return SqliteRunStore(request.getfixturevalue("database"), LIMITS)


def transition(number):
    return TransitionRecord(
        from_state="idle", event=f"E{number}", to_state="stage_running", timestamp="2026-01-01"
    )


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


def proposal(proposal_id="p", run_id="r"):
    return StoredProposal(proposal_id, run_id, "workflow", {"stages": [{"id": "一"}]})


def node(key, revision, status="running"):
    return ActivityNode(
        key=key,
        level="stage",
        revision=revision,
        stage_id="load",
        name="一",
        status=status,
        started_at="2026-01-01",
    )


async def added(store, run_id, records):
    await asyncio.wrap_future(store.post_transitions(run_id, records))


async def test_a_run_is_saved_replaced_and_loaded(store):
    assert await store.load_run("r") is None
    await store.save_run("r", {"state": "idle", "名": [1, None]})
    await store.save_run("r", {"state": "error"})
    assert await store.load_run("r") == {"state": "error"}


async def test_steps_replace_parts_of_a_snapshot_and_leave_a_trail_until_the_next_one(store):
    await store.save_run("r", {"state": "idle", "kept": 1})
    store.post_intent("r", {"number": 1})
    assert await store.intent("r") == {"number": 1}
    store.post_step("r", '{"state": "running"}', [["line", "a"], ["mark", {"b": 1}]])
    store.post_step("r", '{"state": "resting"}', [])
    store.post_step("r", '{"state": "again"}', [["line", "名"]])
    assert await store.intent("r") is None
    trail = [["line", "a"], ["mark", {"b": 1}], ["line", "名"]]
    whole = {"state": "again", "kept": 1, "trail": trail}
    assert await store.load_run("r") == whole
    assert await store.list_runs() == [{"id": "r", **whole}]
    await store.save_run("r", {"state": "done"})
    assert await store.load_run("r") == {"state": "done"}
    store.post_step("r", "{}", [["line", "b"]])
    await asyncio.wrap_future(store.post_run("r", {"state": "whole"}))
    assert await store.load_run("r") == {"state": "whole"}


async def test_runs_are_listed_newest_first(store):
    for name in "abc":
        await store.save_run(name, {"id": name})
    await store.save_run("a", {"id": "a", "again": True})
    assert [run["id"] for run in await store.list_runs()] == ["c", "b", "a"]


async def test_transitions_are_numbered_and_paged(store):
    for number in range(1, 6):
        await added(store, "r", [transition(number)])
    await added(store, "other", [transition(99)])
    page = await store.transitions("r", after=2, limit=2)
    assert [(number, record.event) for number, record in page] == [(3, "E3"), (4, "E4")]
    assert len(await store.transitions("r")) == 5
    assert page[0][1].to_wire()["from"] == "idle"


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


async def test_the_first_decision_stands(store):
    await store.add_proposal(proposal())
    open_one = await store.proposal("p")
    assert open_one == proposal()
    confirmed = dataclasses.replace(
        open_one, decision="confirmed", decided_by="ann", edited={"stages": []}
    )
    rejected = dataclasses.replace(open_one, decision="rejected", decided_by="bob", reason="no")
    assert await store.decide_proposal(confirmed) == confirmed
    assert await store.decide_proposal(rejected) == confirmed
    assert await store.proposal("p") == confirmed


async def test_of_many_at_once_one_decision_wins(store):
    await store.add_proposal(proposal())
    answers = await asyncio.gather(
        *(
            store.decide_proposal(
                dataclasses.replace(proposal(), decision="confirmed", decided_by=f"user{number}")
            )
            for number in range(20)
        )
    )
    assert len({answer.decided_by for answer in answers}) == 1


async def test_the_proposals_of_a_run_in_the_order_they_were_asked(store):
    for name, asked_at in (("b", "2026-01-02"), ("a", "2026-01-03"), ("c", "2026-01-01")):
        await store.add_proposal(StoredProposal(name, "r", "steps", {"asked_at": asked_at}))
    await store.add_proposal(proposal("d", "other"))
    decided = dataclasses.replace((await store.proposals("r"))[1], decision="rejected", reason="no")
    await store.decide_proposal(decided)
    found = await store.proposals("r")
    assert [one.id for one in found] == ["c", "b", "a"]
    assert found[1] == decided
    assert await store.proposals("nobody") == []


async def test_offering_a_proposal_again_does_not_reopen_it(store):
    await store.add_proposal(proposal())
    decided = dataclasses.replace(proposal(), decision="cancelled")
    await store.decide_proposal(decided)
    await store.add_proposal(proposal())
    assert await store.proposal("p") == decided


async def test_bad_decisions_are_refused(store):
    with pytest.raises(NotFoundError, match="no proposal p"):
        await store.decide_proposal(dataclasses.replace(proposal(), decision="confirmed"))
    with pytest.raises(StoreError, match="decision is missing"):
        await store.decide_proposal(proposal())
    assert await store.proposal("p") is None


async def test_the_tree_comes_back_in_the_order_of_its_changes(store):
    await store.save_run("r", {}, ActivityChanges((node("load", 1), node("load/read", 2))))
    store.post_step("r", "{}", [], ActivityChanges((node("load", 3, status="done"),)))
    await store.save_run("other", {}, ActivityChanges((node("load", 9),)))
    tree = await store.activity("r")
    assert [(one.key, one.status) for one in tree] == [("load/read", "running"), ("load", "done")]
    store.post_step("r", "{}", [], ActivityChanges(gone=("load/read",)))
    assert [one.key for one in await store.activity("r")] == ["load"]
    await store.save_run("r", {}, ActivityChanges((node("explore", 4),), all_gone=True))
    assert [one.key for one in await store.activity("r")] == ["explore"]


async def test_deleting_a_run_leaves_nothing_of_it(store):
    for run_id in ("r", "kept"):
        await store.save_run(run_id, {"id": run_id}, ActivityChanges((node("load", 1),)))
        await added(store, run_id, [transition(1)])
        await store.add_call(run_id, call(1))
        await store.add_proposal(proposal(f"of-{run_id}", run_id))
    await store.delete_run("r")
    assert [run["id"] for run in await store.list_runs()] == ["kept"]
    assert await store.transitions("r") == []
    assert await store.calls("r") == []
    assert await store.activity("r") == []
    assert await store.proposal("of-r") is None
    assert len(await store.transitions("kept")) == len(await store.calls("kept")) == 1
    assert len(await store.activity("kept")) == 1
    assert await store.proposal("of-kept") is not None
