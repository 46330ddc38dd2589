"""The embedded planner as an httpx transport: in process, without a socket, the same protocol.

httpx.AsyncClient(transport=EmbeddedTransport(planner), base_url="http://embedded")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.service import dispatch

BASE_URL = "http://embedded"


class EmbeddedTransport(httpx.AsyncBaseTransport):
    def __init__(self, planner: EmbeddedPlanner | None = None) -> None:
        self._planner = planner or EmbeddedPlanner()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        answer = dispatch(self._planner, request.method, request.url.path, body)
        return httpx.Response(
            answer.status,
            headers={"Content-Type": answer.content_type},
            stream=_Lines(answer.lines),
        )


class _Lines(httpx.AsyncByteStream):
    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for line in self._lines:
            yield line
            # Let the reader act on this line before the next one is made.
            await asyncio.sleep(0)
