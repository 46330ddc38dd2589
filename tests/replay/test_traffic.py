"""Whatever a planner sent, and however it failed, a replay leads to the same cells."""

from __future__ import annotations

import json

import pytest

from tests.replay.recordings import bcc, exported, replay, sources
from tests.support.planner_answers import CUT, RUN, Reply, Stream, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

FAILING = add("1 / 0")


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


async def recorded(place, planner, *arguments, expect=0, **settings):
    """A run at that planner, and its replay with none of its settings: both gave these cells."""
    run = ["run", "--planner", planner.url, "--notebook", "out.ipynb", "--record", "run.json"]
    first = await bcc(place, *run, *arguments, settings=settings)
    assert first.code == expect, first.out + first.err
    asked = len(planner.requests)
    again = await replay(place, place / "run.json")
    assert again.code == expect, again.out + again.err
    assert again.err == ""
    assert len(planner.requests) == asked
    assert sources(place / "again.ipynb") == sources(place / "out.ipynb")
    return sources(place / "out.ipynb")


async def test_streams_with_lines_that_are_none(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[]])
        not_utf8 = b'{"action": {"action": "add", "shot_type": "dialogue", "content": "\xff"}}\n'
        lines = (
            {"behavior": {"id": "b", "target": "to see"}},
            {"action": say("数据 – “quoted”\r\n")},
            "no JSON",
            not_utf8,
            b"\n",
            {"action": {"action": "unheard-of"}},
            json.dumps({"action": say("last")}).encode(),
        )
        planner.on("generating", Stream(*lines))
        cells = await recorded(place, planner)
    assert cells == ["数据 – “quoted”", "last"]


@pytest.mark.parametrize("indent", [None, 2])
async def test_a_whole_document(place, indent):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[]])
        document = {"behavior": {"id": "b"}, "actions": [add("x = 1"), RUN, say("two")]}
        planner.on("generating", Reply(body=json.dumps(document, indent=indent)))
        cells = await recorded(place, planner, BCC_STREAM="false")
    assert cells == ["x = 1", "two"]


async def test_the_older_dialect(place):
    plan = {"name": "p", "stages": [{"id": "a", "steps": [{"id": "s1"}, {"id": "s2"}]}]}
    (place / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    async with ScriptedPlanner() as planner:
        planner.step("s1", behaviors=[[add("x = 1"), RUN], [say("second")]])
        planner.step("s2", behaviors=[[say("third")]])
        planner.on("v1/actions", Reply(503), times=1)
        cells = await recorded(place, planner, "--workflow", "plan.json", BCC_DIALECT="v1")
    assert cells == ["x = 1", "second", "third"]


async def test_calls_that_were_tried_again_or_failed_for_good(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1", "s2"]})
        planner.step("s1", behaviors=[[say("one")]])
        planner.step("s2", behaviors=[[say("two")]])
        # Tried again; and no judgement at all: the run goes on as if it were not reached.
        planner.on("planning", Reply(500), times=1, state="STAGE_RUNNING")
        planner.on("planning", Reply(503, {"error": "busy"}), times=3, step="s2", is_feedback=False)
        planner.on("generating", Reply(502), times=2)
        cells = await recorded(place, planner)
        calls = json.loads((place / "run.json").read_text("utf-8"))["calls"]
    assert cells == ["one", "two"]
    assert [call["tries"] for call in calls if call["tries"] > 1] == [2, 3, 3]
    assert [call["number"] for call in calls if call["error"]] == [6]


async def test_feedback_without_an_answer_fails_again(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one")]])
        planner.on("planning", Reply(500), times=None, is_feedback=True)
        cells = await recorded(place, planner, expect=1)
    assert cells == ["one"]


async def test_a_stream_that_broke_breaks_again(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[]])
        half = b'{"action": {"action": "add", "shot_type": "dia'
        planner.on("generating", Stream({"action": say("one")}, half, CUT))
        cells = await recorded(place, planner, expect=1)
    assert cells == ["one"]


@pytest.mark.parametrize(("policy", "code"), [("fail", 1), ("continue", 0)])
async def test_a_failing_cell(place, policy, code):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[FAILING, RUN, say("after")]])
        cells = await recorded(place, planner, expect=code, BCC_ON_ACTION_ERROR=policy)
    assert cells == (["1 / 0"] if code else ["1 / 0", "after"])


async def test_a_limit_that_stopped_the_run(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one"), say("two"), say("three")]])
        run = ["run", "--planner", planner.url, "--notebook", "out.ipynb", "--record", "run.json"]
        assert (await bcc(place, *run, "--max-steps", "2")).code == 4
    again = await replay(place, place / "run.json")
    assert again.code == 4
    assert "this is as far as the recorded run came before it was paused" in again.err
    assert sources(place / "again.ipynb") == ["one", "two"]


async def test_data_goal_and_variables_come_from_the_export(tmp_path):
    """Started in a server; replayed elsewhere, beside a copy of its data."""
    async with ScriptedPlanner() as planner, RealServer(tmp_path / "server") as server:
        (server.notebooks / "sales.csv").write_text("a\n1\n", encoding="utf-8")
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[add("print(open('sales.csv').read())"), RUN]])
        run = await server.start_run(
            {
                "notebook": "run.ipynb",
                "planner": {"kind": "http", "url": planner.url},
                "goal": "know",
                "data": "sales.csv",
                "variables": {"depth": 3},
                "approval": "none",
            }
        )
        await server.until(run["id"], "done")
        record = await exported(server, run["id"])
    told = record["request"]
    assert (told["goal"], told["data"], told["approval"]) == ("know", "sales.csv", "none")
    assert told["variables"] == {"depth": 3}
    without = await replay(tmp_path / "without", record)
    assert without.code == 1
    assert "worked on sales.csv; there is no " in without.err
    (tmp_path / "with").mkdir()
    (tmp_path / "with" / "sales.csv").write_text("a\n1\n", encoding="utf-8")
    ended = await replay(tmp_path / "with", record, "--json")
    assert (ended.code, ended.err) == (0, "")
    view = json.loads(ended.out.splitlines()[-1])["data"]
    assert (view["goal"], view["data"], view["approval"]) == ("know", "sales.csv", "none")
