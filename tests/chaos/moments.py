"""When to kill: at any time, or just while something is being written, run or asked."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from tests.chaos.person import Person
from tests.chaos.story import NOTEBOOK
from tests.support.real_server import RealServer

KINDS = ("any time", "cell runs", "question open", "answer under way", "file flush", "store write")
WEIGHTS = (4, 3, 2, 2, 3, 3)
WATCH_SECONDS = 0.001
ANY_TIME_SECONDS = 4.0


def choose(chance: random.Random) -> str:
    return chance.choices(KINDS, WEIGHTS)[0]


async def wait_for(kind: str, server: RealServer, person: Person, chance: random.Random) -> None:
    """Returns when it is time to kill. A run that never gets there ends by itself."""
    match kind:
        case "any time":
            await asyncio.sleep(chance.uniform(0.0, ANY_TIME_SECONDS))
        case "cell runs":
            await _when(lambda: (person.sees.get("doing") or {}).get("what") == "cell")
            await asyncio.sleep(chance.uniform(0.0, 0.3))
        case "question open":
            person.hesitates = True
            await _when(lambda: person.sees.get("pending") is not None)
            await asyncio.sleep(chance.uniform(0.03, 0.2))
        case "answer under way":
            person.hesitates = True
            await _when(lambda: person.sees.get("pending") is not None)
            answering = asyncio.create_task(person.answer(person.sees["pending"]))
            await asyncio.sleep(chance.uniform(0.0, 0.03))
            answering.cancel()
        case "file flush":
            # jupyter_server keeps a copy of the old file while it writes the new one.
            copy = server.notebooks / f".~{NOTEBOOK}"
            await _when(copy.exists, chance.randrange(3))
            await asyncio.sleep(chance.choice((0.0, 0.0, 0.002, 0.005)))
        case "store write":
            log = Path(f"{server.store}-wal")
            await _when(_changes(log), chance.randrange(80))
        case _:
            raise ValueError(kind)


async def _when(happens: Callable[[], bool], times_before: int = 0) -> None:
    """It happens in other processes: all there is to do is to look again and again."""
    before, times = False, 0
    while True:
        now = happens()
        if now and not before:
            if times == times_before:
                return
            times += 1
        before = now
        await asyncio.sleep(WATCH_SECONDS)


def _changes(file: Path) -> Callable[[], bool]:
    def stamp() -> tuple[int, int]:
        try:
            found = file.stat()
        except FileNotFoundError:
            return (0, 0)
        return (found.st_size, found.st_mtime_ns)

    known = stamp()

    def changed() -> bool:
        nonlocal known
        before, known = known, stamp()
        return known != before

    return changed
