"""A planner service for the browser tests: plays the script that it reads from its first line.

    {"steps": {"step_1": [[item, …], …]}}

A step is a list of behaviors, a behavior a list of stream items: an action, a number of seconds
to wait, or {"wait": "name"}, which holds the stream until a later input line says that name. In an
action's content, {{now}} stands for the moment it is sent, in milliseconds.
The address goes to standard output; the end of the input ends the service.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.support.planner_server import ScriptedPlanner

NOW = "{{now}}"


def stamped(content: str) -> str:
    return content.replace(NOW, f"{time.time() * 1000:.1f}")


async def main() -> None:
    reader = asyncio.StreamReader(limit=2**26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    script = json.loads(await reader.readline())
    holds: dict[str, asyncio.Event] = {}

    def item(value: Any) -> Any:
        if isinstance(value, dict) and "wait" in value:
            return holds.setdefault(value["wait"], asyncio.Event())
        if isinstance(value, dict) and NOW in str(value.get("content")):
            return lambda: {"action": {**value, "content": stamped(value["content"])}}
        return value

    async with ScriptedPlanner() as planner:
        planner.workflow({"stage_1": list(script["steps"])})
        for step, behaviors in script["steps"].items():
            planner.step(step, [[item(value) for value in behavior] for behavior in behaviors])
        sys.stdout.write(f"{planner.url}\n")
        sys.stdout.flush()
        while line := (await reader.readline()).decode().strip():
            holds.setdefault(line, asyncio.Event()).set()


if __name__ == "__main__":
    asyncio.run(main())
