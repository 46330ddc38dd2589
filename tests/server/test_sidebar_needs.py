"""What the sidebar asks for beyond the runs themselves: tree, table, a planner's address."""

import pytest

from notebook_bcc_ext.fsm import TRANSITIONS
from tests.server.test_runs import Api
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


async def test_the_tree_of_a_run_is_told_piece_by_piece(api):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("# Hello"), add("x = 1"), RUN]])
        run = await api.start(planner)
        await api.until(run["id"], "done")
        first = await api.get("runs", run["id"], "activity")
        levels = [node["level"] for node in first["nodes"]]
        assert sorted(levels) == ["action"] * 3 + ["behavior", "stage", "step"]
        assert {node["status"] for node in first["nodes"]} == {"done"}
        latest = str(first["nodes"][-1]["revision"])
        again = await api.get("runs", run["id"], "activity", after=latest)
        assert again == {"epoch": 0, "nodes": []}


async def test_who_comes_second_is_told_who_decided(api):
    steps = {"stage_id": "load", "updated_steps": [{"id": "read"}, {"id": "more"}]}
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[{"action": "update_stage_steps", **steps}]])
        run = await api.start(planner)
        pending = (await api.until(run["id"], "waiting"))["pending"]
        path = ("runs", run["id"], "commands")
        await api.post(*path, body={"command": "confirm", "proposal_id": pending["id"]})
        await api.until(run["id"], "done")
        body = {"command": "reject", "proposal_id": pending["id"]}
        code, answer = await api.refusal(*path, body=body)
        assert code == 409
        assert "already confirmed by" in answer["message"]


async def test_a_question_about_code_shows_the_code(api):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[add("secret = 6 * 7"), RUN]])
        run = await api.start(planner, approval="code")
        path = ("runs", run["id"], "commands")
        pending = (await api.until(run["id"], "waiting"))["pending"]
        assert pending["kind"] == "behavior"
        await api.post(*path, body={"command": "confirm", "proposal_id": pending["id"]})
        view = await api.until(run["id"], "waiting")
        while view["pending"]["kind"] != "code":
            view = await api.until(run["id"], "waiting")
        assert view["pending"]["content"]["source"] == "secret = 6 * 7"
        await api.post(*path, body={"command": "cancel"})


async def test_the_table_is_told_whole(api):
    answer = await api.get("states")
    assert len(answer["states"]) == 14
    rows = {(row["from"], row["event"]): row["to"] for row in answer["transitions"]}
    assert rows == {(s.value, e.value): to.value for (s, e), (to, _) in TRANSITIONS.items()}


async def test_a_planners_address_can_be_checked_before_a_run(api):
    async with ScriptedPlanner() as planner:
        good = await api.post("planner-checks", body={"url": planner.url})
        assert (good["ok"], good["outcome"]) == (True, "answers")
    gone = await api.post("planner-checks", body={"url": planner.url})
    assert (gone["ok"], gone["outcome"]) == (False, "unreachable")
    assert planner.url in gone["message"]
    code, body = await api.refusal("planner-checks", body={"url": "ftp://x"})
    assert (code, "dslc_base_url" in body["message"]) == (400, True)
