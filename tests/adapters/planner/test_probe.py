"""Is a planner there? The answer is true, and asking is bounded (S9)."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from notebook_bcc_ext.adapters.planner import probe as planner_probe
from notebook_bcc_ext.adapters.planner.probe import probe
from notebook_bcc_ext.planners.service import planner_app
from notebook_bcc_ext.settings.layers import Layer, resolve
from notebook_bcc_ext.settings.names import MIB, Settings
from notebook_bcc_ext.settings.sources import environment_layer
from tests.support.planner_answers import Hang, Reply, Stream, redirect
from tests.support.planner_server import ScriptedPlanner

PAGE = "<!doctype html><title>Welcome</title>"
DRIP = Stream(*[b" "] + [0.2, b" "] * 1000)


async def probed(answer, **settings):
    async with ScriptedPlanner() as planner:
        planner.on("planning", answer, times=None)
        return await probe(Settings(dslc_base_url=planner.url, **settings))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"targetAchieved": False}, "answers"),
        (Reply(400, {"error": "no observation"}), "answers"),
        (Reply(422, {"detail": []}), "answers"),
        (Reply(200, PAGE), "no_planner"),
        (Reply(200, {"hello": "world"}), "no_planner"),
        (Reply(200, "[]"), "no_planner"),
        (Reply(400, PAGE), "no_planner"),
        (Reply(404, {"error": "not here"}), "no_planner"),
        (Reply(405, PAGE), "no_planner"),
        (Reply(500, {"error": "broken"}), "error"),
        (Reply(503, PAGE), "error"),
        (Reply(401, {"error": "who are you"}), "refused"),
        (redirect("http://127.0.0.1:9/planning"), "no_planner"),
    ],
)
async def test_s9_c10_what_answers_must_answer_as_a_planner(answer, outcome):
    found = await probed(answer)
    assert (found.outcome, found.ok) == (outcome, outcome == "answers"), found


async def test_s9_a_planner_that_fails_on_an_empty_question_is_asked_a_real_one():
    async with ScriptedPlanner() as planner:
        found = await probe(Settings(dslc_base_url=planner.url))
    assert found.ok, found
    assert [seen.body == {} for seen in planner.requests] == [True, False]


async def test_s9_our_own_service_passes():
    server = HTTPServer(planner_app())
    sockets = bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    found = await probe(Settings(dslc_base_url=f"http://127.0.0.1:{sockets[0].getsockname()[1]}"))
    server.stop()
    assert found.ok, found


async def test_s9_a_compressed_flood_is_not_unpacked():
    bomb = gzip.compress(b" " * (256 * MIB))
    answer = Reply(200, bomb, {"Content-Encoding": "gzip", "Content-Type": "application/json"})
    tracemalloc.start()
    try:
        found = await probed(answer)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.outcome == "no_planner"
    assert most < 32 * MIB


async def test_s9_a_plain_flood_is_left_after_its_beginning():
    def flood(_seen):
        return Stream(*[b" " * MIB] * 64)

    found = await probed(flood)
    assert found.outcome == "no_planner"
    assert "more than" in found.message


@pytest.mark.parametrize("answer", [DRIP, Hang()])
async def test_s9_a_slow_drip_ends_in_time(answer, monkeypatch):
    monkeypatch.setattr(planner_probe, "SECONDS", 0.5)
    found = await probed(answer)
    assert found.outcome == "silent", found


async def test_s9_credentials_go_where_they_would_in_a_run():
    async with ScriptedPlanner() as planner:
        planner.on("planning", Reply(401, {"error": "who are you"}), times=None)
        token = {"BCC_PLANNER_TOKEN": "s3cret-token"}
        configured = environment_layer({**token, "DSLC_BASE_URL": planner.url})
        await probe(resolve([configured]).settings)
        asked = Layer("the run request", {"dslc_base_url": planner.url}, trusted=False)
        found = await probe(resolve([environment_layer(token), asked]).settings)
    sent = [seen.headers.get("Authorization") for seen in planner.requests]
    assert sent == ["Bearer s3cret-token", None]
    assert "set DSLC_BASE_URL beside it" in found.message
