"""A planner service behind HTTP: `POST /planning` judges, `POST /generating` streams actions.

Actions are handed on the moment their bytes arrive; nothing is read ahead of the engine but what
the network already delivered. Until the first line is there a failed stream is tried again,
afterwards never: what ran stays, and nothing runs twice (P7).
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Self

import httpx

from notebook_bcc_ext.adapters.planner.actions import ActionDecoder, Item
from notebook_bcc_ext.adapters.planner.client import PlannerClient
from notebook_bcc_ext.adapters.planner.connection import AnswerBytes, PlannerConnection, Question
from notebook_bcc_ext.adapters.planner.records import OpenCall
from notebook_bcc_ext.adapters.planner.retry import TransientFault
from notebook_bcc_ext.errors import PlannerError, PlannerStreamError, ProtocolError
from notebook_bcc_ext.ports import Json
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorInfo,
    PlannerRequest,
    PlanningAnswer,
    RequestOptions,
)
from notebook_bcc_ext.protocol.planner.ndjson import BadLine

_NOT_FOUND = 404


class HttpPlanner(PlannerClient):
    _lacks_generating = False
    """A service without /generating may have /generate; which one it has is remembered."""

    @property
    def _generating_url(self) -> str:
        settings = self._settings
        return settings.generate_url if self._lacks_generating else settings.generating_url

    async def plan(self, request: PlannerRequest) -> PlanningAnswer:
        question = Question(
            kind="feedback" if request.behavior_feedback else "planning",
            method="POST",
            url=self._settings.planning_url,
            body=wire_body(request, stream=False),
            location=request.observation.location.current,
        )
        return await self._connection.ask(question, read_planning_answer)

    @asynccontextmanager
    async def generate(self, request: PlannerRequest) -> AsyncIterator[HttpActionStream]:
        body = wire_body(request, stream=self._settings.stream)
        location = request.observation.location.current
        connection = self._connection
        with connection.recorded("generating", self._generating_url, body, location) as call:
            stream: HttpActionStream = await connection.retried(call, self._open_stream, call)
            try:
                yield stream
            finally:
                # Also on cancellation and when the engine leaves early: the planner sees at once
                # that nobody listens any more.
                await stream.close()

    async def _open_stream(self, call: OpenCall) -> HttpActionStream:
        call.begin_try()
        response = await self._send_generating(call)
        try:
            await self._connection.refuse_failure(call, response)
            stream = HttpActionStream(self._connection, call, response)
            await stream.wait_for_first()
        except BaseException:
            await response.aclose()
            raise
        return stream

    async def _send_generating(self, call: OpenCall) -> httpx.Response:
        response = await self._connection.send(call, "POST", self._generating_url)
        fallback = self._settings.generate_url
        if response.status_code != _NOT_FOUND or self._generating_url == fallback:
            return response
        await response.aclose()
        response = await self._connection.send(call, "POST", fallback)
        if response.status_code == _NOT_FOUND:
            await response.aclose()
            raise self._connection.error(
                self._generating_url,
                f"knows neither this address nor {fallback} (HTTP 404). Check the planner's "
                "address and the dialect",
            )
        self._lacks_generating = True
        return response


class HttpActionStream:
    """The lines of one behavior, each as soon as it is there."""

    def __init__(
        self, connection: PlannerConnection, call: OpenCall, response: httpx.Response
    ) -> None:
        self.behavior: BehaviorInfo | None = None
        self.beside: PlanningAnswer | None = None
        self._connection = connection
        self._call = call
        self._response = response
        self._settings = connection.settings
        self._answer: AnswerBytes = connection.answer_bytes(call, response)
        self._decoder = ActionDecoder(self._settings.max_line_bytes, connection.without_secrets)
        self._ready: deque[Item] = deque()
        self._seen = 0
        self._delivered = 0
        self._ended = False
        self._failure: TransientFault | PlannerError | None = None

    async def wait_for_first(self) -> None:
        """Read until there is something to deliver. A failure before that may be tried again."""
        await self._read_until_ready()
        if self._failure is not None and not self._ready:
            raise self._failure

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        await self._read_until_ready()
        if self._ready:
            self._delivered += 1
            return self._ready.popleft()
        if self._failure is not None:
            raise self._broken(str(self._failure)) from None
        raise StopAsyncIteration

    async def close(self) -> None:
        await self._response.aclose()

    async def _read_until_ready(self) -> None:
        while not (self._ready or self._ended or self._failure):
            try:
                await self._read_chunk()
            except ProtocolError as error:
                self._failure = self._connection.error(
                    self._call.url,
                    f"answered HTTP {self._call.status}, but the answer cannot be used: {error}. "
                    "Correct the planner, or check that its address is the planner's",
                )
            except (TransientFault, PlannerError) as error:
                self._failure = error

    async def _read_chunk(self) -> None:
        chunk = await self._answer.next_chunk()
        if chunk is None:
            self._ended = True
            self._add(self._decoder.close())
            if not self._settings.stream and self._call.answer_bytes == 0:
                raise ProtocolError("it is empty")
        else:
            self._add(self._decoder.feed(chunk))

    def _add(self, items: list[Item]) -> None:
        self.behavior = self._decoder.behavior
        most = self._settings.max_actions_per_behavior
        room = max(0, most - self._seen)
        self._seen += len(items)
        self._ready.extend(self._without_secrets(item) for item in items[:room])
        if len(items) > room:
            self._failure = self._connection.error(
                self._call.url,
                f"sent more than {most} actions for one behavior; the others were not taken. "
                "Raise BCC_MAX_ACTIONS_PER_BEHAVIOR if that is intended",
            )

    def _without_secrets(self, item: Item) -> Item:
        """A bad line is shown to people and repeated to planners, whatever it echoes."""
        if not isinstance(item, BadLine):
            return item
        return replace(item, excerpt=self._connection.redact.excerpt(item.excerpt))

    def _broken(self, reason: str) -> PlannerStreamError:
        return PlannerStreamError(
            self._connection.redact(
                f"The stream from {self._call.url} failed after {self._delivered} lines "
                f"({self._call.answer_bytes} bytes): {reason.rstrip('.')}. "
                "What has run stays; nothing was run twice."
            )
        )


def wire_body(request: PlannerRequest, *, stream: bool) -> Json:
    request.observation.require_progress()
    return request.model_copy(update={"options": RequestOptions(stream=stream)}).to_wire()


def read_planning_answer(answer: Json) -> PlanningAnswer:
    """Raises ProtocolError for an answer that says nothing at all."""
    parsed = PlanningAnswer.parse(answer)
    if not parsed.model_fields_set & PlanningAnswer.model_fields.keys():
        raise ProtocolError(
            "it has none of the fields of a planning answer "
            "(targetAchieved, transition, context_update, …)"
        )
    return parsed
