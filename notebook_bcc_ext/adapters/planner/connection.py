"""One kept-alive HTTP connection to a planner: timeouts, limits, retries, credentials, records.

Both dialects speak through it. What may not leave this module: credentials (P9), and answers
larger or slower than the settings allow.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import httpx

from notebook_bcc_ext.adapters.planner.records import (
    CallKind,
    CallRecorder,
    OpenCall,
)
from notebook_bcc_ext.adapters.planner.retry import (
    TransientFault,
    is_transient,
    network_faults_are_transient,
    retry_after_seconds,
    retrying,
)
from notebook_bcc_ext.errors import (
    BccError,
    PlannerError,
    PlannerFailingError,
    PlannerUnavailableError,
    ProtocolError,
)
from notebook_bcc_ext.ports import CallListener, Json
from notebook_bcc_ext.protocol.plain import plain
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation
from notebook_bcc_ext.settings.addresses import is_within, origin_of, without_userinfo
from notebook_bcc_ext.settings.names import PLANNER_IDENTITY, Settings
from notebook_bcc_ext.settings.secrets import basic_credentials

logger = logging.getLogger(__name__)

T = TypeVar("T")

_MAX_REDIRECTS = 3
_EXCERPT = 200
_REFUSAL_BYTES = 64 * 1024
_UNAUTHORIZED = (401, 403)
_REPEATED_AS_IS = (307, 308)
_HOW_TO_SET_CREDENTIALS = (
    "Set BCC_PLANNER_TOKEN or BCC_PLANNER_HEADERS, and DSLC_BASE_URL to the address they are for"
)


@dataclass(frozen=True)
class Question:
    kind: CallKind
    method: Literal["GET", "POST"]
    url: str
    body: Json
    location: CurrentLocation | None


class PlannerConnection:
    """What every client of a planner has: one way to ask, to try again and to record."""

    def __init__(
        self,
        settings: Settings,
        on_call: CallListener,
        transport: httpx.AsyncBaseTransport | None = None,
        first_call_number: int = 1,
    ) -> None:
        self.settings = settings
        self.redact = settings.redactor
        self._recorder = CallRecorder(
            on_call, self.redact, settings.call_record_bytes, first_call_number
        )
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()
        self._told_of_secrets = False

    def adopt(self, settings: Settings) -> None:
        """All of them but where the planner is, how it speaks and who we are to it."""
        same = {name: getattr(self.settings, name) for name in PLANNER_IDENTITY}
        self.settings = settings.model_copy(update=same)
        self._recorder.keep(settings.call_record_bytes)
        if self._client is not None:
            self._client.timeout = self._timeout()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    # -- calls --------------------------------------------------------------------------------

    async def ask(self, question: Question, parse: Callable[[Json], T]) -> T:
        """One question, one JSON object as its answer, read by `parse`."""
        url = question.url
        with self.recorded(question.kind, url, question.body, question.location) as call:
            answer = await self.retried(call, self._ask_once, call, question.method, url)
            try:
                return parse(answer)
            except ProtocolError as error:
                raise self.error(url, f"gave an answer that does not fit: {error}") from None

    async def _ask_once(self, call: OpenCall, method: str, url: str) -> Json:
        call.begin_try()
        response = await self.send(call, method, url)
        try:
            await self.refuse_failure(call, response)
            data = await self.read_all(call, response)
        finally:
            await response.aclose()
        try:
            value = decode_json(data.removeprefix(b"\xef\xbb\xbf"))
        except ValueError as error:
            raise self.error(url, self._unusable(call, str(error), data)) from None
        if not isinstance(value, dict):
            raise self.error(url, self._unusable(call, "it is not a JSON object", data))
        return self.without_secrets(value)

    async def retried(self, call: OpenCall, attempt: Callable[..., Any], *arguments: object) -> Any:
        try:
            return await retrying(self.settings)(attempt, *arguments)
        except TransientFault as fault:
            tries = "1 try" if call.tries == 1 else f"{call.tries} tries"
            if call.status is not None and is_transient(call.status):
                raise self.error(
                    call.url,
                    f"answered with an error after {tries}: {fault.reason}. Look into the "
                    "service's own log",
                    PlannerFailingError,
                ) from None
            raise self.error(
                call.url,
                f"gave no usable answer after {tries}: {fault.reason}. Check that the service "
                "runs and that this is its address",
                PlannerUnavailableError,
            ) from None

    @contextmanager
    def recorded(
        self, kind: CallKind, url: str, body: Json, location: CurrentLocation | None
    ) -> Iterator[OpenCall]:
        """However the call ends, exactly one record of it is made."""
        call = self._recorder.call(kind, url, location)
        call.request = encode_body(self.redact.in_observation(body))
        try:
            yield call
        except asyncio.CancelledError:
            call.finish("cancelled")
            raise
        except BccError as error:
            call.finish(str(error))
            raise
        finally:
            call.finish()

    # -- one exchange -------------------------------------------------------------------------

    async def send(self, call: OpenCall, method: str, url: str) -> httpx.Response:
        """The answer's head; its body is still to be read, and the caller closes it."""
        client = await self._open_client()
        request = client.build_request(method, url, content=call.request)
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._send_once(client, request)
            call.url, call.status = str(request.url), response.status_code
            following = response.next_request
            if following is None:
                return response
            await response.aclose()
            target = str(following.url)
            inside = is_within(target, self.settings.planner_address)
            if response.status_code not in _REPEATED_AS_IS or not inside:
                raise self.error(
                    url,
                    f"redirects (HTTP {response.status_code}) to {without_userinfo(target)}, which "
                    "is not followed. If that is the planner, give that address",
                )
            # Built anew: credentials and body exactly as in the first request.
            request = client.build_request(method, target, content=call.request)
        raise self.error(url, f"redirects more than {_MAX_REDIRECTS} times")

    async def _send_once(self, client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
        limit = min(self.settings.read_timeout, self.settings.total_timeout)
        with network_faults_are_transient(f"no answer within {limit:.3g} s"):
            try:
                async with asyncio.timeout(limit):
                    return await client.send(request, stream=True)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL) as error:
                raise self.error(str(request.url), f"cannot be asked: {error}") from None

    async def refuse_failure(self, call: OpenCall, response: httpx.Response) -> None:
        """Raise for anything but a plain 2xx: TransientFault when another try may help."""
        status = response.status_code
        if response.is_success:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise self.error(call.url, "sent a compressed answer although none was asked for")
            return
        reason = _reason_given(await self._read_beginning(call, response))
        told = f"HTTP {status} ({response.reason_phrase or 'no reason'}): {self._excerpt(reason)}"
        if is_transient(status):
            raise TransientFault(told, retry_after_seconds(response.headers.get("retry-after")))
        remedy = ""
        if status in _UNAUTHORIZED:
            remedy = f". {self.settings.withheld or _HOW_TO_SET_CREDENTIALS}"
        raise self.error(call.url, f"refused the request with {told}{remedy}")

    def answer_bytes(self, call: OpenCall, response: httpx.Response) -> AnswerBytes:
        return AnswerBytes(call, response, self.settings, self.error)

    async def read_all(self, call: OpenCall, response: httpx.Response) -> bytes:
        answer = self.answer_bytes(call, response)
        parts: list[bytes] = []
        while (chunk := await answer.next_chunk()) is not None:
            parts.append(chunk)
        return b"".join(parts)

    async def _read_beginning(self, call: OpenCall, response: httpx.Response) -> bytes:
        """Enough of a refusal to tell why; a refusal that itself breaks off is still one."""
        answer = self.answer_bytes(call, response)
        beginning = b""
        with suppress(TransientFault, PlannerError):
            while len(beginning) < _REFUSAL_BYTES:
                chunk = await answer.next_chunk()
                if chunk is None:
                    break
                beginning += chunk
        return beginning

    def without_secrets(self, value: Json) -> Json:
        """What the planner sent, as the run may take it."""
        cleaned: Json = self.redact.in_answer(value)
        if cleaned != value and not self._told_of_secrets:
            self._told_of_secrets = True
            logger.warning(
                "the planner at %s repeated its credentials; they are blanked in what it sends",
                self.settings.planner_address,
            )
        return cleaned

    # -- words --------------------------------------------------------------------------------

    def error(
        self, url: str, problem: str, kind: type[PlannerError] = PlannerError
    ) -> PlannerError:
        return kind(self.redact(f"The planner at {without_userinfo(url)} {problem}."))

    def _unusable(self, call: OpenCall, reason: str, data: bytes) -> str:
        return (
            f"answered HTTP {call.status}, but the answer cannot be used: {reason} "
            f"(it begins with: {self._excerpt(data)}). A planner answers with one JSON object; "
            "check that this is the address of a planner service"
        )

    def _excerpt(self, data: bytes) -> str:
        # Redacted before it is cut: half a secret is still half a secret.
        text = self.redact(data[:_REFUSAL_BYTES].decode("utf-8", errors="replace")).strip()
        return (text[:_EXCERPT] + "…" if len(text) > _EXCERPT else text) or "nothing"

    # -- client -------------------------------------------------------------------------------

    async def _open_client(self) -> httpx.AsyncClient:
        async with self._opening:
            if self._client is None:
                self._client = httpx.AsyncClient(
                    transport=self._transport,
                    headers=self._headers(),
                    timeout=self._timeout(),
                    verify=await _tls_context(self.settings.planner_address),
                    trust_env=not _is_loopback(self.settings.planner_address),
                )
            return self._client

    def _timeout(self) -> httpx.Timeout:
        connect, write = self.settings.connect_timeout, self.settings.read_timeout
        return httpx.Timeout(None, connect=connect, write=write, pool=connect)

    def _headers(self) -> dict[str, str]:
        headers = {
            "accept": "application/x-ndjson, application/json",
            # A compressed answer would arrive in blocks, not line by line, and can hide its size.
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "notebook-bcc-ext",
        }
        if self.settings.planner_userinfo:
            userinfo = self.settings.planner_userinfo.get_secret_value()
            headers["authorization"] = f"Basic {basic_credentials(userinfo)}"
        for name, value in self.settings.planner_headers.items():
            headers[name.lower()] = value.get_secret_value()
        if self.settings.planner_token:
            headers["authorization"] = f"Bearer {self.settings.planner_token.get_secret_value()}"
        return headers


class AnswerBytes:
    """The bytes of one answer as they arrive, held to the limits of size and time.

    Only the time spent waiting for the planner counts: a slow cell between two lines does not.
    """

    def __init__(
        self,
        call: OpenCall,
        response: httpx.Response,
        settings: Settings,
        error: Callable[[str, str], PlannerError],
    ) -> None:
        self._call = call
        # A transport in this process may hand over an answer that is already complete.
        complete = response.is_stream_consumed
        self._chunks = response.aiter_bytes() if complete else response.aiter_raw()
        self._settings = settings
        self._error = error
        self._waited = 0.0

    async def next_chunk(self) -> bytes | None:
        """The next bytes, or None at the end."""
        left = self._settings.total_timeout - self._waited
        limit = max(0.0, min(self._settings.idle_timeout, left))
        reason = f"its answer did not go on within {limit:.3g} s"
        began = time.monotonic()
        with network_faults_are_transient(reason):
            async with asyncio.timeout(limit):
                chunk = await anext(self._chunks, None)
        self._waited += time.monotonic() - began
        if chunk is None:
            self._call.answer_ended()
            return None
        self._call.received(chunk)
        if self._call.answer_bytes > self._settings.max_answer_bytes:
            raise self._error(
                self._call.url,
                f"sent more than {self._settings.max_answer_bytes} bytes in one answer; the rest "
                "was not read. Raise BCC_MAX_ANSWER_BYTES if that is intended",
            )
        return chunk


def _reason_given(data: bytes) -> bytes:
    """The sentence inside the usual error objects of web services; else the body as it is."""
    try:
        value = decode_json(data)
    except ValueError:
        return data
    for key in ("error", "message", "detail"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    return value.encode() if isinstance(value, str) else data


def encode_body(body: Json) -> bytes:
    """The request as bytes of valid JSON, whatever values came out of a kernel."""
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(plain(body), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace")


async def _tls_context(address: str) -> ssl.SSLContext:
    """Loading the certificates takes 50 ms and more: in a thread, and only for https."""
    if address.startswith("https:"):
        return await asyncio.to_thread(httpx.create_ssl_context)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _is_loopback(address: str) -> bool:
    """A proxy from the environment cannot reach this machine's own services."""
    host = origin_of(address)[1]
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
