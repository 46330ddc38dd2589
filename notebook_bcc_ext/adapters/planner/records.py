"""What the call inspector is told of each planner call (O13), with secrets blanked (P9)."""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import Literal

from notebook_bcc_ext.ports import CallListener, CallRecord
from notebook_bcc_ext.protocol.browser.records import CUT_MARK
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.settings.addresses import without_userinfo
from notebook_bcc_ext.settings.secrets import Redactor

CallKind = Literal["planning", "generating", "feedback"]


class OpenCall:
    """A call under way: collects what happens, and becomes one CallRecord when it is over."""

    def __init__(
        self, recorder: CallRecorder, kind: CallKind, url: str, location: CurrentLocation | None
    ) -> None:
        self.kind = kind
        self.url = url
        self.location = location
        self.tries = 0
        self.status: int | None = None
        self.request = b""
        self.answer_bytes = 0
        self._recorder = recorder
        self._answer = bytearray()
        self._started_at = datetime.now(UTC).isoformat()
        self._start = time.perf_counter()
        self._duration: float | None = None
        self._finished = False

    def begin_try(self) -> None:
        """What an earlier try received is not part of the answer."""
        self.tries += 1
        self.status = None
        self.answer_bytes = 0
        self._answer.clear()

    def received(self, chunk: bytes) -> None:
        self.answer_bytes += len(chunk)
        room = self._recorder.kept_bytes - len(self._answer)
        if room > 0:
            self._answer += chunk[:room]

    def answer_ended(self) -> None:
        """The last byte is in: what the engine does afterwards is not the planner's time."""
        self._duration = time.perf_counter() - self._start

    def finish(self, error: str | None = None) -> None:
        if self._finished:
            return
        self._finished = True
        duration = self._duration or time.perf_counter() - self._start
        recorder = self._recorder
        recorder.listener(
            CallRecord(
                number=next(recorder.numbers),
                kind=self.kind,
                url=without_userinfo(self.url),
                started_at=self._started_at,
                duration_ms=round(duration * 1000, 3),
                status=self.status,
                tries=self.tries,
                request_bytes=len(self.request),
                answer_bytes=self.answer_bytes,
                request=recorder.shown(self.request[: recorder.kept_bytes], len(self.request)),
                answer=recorder.shown(bytes(self._answer), self.answer_bytes),
                error=None if error is None else recorder.redact(error),
                location=self.location,
            )
        )


class CallRecorder:
    def __init__(
        self, listener: CallListener, redact: Redactor, max_bytes: int, first_number: int = 1
    ) -> None:
        self.listener = listener
        self.redact = redact
        self.numbers = itertools.count(first_number)
        self.keep(max_bytes)

    def keep(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        # Kept a little longer than shown, so that a secret on the edge is seen whole and blanked.
        self.kept_bytes = max_bytes + self.redact.longest

    def call(self, kind: CallKind, url: str, location: CurrentLocation | None) -> OpenCall:
        return OpenCall(self, kind, url, location)

    def shown(self, body: bytes, full_size: int) -> str:
        # `\xff` is no JSON either: a line that could not be read is not readable in a replay.
        text = self.redact(body.decode("utf-8", errors="backslashreplace"))
        if full_size <= self._max_bytes:
            return text
        cut = text.encode()[: self._max_bytes].decode("utf-8", errors="ignore")
        return cut + CUT_MARK.format(full_size)
