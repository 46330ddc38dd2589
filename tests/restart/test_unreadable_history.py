"""A history that cannot be read fails one run, never the service."""

from __future__ import annotations

import json
import sqlite3

from tests.restart.test_store_trouble import hello_of
from tests.support.planner_answers import add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

NOTEBOOK = "deep.ipynb"
OTHER = "other.ipynb"
DEEP = 220


def nested(depth: int) -> object:
    value: object = "bottom"
    for _ in range(depth):
        value = [value]
    return value


def asked(planner, notebook=NOTEBOOK, **fields):
    return {"notebook": notebook, "planner": {"kind": "http", "url": planner.url}, **fields}


def sources(content):
    return [cell["source"] for cell in content["cells"]]


async def pulled(server, name=NOTEBOOK):
    answer = await server.ask("POST", "notebooks/pull", {"path": name})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def the_notebook_can_be_used(server, name=NOTEBOOK):
    """By Jupyter itself, and by a tab: read, merged, saved."""
    content = (await server.get(f"/api/contents/{name}?content=1"))["content"]
    model = {"type": "notebook", "format": "json", "content": content}
    put = await server.ask("PUT", f"/api/contents/{name}", model)
    assert put.status_code == 200, put.text
    state = await pulled(server, name)
    body = {"path": name, "content": state["content"], "base_hash": state["hash"]}
    position = {"log_id": state["log_id"], "applied_seq": state["seq"]}
    saved = await server.ask("POST", "notebooks/save", {**body, **position})
    assert saved.status_code == 200, saved.text


async def the_service_answers(server):
    for path in ("status", "runs"):
        answer = await server.ask("GET", path)
        assert answer.status_code == 200, answer.text


async def to_the_second_step(server, planner, name):
    run = await server.start_run(asked(planner, name, approval="behaviors"))
    while (view := await server.until(run["id"], "waiting"))["location"]["step_id"] == "s1":
        await server.command(run["id"], "confirm", proposal_id=view["pending"]["id"])
    return run["id"]


async def test_s1_an_action_nested_without_end_is_one_bad_line(tmp_path):
    async with ScriptedPlanner() as planner, RealServer(tmp_path) as server:
        planner.workflow({"a": ["s1", "s2"]})
        deep = {**add("deep = 1"), "metadata": {"extra": {"v": nested(DEEP)}}}
        planner.step("s1", behaviors=[[say("before"), deep, say("after")]])
        planner.step("s2", behaviors=[[say("more")]])
        run_id = await to_the_second_step(server, planner, NOTEBOOK)
        assert sources((await pulled(server))["content"]) == ["before", "after"]
        observed = await server.get(f"runs/{run_id}/observation")
        assert "nested" in json.dumps(observed["observation"]["context"]["effects"])
        await the_notebook_can_be_used(server)
        await server.stop()
        await server.start()
        await the_service_answers(server)
        await the_notebook_can_be_used(server)
        assert (await server.command(run_id, "cancel")).status_code == 200
        await the_service_answers(server)


NO_JSON = "{this is not JSON"
DAMAGES = {
    "an operation": ("UPDATE operations SET body = ? WHERE log_id = {log} AND seq = 2", NO_JSON),
    "an operation nested too deep": (
        "UPDATE operations SET body = ? WHERE log_id = {log} AND seq = 1",
        json.dumps({"op": "insert", "cell": {"id": "x", "deep": nested(900)}}),
    ),
    "an operation of another release": (
        "UPDATE operations SET body = ? WHERE log_id = {log} AND seq = 1", '{"op": "levitate"}',
    ),
    "the image of the notebook": ("UPDATE images SET content = ? WHERE log_id = {log}", b"zip?"),
    "the log's own row": ("UPDATE logs SET head_seq = ? WHERE log_id = {log}", "many"),
    "the request": ("UPDATE runs SET snapshot = ? WHERE run_id = {run}", NO_JSON),
    "a request of bytes": ("UPDATE runs SET snapshot = ? WHERE run_id = {run}", b"\xff\x00"),
    "a request without sense": (
        "UPDATE runs SET snapshot = ? WHERE run_id = {run}", '{"state": "flying"}',
    ),
    "a fact": ("UPDATE facts SET body = ? WHERE run_id = {run} AND number = 3", NO_JSON),
    "a fact of bytes": ("UPDATE facts SET body = ? WHERE run_id = {run} AND number = 3", b"\xff"),
    "a fact of another release": (
        "UPDATE facts SET body = ? WHERE run_id = {run} AND number = 3", '{"kind": "levitated"}',
    ),
    "facts that cannot follow each other": (
        "UPDATE facts SET body = ? WHERE run_id = {run} AND kind = 'stage_entered'",
        '{"kind": "stage_entered", "time": "2026-01-01T00:00:00Z", "stage_id": "nowhere"}',
    ),
    "the age of a run": ("UPDATE runs SET updated_at = ? WHERE run_id = {run}", "long ago"),
    "the planner calls": ("UPDATE calls SET record = ? WHERE run_id = {run}", "no call"),
    "a text that is not UTF-8": (
        "UPDATE runs SET snapshot = CAST(? AS TEXT) WHERE run_id = {run}", b'{"a": "\xff"}',
    ),
}  # fmt: skip


UNFELT = ("the image of the notebook", "the age of a run")
"""Nothing is lost with these."""


def damage(store, what, run_id, name):
    statement, value = DAMAGES[what]
    with sqlite3.connect(store) as connection:
        place = f"%/{name}"
        [log] = connection.execute(
            "SELECT log_id FROM logs WHERE place LIKE ?", (place,)
        ).fetchone()
        text = statement.format(log=f"'{log}'", run=f"'{run_id}'")
        assert connection.execute(text, (value,)).rowcount > 0


async def test_s1_what_cannot_be_read_is_set_aside_and_said(tmp_path):
    """A damage of each kind, each to a run of its own: none is felt by anybody else."""
    options = {"max_active_runs": 100}
    async with ScriptedPlanner() as planner, RealServer(tmp_path, options=options) as server:
        planner.workflow({"a": ["s1", "s2"]})
        planner.step("s1", behaviors=[[say("one"), add("two = 2"), say("three")]])
        planner.step("s2", behaviors=[[say("more")]])
        broken = {}
        for number, what in enumerate(DAMAGES):
            name = f"{number}.ipynb"
            broken[what] = name, await to_the_second_step(server, planner, name)
        whole = await to_the_second_step(server, planner, OTHER)
        server.kill()
        for what, (name, run_id) in broken.items():
            damage(server.store, what, run_id, name)
        await server.start()
        await the_service_answers(server)
        await the_notebook_can_be_used(server, OTHER)
        await server.command(whole, "resume")
        waiting = await server.until(whole, "waiting")
        await server.command(whole, "confirm", proposal_id=waiting["pending"]["id"])
        await server.until(whole, "done")
        for what, (name, run_id) in broken.items():
            await the_broken_one_is_told(server, run_id, what)
            await the_notebook_can_be_used(server, name)
            if (await server.ask("GET", f"runs/{run_id}")).status_code == 200:
                assert (await server.command(run_id, "cancel")).status_code == 200, what
            # It leaves room for another run.
            again = await server.start_run(asked(planner, name))
            await server.until(again["id"], "done")
        await the_service_answers(server)
        await server.stop()


async def the_broken_one_is_told(server, run_id, what):
    answer = await server.ask("GET", f"runs/{run_id}")
    for part in ("observation", "transitions", "calls", "activity", "record"):
        found = await server.ask("GET", f"runs/{run_id}/{part}")
        assert found.status_code < 500, (what, part, found.text)
    if answer.status_code == 404:
        assert "was set aside" in answer.json()["message"], what
        assert run_id in (await hello_of(server))["trouble"], what
    if what not in UNFELT:
        assert "cannot be read" in (await hello_of(server))["trouble"], what
