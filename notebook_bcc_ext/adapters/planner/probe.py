"""Whether a planner service answers at an address, told without having it plan anything.

It is asked with an empty body first: a planner refuses that, in JSON, at no cost. Only one that
cannot even refuse it is asked a real question. Credentials go where they would in a run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

import httpx

from notebook_bcc_ext.adapters.planner.connection import PlannerConnection
from notebook_bcc_ext.adapters.planner.http import read_planning_answer
from notebook_bcc_ext.adapters.planner.retry import TransientFault
from notebook_bcc_ext.errors import PlannerError, ProtocolError
from notebook_bcc_ext.ports import Json
from notebook_bcc_ext.protocol.planner.dialect_v1 import V1Answer
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.planner.sample_requests import SampleRequests
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import KIB, Dialect, Settings

SECONDS = 5.0
# The time is bounded as a whole.
_LIMITS = {
    "connect_timeout": 2 * SECONDS,
    "read_timeout": 2 * SECONDS,
    "idle_timeout": 2 * SECONDS,
    "total_timeout": 2 * SECONDS,
    "max_answer_bytes": 256 * KIB,
}
_MISSING = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.METHOD_NOT_ALLOWED)
_UNAUTHORIZED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)

Outcome = Literal["answers", "silent", "unreachable", "no_planner", "refused", "error"]


@dataclass(frozen=True)
class Probe:
    outcome: Outcome
    message: str
    status: int | None = None

    @property
    def ok(self) -> bool:
        return self.outcome == "answers"


@dataclass(frozen=True)
class _Answer:
    status: int
    content: Json | None
    """None when it is no JSON object."""


async def probe(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> Probe:
    url = settings.v1_reflection_url if settings.dialect == "v1" else settings.planning_url
    limited = settings.model_copy(update=_LIMITS)
    connection = PlannerConnection(limited, lambda _: None, transport)
    try:
        async with asyncio.timeout(SECONDS):
            answer = await _ask(connection, url, {})
            if not _is_clear(answer):
                request = SampleRequests().at(State.IDLE)
                answer = await _ask(connection, url, request.to_wire())
    except TimeoutError:
        return Probe("silent", f"no answer from {url} within {SECONDS:g} seconds")
    except TransientFault as fault:
        return Probe("unreachable", f"no answer from {url}: {fault.reason}")
    except PlannerError as error:
        return Probe("no_planner", str(error))
    finally:
        await connection.close()
    return _verdict(answer, url, settings)


def _is_clear(answer: _Answer) -> bool:
    """What a planner says to an empty question, or somebody else to any."""
    if answer.status in (*_MISSING, *_UNAUTHORIZED):
        return True
    return answer.content is not None and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR


def _verdict(answer: _Answer, url: str, settings: Settings) -> Probe:
    status = answer.status
    if status in _UNAUTHORIZED:
        why = settings.withheld or "set its credentials where the server is started"
        return Probe("refused", f"{url} refuses us with {status}: {why}", status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Probe("error", f"{url} answers with an error: {status}", status)
    if status in _MISSING or not _fits(answer, settings.dialect):
        message = f"a server answers, but not as a planner: {url} is {status}"
        return Probe("no_planner", message, status)
    return Probe("answers", f"a planner answers at {url}", status)


def _fits(answer: _Answer, dialect: Dialect) -> bool:
    """A refusal is any object; a judgement has at least one field of the protocol."""
    if answer.content is None or answer.status >= HTTPStatus.BAD_REQUEST:
        return answer.content is not None
    read = V1Answer.parse if dialect == "v1" else read_planning_answer
    try:
        read(answer.content)
    except ProtocolError:
        return False
    return True


async def _ask(connection: PlannerConnection, url: str, body: Json) -> _Answer:
    with connection.recorded("planning", url, body, None) as call:
        response = await connection.send(call, "POST", url)
        try:
            encoded = response.headers.get("content-encoding", "identity").lower() != "identity"
            # None was asked for, and what it unpacks to has no bound.
            data = b"" if encoded else await connection.read_all(call, response)
        finally:
            await response.aclose()
    return _Answer(response.status_code, _object(data))


def _object(data: bytes) -> Json | None:
    try:
        value = decode_json(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
