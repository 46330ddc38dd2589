"""The embedded planner behind its wire protocol: one dispatch, and a tornado application over it.

    GET  /            health: name, version of the protocol, playbooks
    POST /planning    observation -> planning answer
    POST /generating  observation -> NDJSON, one {"action": …} a line; or {"actions": […]}
    POST /generate    the same, for clients that fall back to it

Bad input is answered 400 with `{"error": {"type", "message"}}`; the planner does not fall over it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tornado.web

from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.protocol.nesting import WRAPPED_DEPTH
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest
from notebook_bcc_ext.protocol.planner.ndjson import decode_json

MAX_BODY_BYTES = 16 * 1024 * 1024
JSON_TYPE = "application/json"
NDJSON_TYPE = "application/x-ndjson"
_GENERATING = ("/generating", "/generate")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Response:
    """`lines` is lazy: each line exists only when it is asked for."""

    status: int
    content_type: str
    lines: Iterator[bytes]


def dispatch(planner: EmbeddedPlanner, method: str, path: str, body: bytes) -> Response:
    """Answer one call. Never raises for what a client sent."""
    route = path.rstrip("/") or "/"
    if route == "/" and method == "GET":
        return _json(200, health(planner))
    if route not in ("/planning", *_GENERATING):
        return _error(404, "NotFound", f"there is no {path} (POST /planning, POST /generating)")
    if method != "POST":
        return _error(405, "MethodNotAllowed", f"{route} is called with POST")
    if len(body) > MAX_BODY_BYTES:
        return _error(413, "TooLarge", f"the request is larger than {MAX_BODY_BYTES:,} bytes")
    return _answer(planner, route, body)


def _answer(planner: EmbeddedPlanner, route: str, body: bytes) -> Response:
    try:
        request = _request(body)
        if route == "/planning":
            return _json(200, planner.plan(request).to_wire())
        if not request.options.stream:
            return _json(200, {"actions": list(planner.generate(request))})
        return Response(200, NDJSON_TYPE, _stream(planner, request))
    except BccError as error:
        return _error(400, type(error).__name__, str(error))
    except Exception:  # noqa: BLE001 - a defect here must reach the client as an answer
        _log.exception("the embedded planner failed on %s", route)
        return _error(500, "PlannerFailure", "the embedded planner failed; its log has the details")


def _request(body: bytes) -> PlannerRequest:
    try:
        raw = decode_json(body, WRAPPED_DEPTH)
    except ValueError as error:
        raise BccError(f"the body is not JSON that can be used: {error}") from None
    request = PlannerRequest.parse(raw)
    request.observation.require_progress()
    return request


def _stream(planner: EmbeddedPlanner, request: PlannerRequest) -> Iterator[bytes]:
    actions = planner.generate(request)
    # The first action is made before the status is sent, so that bad input is a 400.
    first = next(actions, None)

    def lines() -> Iterator[bytes]:
        if first is not None:
            yield _line({"action": first})
        for action in actions:
            yield _line({"action": action})

    return lines()


def health(planner: EmbeddedPlanner) -> dict[str, Any]:
    return {
        "service": "notebook-bcc embedded planner",
        "protocol": "2.0",
        "playbooks": planner.library.names(),
        "default_playbook": planner.default_playbook,
        "endpoints": ["/planning", *_GENERATING],
    }


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _json(status: int, value: object) -> Response:
    return Response(status, JSON_TYPE, iter([_line(value)]))


def _error(status: int, kind: str, message: str) -> Response:
    return _json(status, {"error": {"type": kind, "message": message}})


def planner_app(planner: EmbeddedPlanner | None = None) -> tornado.web.Application:
    """Listen with `max_body_size=MAX_BODY_BYTES`, so that larger bodies are refused unread."""
    chosen = planner or EmbeddedPlanner()
    return tornado.web.Application([(r"/.*", _Handler, {"planner": chosen})])


class _Handler(tornado.web.RequestHandler):
    def initialize(self, planner: EmbeddedPlanner) -> None:
        self._planner = planner

    async def get(self) -> None:
        await self._answer()

    async def post(self) -> None:
        await self._answer()

    async def _answer(self) -> None:
        method = self.request.method or "GET"
        response = dispatch(self._planner, method, self.request.path, self.request.body)
        self.set_status(response.status)
        self.set_header("Content-Type", response.content_type)
        for line in response.lines:
            self.write(line)
            await self.flush()
