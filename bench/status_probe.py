"""Asks a server for its status from a process of its own, which nothing else keeps waiting.

    python -m bench.status_probe URL TOKEN

One question after the other until standard input ends; then prints the seconds each took, by path.
"""

from __future__ import annotations

import asyncio
import json
import select
import sys
import time
from typing import Self

import httpx

JUPYTERS = "/api/status"
OURS = "/notebook-bcc/api/status"
PATHS = (JUPYTERS, OURS)
QUESTION_EVERY_SECONDS = 0.02

Took = dict[str, list[float]]


class StatusProbe:
    def __init__(self, url: str, token: str) -> None:
        self._command = (sys.executable, "-m", "bench.status_probe", url, token)

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        printed, _error = await self._process.communicate(b"")
        self.took: Took = json.loads(printed)


def ask(client: httpx.Client) -> Took:
    took: Took = {path: [] for path in PATHS}
    while not select.select([sys.stdin], [], [], QUESTION_EVERY_SECONDS)[0]:
        for path in PATHS:
            began = time.perf_counter()
            answer = client.get(path)
            took[path].append(time.perf_counter() - began)
            # Jupyter lists a kernel one turn of the loop before it knows its last activity, and
            # whoever asks in that turn gets an error.
            if path != JUPYTERS:
                answer.raise_for_status()
    return took


def main() -> None:
    url, token = sys.argv[1:]
    headers = {"Authorization": f"token {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60.0) as client:
        print(json.dumps(ask(client)))


if __name__ == "__main__":
    main()
