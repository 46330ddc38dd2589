"""Somebody at the kernel that a run uses, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner


class Person:
    """Sends cells of their own, like the browser."""

    def __init__(self, client: AsyncKernelClient) -> None:
        self._client = client
        self.display_ids: list[str] = []
        """Of what their own cells displayed and updated."""

    async def run(self, code: str) -> str:
        """What the cell printed."""
        texts: list[str] = []

        def take(message: dict[str, Any]) -> None:
            texts.append(message["content"].get("text", ""))
            if "transient" in message["content"]:
                self.display_ids.append(message["content"]["transient"]["display_id"])

        reply = await self._client.execute_interactive(code, timeout=30, output_hook=take)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(texts)

    def begin(self, code: str) -> None:
        self._client.execute(code)

    async def heard(self, count: int) -> list[tuple[str, str]]:
        """Type and display id of that many messages about displays, whoever made them."""
        found: list[tuple[str, str]] = []
        async with asyncio.timeout(30):
            while len(found) < count:
                message = await self._client.get_iopub_msg()
                shown = message["content"].get("transient", {}).get("display_id")
                if shown is not None:
                    found.append((message["msg_type"], shown))
        return found


@asynccontextmanager
async def person_at(runner: KernelRunner) -> AsyncIterator[Person]:
    kernel = await runner.source.find()
    assert kernel is not None
    client = AsyncKernelClient()
    client.load_connection_info(kernel.manager.get_connection_info())
    client.start_channels(hb=False)
    await client.wait_for_ready(timeout=30)
    try:
        yield Person(client)
    finally:
        client.stop_channels()
