"""A recorded run's planner traffic, played again without the planner.

A run asks one thing after the other, so the answers are given in the order of the record. A call
of another kind, or from another place, than the recorded one means that the run took another way.
It ends there: going on with answers to other questions would only look like a replay.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx

from notebook_bcc_ext.errors import PlannerUnavailableError, RecordError
from notebook_bcc_ext.planners.record_file import CANCELLED, Place, Record, RecordedCall

BASE_URL = "http://replay"


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers, failures and broken streams as they were; only the last try of each call."""

    def __init__(self, record: Record) -> None:
        self._calls = deque(_asked_once(record.calls))
        self._status = record.run.status
        self.latest: RecordedCall | None = None

    @property
    def calls_left(self) -> int:
        return len(self._calls)

    @property
    def asks_again(self) -> bool:
        """Whether the record goes on with the same question: somebody ordered another try."""
        latest, following = self.latest, next(iter(self._calls), None)
        return (
            latest is not None
            and following is not None
            and following.location is not None
            and (following.kind, following.location) == (latest.kind, latest.location)
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        kinds, place = _kinds(request.url.path, body), _place(body)
        if not self._calls:
            raise RecordError(self._ending(kinds[0]))
        call = self._calls[0]
        if call.kind not in kinds or (call.location or place) != place:
            raise RecordError(
                f"the replay went another way than the recorded run: call {call.number} was of "
                f"the kind {call.kind}, {call.location}, but now comes one of the kind {kinds[0]}, "
                f"{place}. Other data, other libraries in the kernel or other answers to the "
                "run's questions lead to that"
            )
        self.latest = self._calls.popleft()
        if call.error is None:
            return httpx.Response(200, content=_bytes(call))
        if call.streamed:
            return httpx.Response(200, stream=_BrokenStream(call))
        if call.error == CANCELLED:
            raise RecordError(self._ending(call.kind))
        raise PlannerUnavailableError(call.error)

    def _ending(self, kind: str) -> str:
        if self._status in ("done", "failed"):
            return (
                f"the record has no further answer, but this run makes a call of the kind {kind}: "
                "it went another way than the recorded one"
            )
        return f"the record ends here: the run was {self._status} when it was recorded"


class _BrokenStream(httpx.AsyncByteStream):
    """What arrived, and then the end of the connection."""

    def __init__(self, call: RecordedCall) -> None:
        self._call = call

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield _bytes(self._call)
        raise httpx.ReadError(f"as in the record: {self._call.error}")


def _bytes(call: RecordedCall) -> bytes:
    return call.answer.encode("utf-8", errors="replace")


def _asked_once(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Without questions that a stopping server broke off: it asked them again."""
    listed = list(calls)
    return [
        call
        for call, following in zip(listed, [*listed[1:], None], strict=True)
        if call.error != CANCELLED
        or call.streamed
        or following is None
        or following.kind != call.kind
    ]


def _kinds(path: str, body: bytes) -> tuple[str, ...]:
    """Which recorded calls this request may be; in the dialect v1 a fetch is either of two."""
    if path == "/v1/actions":
        return "planning", "generating"
    if path == "/v1/reflection":
        return ("feedback",)
    if path != "/planning":
        return ("generating",)
    return ("feedback",) if _asked(body).get("behavior_feedback") else ("planning",)


def _place(body: bytes) -> Place:
    location = _asked(body).get("observation", {}).get("location", {})
    if "current" in location:
        return Place.model_validate(location["current"])
    # The flat form of the dialect v1.
    return Place(stage_id=location.get("current_stage_id"), step_id=location.get("current_step_id"))


def _asked(body: bytes) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(body)
    return asked
