"""What the call inspector is told of each planner call (O13), with secrets blanked (P9)."""

from __future__ import annotations

import base64
import itertools
import json
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote

from notebook_bcc_ext.ports import CallListener, CallRecord
from notebook_bcc_ext.protocol.observation import CurrentLocation
from notebook_bcc_ext.protocol.records import CUT_MARK
from notebook_bcc_ext.protocol.settings import Settings, without_userinfo

CallKind = Literal["planning", "generating", "feedback"]

BLANK = "***"
# A shorter "secret" would blank half of every text, and protects nothing.
_SHORTEST_SECRET = 4
# In what is acted on, where a blank changes code that runs, also words of everyday are spared.
_SHORTEST_IN_ANSWERS = 8
_QUOTED_TIMES = 3


class Redactor:
    """Blanks the credentials of one planner in any text, in each form a service may echo them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= _SHORTEST_SECRET
            for form in (*_as_json(secret), quote(secret, safe=""), quote(secret))
        }
        # Longest first: a secret that contains another one is blanked as a whole.
        self._forms = sorted(forms, key=len, reverse=True)

    @classmethod
    def of(cls, settings: Settings) -> Redactor:
        secrets = [value.get_secret_value() for value in settings.planner_headers.values()]
        # "Bearer abc" in a header is the secret "abc" when it comes back without its scheme.
        secrets += [text.partition(" ")[2] for text in secrets if " " in text]
        if settings.planner_token:
            secrets.append(settings.planner_token.get_secret_value())
        if settings.planner_userinfo:
            userinfo = settings.planner_userinfo.get_secret_value()
            secrets += [userinfo, basic_credentials(userinfo), userinfo.partition(":")[2]]
        return cls(secrets)

    @property
    def longest(self) -> int:
        return max((len(form.encode()) for form in self._forms), default=0)

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, BLANK)
        return text

    def excerpt(self, text: str) -> str:
        """Of a text that was cut before: half a secret at its end is still half a secret."""
        text = self(text)
        for form in self._forms:
            for length in range(len(form) - 1, _SHORTEST_SECRET - 1, -1):
                if text.endswith(form[:length]):
                    return text[:-length] + BLANK
        return text

    def in_answer(self, value: Any) -> Any:
        """A decoded answer without them: what a planner repeats must not get into cells."""
        forms = [form for form in self._forms if len(form) >= _SHORTEST_IN_ANSWERS]
        return _blanked(value, forms) if forms else value


def _as_json(secret: str) -> list[str]:
    """As it is, and in JSON: code that quotes it stands quoted in an answer, and so on."""
    forms = [secret]
    for _ in range(_QUOTED_TIMES):
        forms.append(json.dumps(forms[-1])[1:-1])
    return forms


def _blanked(value: Any, forms: list[str]) -> Any:
    if isinstance(value, str):
        for form in forms:
            value = value.replace(form, BLANK)
        return value
    if isinstance(value, dict):
        return {_blanked(key, forms): _blanked(item, forms) for key, item in value.items()}
    if isinstance(value, list):
        return [_blanked(item, forms) for item in value]
    return value


def basic_credentials(userinfo: str) -> str:
    return base64.b64encode(userinfo.encode()).decode()


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
        self._max_bytes = max_bytes
        # Kept a little longer than shown, so that a secret on the edge is seen whole and blanked.
        self.kept_bytes = max_bytes + redact.longest

    def call(self, kind: CallKind, url: str, location: CurrentLocation | None) -> OpenCall:
        return OpenCall(self, kind, url, location)

    def shown(self, body: bytes, full_size: int) -> str:
        # `\xff` is no JSON either: a line that could not be read is not readable in a replay.
        text = self.redact(body.decode("utf-8", errors="backslashreplace"))
        if full_size <= self._max_bytes:
            return text
        cut = text.encode()[: self._max_bytes].decode("utf-8", errors="ignore")
        return cut + CUT_MARK.format(full_size)
