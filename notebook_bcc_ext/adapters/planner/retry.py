"""When a planner call is tried again, and how long to wait before (P7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from notebook_bcc_ext.settings.names import Settings

_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = range(500, 600)


class TransientFault(Exception):  # noqa: N818 - not an error of the product: it is tried again
    """A failure that may be gone the next time."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


def is_transient(status: int) -> bool:
    return status == _TOO_MANY_REQUESTS or status in _SERVER_ERRORS


def retrying(settings: Settings) -> AsyncRetrying:
    """Tries of one call; the last TransientFault comes out when all of them failed."""
    backoff = wait_exponential(multiplier=settings.retry_wait, max=settings.retry_wait_max)
    jitter = wait_random(0, settings.retry_wait)

    def wait(state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after if isinstance(fault, TransientFault) else None
        wanted = backoff(state) + jitter(state)
        # Never before the planner's own time, never longer than the person is to wait.
        return min(max(wanted, asked or 0.0), settings.retry_wait_max)

    return AsyncRetrying(
        stop=stop_after_attempt(settings.planner_tries),
        wait=wait,
        retry=retry_if_exception_type(TransientFault),
        reraise=True,
    )


def retry_after_seconds(header: str | None) -> float | None:
    """Retry-After as seconds from now: it is a number of seconds or a date (RFC 9110)."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


@contextmanager
def network_faults_are_transient(timeout_reason: str) -> Iterator[None]:
    """Connection errors and timeouts become TransientFault; other failures pass through."""
    try:
        yield
    except httpx.ConnectTimeout:
        raise TransientFault("no connection within the time allowed") from None
    except (TimeoutError, httpx.TimeoutException):
        raise TransientFault(timeout_reason) from None
    except httpx.ConnectError as error:
        raise TransientFault(f"no connection ({error})") from None
    except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError) as error:
        detail = str(error) or type(error).__name__
        raise TransientFault(f"the connection broke ({detail})") from None
