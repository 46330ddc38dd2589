"""What a scripted planner can see and answer: plain answers, streams, faults."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

CUT = object()
"""In a stream: the connection breaks here."""

RUN: Json = {"action": "exec", "codecell_id": "lastAddedCellId"}


def add(content: str, **fields: Any) -> Json:
    """A code cell."""
    return {"action": "add", "shot_type": "action", "content": content, **fields}


def say(content: str, **fields: Any) -> Json:
    """A markdown cell."""
    return {"action": "add", "shot_type": "dialogue", "content": content, **fields}


@dataclass(frozen=True)
class SeenRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    client_port: int

    @property
    def body(self) -> Json:
        body: Json = json.loads(self.raw)
        return body

    @property
    def is_request(self) -> bool:
        """Whether it is a request at all: a JSON object with an observation."""
        with suppress(ValueError):
            return "observation" in self.body
        return False

    @property
    def is_feedback(self) -> bool:
        return bool(self.body.get("behavior_feedback"))

    @property
    def state(self) -> str | None:
        """The FSM state; the dialect v1 does not tell it."""
        context: Json = self.body["observation"]["context"]
        state: str | None = context.get("FSM", {}).get("state")
        return state

    @property
    def step(self) -> str | None:
        location: Json = self.body["observation"]["location"]
        step: str | None = location.get("current", {}).get("step_id")
        return step or location.get("current_step_id")

    @property
    def iteration(self) -> int:
        location: Json = self.body["observation"]["location"]
        found = location.get("current", location).get("behavior_iteration")
        return int(found or 1)


# -- what can be answered -----------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    """A plain answer. A body that is not bytes or text is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Stream:
    """NDJSON, item by item: objects and text are lines, bytes go out as they are, a number waits
    that many seconds, an Event holds the stream until it is set, CUT breaks the connection."""

    def __init__(self, *items: object, content_type: str = "application/x-ndjson") -> None:
        self.items = items
        self.content_type = content_type


@dataclass(frozen=True)
class Raw:
    """These bytes on the socket instead of an HTTP answer made by a library; then it is closed."""

    data: bytes


class Hang:
    """No answer at all. `gone` is set when the client has closed the connection."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()


Answer = Json | Reply | Stream | Raw | Hang
ScriptedAnswer = Answer | Callable[[SeenRequest], Answer | Awaitable[Answer]]


def wrong_length(body: bytes, claimed: int) -> Raw:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {claimed}\r\n\r\n"
    return Raw(head.encode() + body)


def too_many_requests(retry_after: str) -> Reply:
    return Reply(429, {"error": "slow down"}, {"Retry-After": retry_after})


def redirect(to: str, status: int = 307) -> Reply:
    return Reply(status, b"", {"Location": to})
