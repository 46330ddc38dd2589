"""A planner service on loopback, with scripted answers and faults, for tests.

    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read", "check"]})
        planner.step("read", behaviors=[[add("x = 1"), RUN], [add("x")]])
        planner.on("planning", {"targetAchieved": True}, step="check")
        planner.on("generating", Reply(500), times=2)
        ...
        assert [seen.path for seen in planner.requests] == ["/planning", ...]

Without overrides it answers sanely: the workflow at idle, not achieved while a step has behaviors
to play, `continue_behaviors` while some are left, achieved afterwards. Both dialects are served.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.iostream import IOStream, StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from tests.support.planner_answers import (
    CUT,
    Answer,
    Hang,
    Raw,
    Reply,
    ScriptedAnswer,
    SeenRequest,
    Stream,
)

Json = dict[str, Any]


@dataclass
class _Rule:
    endpoint: str
    answer: ScriptedAnswer
    match: Json
    times: int | None

    def fits(self, endpoint: str, seen: SeenRequest) -> bool:
        if self.endpoint != endpoint or self.times == 0:
            return False
        # What is no request has none of the other properties; `is_request` is asked first then.
        names = sorted(self.match, key=lambda name: name != "is_request")
        return all(getattr(seen, name) == self.match[name] for name in names)


class ScriptedPlanner:
    def __init__(self) -> None:
        self.requests: list[SeenRequest] = []
        self.was_asked = asyncio.Event()
        self.client_left = asyncio.Event()
        """Set as soon as a client closes a connection while its answer is under way."""
        self.has_generating = True
        self._rules: list[_Rule] = []
        self._template: Json | None = None
        self._behaviors: dict[str, list[Sequence[object]]] = {}
        self._achieved: set[str] = set()
        self._server: HTTPServer | None = None
        self._waiting: set[asyncio.Task[Any]] = set()
        self.url = ""

    # -- script -----------------------------------------------------------------------------

    def workflow(self, stages: Mapping[str, Sequence[str]] | Json) -> Json:
        """What is planned at idle: a whole template, or just `{stage: [step, …]}`."""
        template: Json = dict(stages)
        if "stages" not in template:
            template = {
                "name": "scripted",
                "stages": [
                    {
                        "id": stage,
                        "goal": f"goal of {stage}",
                        "steps": [{"id": step, "goal": f"goal of {step}"} for step in steps],
                    }
                    for stage, steps in stages.items()
                ],
            }
        self._template = template
        return template

    def step(
        self, step_id: str, behaviors: Sequence[Sequence[object]] = (), *, achieved: bool = False
    ) -> None:
        """The behaviors of a step in order; each a list of actions or other stream items."""
        self._behaviors[step_id] = list(behaviors)
        (self._achieved.add if achieved else self._achieved.discard)(step_id)

    def on(
        self, endpoint: str, answer: ScriptedAnswer, *, times: int | None = 1, **match: Any
    ) -> None:
        """Answer `endpoint` ("planning", "generating", "generate", "v1/actions", …) with this.

        `match` narrows it by properties of the request: state, step, iteration, is_feedback,
        is_request.
        Rules are tried in the order they were added; `times=None` keeps one for ever.
        """
        self._rules.append(_Rule(endpoint, answer, match, times))

    def seen(self, path: str) -> list[SeenRequest]:
        return [request for request in self.requests if request.path == path]

    # -- life -------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        sockets = bind_sockets(0, "127.0.0.1")
        self._server = HTTPServer(Application([(r"/(.*)", _Handler, {"planner": self})]))
        self._server.add_sockets(sockets)
        self.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.stop()
            for task in list(self._waiting):
                task.cancel()
            await asyncio.gather(*self._waiting, return_exceptions=True)
            await self._server.close_all_connections()

    async def answer_to(self, endpoint: str, seen: SeenRequest) -> Answer:
        self.requests.append(seen)
        self.was_asked.set()
        rule = next((rule for rule in self._rules if rule.fits(endpoint, seen)), None)
        if rule is None:
            return self._default(endpoint, seen)
        if rule.times is not None:
            rule.times -= 1
        if not callable(rule.answer):
            return rule.answer
        made = rule.answer(seen)
        return await made if inspect.isawaitable(made) else made

    async def wait(self, something: Awaitable[Any]) -> None:
        """Wait on behalf of an answer; ends with the server at the latest."""
        task = asyncio.ensure_future(something)
        self._waiting.add(task)
        try:
            await task
        finally:
            self._waiting.discard(task)

    # -- default answers --------------------------------------------------------------------

    def _default(self, endpoint: str, seen: SeenRequest) -> Answer:
        match endpoint:
            case "planning":
                return self._planning(seen)
            case "generate":
                return self._generating(seen)
            case "generating" if self.has_generating:
                return self._generating(seen)
            case "v1/actions":
                return {
                    "behavior": {"id": f"behavior_{seen.iteration:03d}"},
                    "actions": self._actions(seen),
                    "transition": {"target_achieved": self._is_done_at_start(seen.step)},
                }
            case "v1/reflection":
                return {"targetAchieved": seen.iteration >= self._count(seen.step)}
            case _:
                return Reply(404, {"error": "no such endpoint"})

    def _generating(self, seen: SeenRequest) -> Answer:
        actions = self._actions(seen)
        if not seen.body["options"]["stream"]:
            return {"actions": actions}
        return Stream(*[_wrapped(item) for item in actions])

    def _planning(self, seen: SeenRequest) -> Json:
        if seen.is_feedback:
            more = seen.iteration < self._count(seen.step)
            return {
                "targetAchieved": not more,
                "transition": {"continue_behaviors": more, "target_achieved": not more},
            }
        match seen.state:
            case "IDLE":
                update = {"workflow_update": self._template} if self._template else {}
                return {"targetAchieved": False, "context_update": update}
            case "STEP_RUNNING":
                return {"targetAchieved": self._is_done_at_start(seen.step)}
            case "STEP_COMPLETED" | "STAGE_COMPLETED":
                return {"targetAchieved": True}
            case _:
                return {"targetAchieved": False}

    def _count(self, step: str | None) -> int:
        return len(self._behaviors.get(step or "", []))

    def _is_done_at_start(self, step: str | None) -> bool:
        return step in self._achieved or self._count(step) == 0

    def _actions(self, seen: SeenRequest) -> list[Any]:
        behaviors = self._behaviors.get(seen.step or "", [])
        wanted = seen.iteration - 1
        return list(behaviors[wanted]) if wanted < len(behaviors) else []


def _wrapped(item: object) -> object:
    return {"action": item} if isinstance(item, dict) and "behavior" not in item else item


class _Handler(RequestHandler):
    def initialize(self, planner: ScriptedPlanner) -> None:
        self._planner = planner

    async def get(self, path: str) -> None:
        await self._respond(path)

    async def post(self, path: str) -> None:
        await self._respond(path)

    def on_connection_close(self) -> None:
        self._planner.client_left.set()
        super().on_connection_close()

    async def _respond(self, path: str) -> None:
        answer = await self._planner.answer_to(path, _seen(self.request))
        match answer:
            case Reply():
                self._plain(answer)
            case Stream():
                with suppress(StreamClosedError):
                    await self._stream(answer)
            case Raw():
                socket = self._socket()
                await socket.write(answer.data)
                socket.close()
            case Hang():
                socket = self._socket()
                socket.set_close_callback(answer.gone.set)
                await self._planner.wait(answer.gone.wait())
                self._planner.client_left.set()
            case _:
                self._plain(Reply(body=answer))

    def _plain(self, reply: Reply) -> None:
        self.set_status(reply.status)
        body = reply.body
        if not isinstance(body, (bytes, str)):
            self.set_header("Content-Type", "application/json")
            body = json.dumps(body, ensure_ascii=False)
        for name, value in reply.headers.items():
            self.set_header(name, value)
        self.finish(body)

    async def _stream(self, stream: Stream) -> None:
        self.set_header("Content-Type", stream.content_type)
        await self.flush()
        for item in stream.items:
            if item is CUT:
                self._socket().close()
                return
            if isinstance(item, asyncio.Event):
                await self._planner.wait(item.wait())
            elif isinstance(item, (int, float)):
                await self._planner.wait(asyncio.sleep(item))
            else:
                # A function makes its line at the moment it is sent.
                self.write(_line(item() if callable(item) else item))
                await self.flush()
        self.finish()

    def _socket(self) -> IOStream:
        return self.detach()


def _line(item: object) -> bytes:
    if isinstance(item, bytes):
        return item
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    return text.encode() + b"\n"


def _seen(request: HTTPServerRequest) -> SeenRequest:
    # Tornado's type does not tell that its connection knows the peer's address.
    address = request.connection.context.address
    return SeenRequest(
        request.method or "",
        request.path,
        dict(request.headers.get_all()),
        request.body,
        address[1],
    )
