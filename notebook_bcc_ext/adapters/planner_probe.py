"""Whether a planner service answers, told without asking it to plan anything."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

import httpx

from notebook_bcc_ext.protocol.settings import Settings

SECONDS = 5.0
# /planning takes POST only: any of these says that it is there.
_MISSING = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


Outcome = Literal["answers", "silent", "unreachable", "no_planner", "error"]


@dataclass(frozen=True)
class Probe:
    outcome: Outcome
    message: str
    status: int | None = None

    @property
    def ok(self) -> bool:
        return self.outcome == "answers"


async def probe(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> Probe:
    """GET the planning endpoint. Credentials stay here: a probe needs none."""
    url = settings.v1_actions_url if settings.dialect == "v1" else settings.planning_url
    try:
        async with httpx.AsyncClient(
            transport=transport, timeout=SECONDS, trust_env=False, follow_redirects=False
        ) as client:
            response = await client.get(url)
    except httpx.TimeoutException:
        return Probe("silent", f"no answer from {url} within {SECONDS:g} seconds")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Probe("unreachable", f"no answer from {url}: {error}")
    status = response.status_code
    if status in _MISSING:
        message = f"a server answers, but not as a planner: {url} is {status}"
        return Probe("no_planner", message, status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Probe("error", f"{url} answers with an error: {status}", status)
    return Probe("answers", f"a service answers at {url}", status)
