"""The planner service misbehaves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.faults.lab import Outcome, fault, lab, planner
from tests.support.planner_answers import CUT, Hang, Raw, Reply, Stream, say
from tests.support.planner_server import ScriptedPlanner

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"


async def _answered(home: Path, endpoint: str, answer: object, **match: object) -> Outcome:
    """A run whose planner gives this answer, always, to such requests."""
    async with planner() as scripted, lab(home) as at:
        scripted.on(endpoint, answer, times=None, **match)  # type: ignore[arg-type]
        outcome = await at.outcome(await at.start(scripted.url))
        await at.still_stands()
        return outcome


@fault("planner down", "paused", "idle", "cannot be reached|connection|refused")
async def down(home: Path) -> Outcome:
    async with ScriptedPlanner() as gone:
        url = gone.url
    async with lab(home) as at:
        outcome = await at.outcome(await at.start(url))
        await at.still_stands()
        return outcome


@fault("planner slow", "done", "workflow_completed", "nothing to complain about")
async def slow(home: Path) -> Outcome:
    async with planner() as scripted, lab(home) as at:
        lines = [{"action": say("one")}, 0.7, {"action": say("still one")}, 0.7]
        scripted.on("generating", Stream(*lines), step="s1")
        outcome = await at.outcome(await at.start(scripted.url))
        assert await at.sources() == ["one", "still one", "two"]
        await at.still_stands()
        return outcome


@fault("planner hangs", "paused", "idle", "did not answer|within|time")
async def hangs(home: Path) -> Outcome:
    return await _answered(home, "planning", Hang())


@fault("planner's stream hangs", "failed", "error", "silent|within|time")
async def stream_hangs(home: Path) -> Outcome:
    return await _answered(home, "generating", Stream({"action": say("one")}, 60.0), step="s1")


@fault("planner answers no JSON", "paused", "idle", "JSON")
async def no_json(home: Path) -> Outcome:
    return await _answered(home, "planning", Reply(200, "<html>Welcome</html>"))


@fault("planner answers something else", "paused", "idle", "object")
async def something_else(home: Path) -> Outcome:
    return await _answered(home, "planning", Reply(200, ["targetAchieved", True]))


@fault("planner answers wrong fields", "paused", "idle", "stages|workflow")
async def wrong_fields(home: Path) -> Outcome:
    update = {"context_update": {"workflow_update": {"stages": "all of them"}}}
    return await _answered(home, "planning", update)


@fault("planner sends no line that is an action", "done", "workflow_completed", "line")
async def bad_lines(home: Path) -> Outcome:
    stream = Stream(b"this is no JSON\n", b"[1, 2]\n", {"action": say("one")})
    return await _answered(home, "generating", stream, step="s1")


@fault("planner fails with 500", "paused", "idle", "500")
async def fails(home: Path) -> Outcome:
    return await _answered(home, "planning", Reply(500, {"error": "out of order"}))


@fault("planner's answer is huge", "paused", "idle", "larger|more than|bytes")
async def huge(home: Path) -> Outcome:
    return await _answered(home, "planning", {"targetAchieved": False, "x": "y" * 1_000_000})


@fault("planner's line is huge", "done", "workflow_completed", "longer|line")
async def huge_line(home: Path) -> Outcome:
    stream = Stream({"action": say("x" * 100_000)}, {"action": say("small")})
    return await _answered(home, "generating", stream, step="s1")


@fault("planner promises more than it sends", "paused", "idle", "broke|closed|incomplete")
async def promises_more(home: Path) -> Outcome:
    raw = Raw(HEAD + b'Content-Length: 1000\r\n\r\n{"targetAchieved": fal')
    return await _answered(home, "planning", raw)


@fault("planner sends more than it promises", "paused", "idle", "JSON|length|broke")
async def sends_more(home: Path) -> Outcome:
    body = json.dumps({"targetAchieved": False}).encode()
    return await _answered(home, "planning", Raw(HEAD + b"Content-Length: 5\r\n\r\n" + body))


@fault("planner's stream breaks", "failed", "error", "broke")
async def breaks(home: Path) -> Outcome:
    """What ran stays; a retry goes on behind it, and nothing runs twice."""
    async with planner() as scripted, lab(home) as at:
        lines = ({"action": say("one")}, {"action": say("and a half")})
        scripted.on("generating", Stream(lines[0], CUT), step="s1")
        scripted.on("generating", Stream(*lines), step="s1")
        run_id = await at.start(scripted.url)
        outcome = await at.outcome(run_id)
        await at.still_stands()
        await at.server.command(run_id, "retry")
        await at.server.until(run_id, "done")
        assert await at.sources() == ["one", "and a half", "two"]
        return outcome
