"""Runs against a planner that answers nonsense: no unhandled exception, no hang, no growth.

    python -m tests.fuzz.campaign [--answers 10000] [--seed N]

Through the real client, decoder and engine; notebook, kernel and store are in memory, for speed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from notebook_bcc_ext.adapters.planner.factory import make_planner
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.ports import CellStatus, OutputListener, Overwritten, RunResult, Variables
from notebook_bcc_ext.protocol.browser.facts import News
from notebook_bcc_ext.protocol.browser.runs import Command, CommandName, RunRequest
from notebook_bcc_ext.protocol.plain import model_text
from notebook_bcc_ext.settings.names import Settings
from tests.fuzz.strange import Strange
from tests.support.fakes import MemoryNotebook, MemoryStore

Json = dict[str, Any]

RUN_SECONDS = 60
ANSWERS_PER_RUN = 60
ORDERS_PER_RUN = 200
WARM_UP = 0.2
MAY_GROW_BYTES = 3_000_000
ENDS: tuple[CellStatus, ...] = ("ok", "ok", "ok", "error", "gone", "timeout")
STAGES = [{"id": "a", "steps": [{"id": "s1"}, {"id": "s2"}]}, {"id": "b", "steps": [{"id": "s3"}]}]


@dataclass
class Tally:
    answers: int = 0
    runs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    unhandled: list[str] = field(default_factory=list)
    hung: int = 0
    grown_bytes: int = 0

    @property
    def sound(self) -> bool:
        return not self.unhandled and not self.hung and self.grown_bytes < MAY_GROW_BYTES


class NonsensePlanner(httpx.AsyncBaseTransport):
    """Sane enough that runs get somewhere; the rest is made up."""

    def __init__(self, strange: Strange, tally: Tally) -> None:
        self._strange = strange
        self._tally = tally
        self.left = ANSWERS_PER_RUN

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._tally.answers += 1
        self.left -= 1
        if self._strange.chance.random() < 0.02:
            raise self._strange.chance.choice((httpx.ConnectError, httpx.ReadTimeout))("no")
        body = json.loads(request.content) if request.content else {}
        streams = "generat" in request.url.path
        data = self._stream() if streams else self._judgement(body)
        parts = self._strange.chunks(data)
        return httpx.Response(
            self._strange.status(), headers=self._strange.headers(), stream=_Parts(parts)
        )

    def _judgement(self, body: Json) -> bytes:
        state = body.get("observation", {}).get("context", {}).get("FSM", {}).get("state", "IDLE")
        done = self._strange.chance.random() < 0.5
        answer: Json = {
            "targetAchieved": done,
            "transition": {"continue_behaviors": not done, "target_achieved": done},
            "context_update": self._strange.object(("variables", "todo_list_update", "outputs")),
        }
        if state == "IDLE":
            answer["context_update"] = {"workflow_update": {"name": "w", "stages": STAGES}}
        spoil = self._strange.chance.random() < (0.2 if state == "IDLE" else 0.6)
        return self._strange.bytes_of(self._strange.spoiled(answer) if spoil else answer)

    def _stream(self) -> bytes:
        count = self._strange.chance.randrange(8)
        lines = [self._strange.bytes_of(self._strange.action()) for _ in range(count)]
        return self._strange.chance.choice((b"\n", b"\r\n", b"\n\n")).join(lines)


class _Parts(httpx.AsyncByteStream):
    def __init__(self, parts: list[bytes]) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


class EchoRunner:
    """A kernel that runs everything, sometimes into an error."""

    language = "python"
    identity = "echo"
    theirs = ("x",)

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._count = 0

    async def start(self, known: str | None = None) -> None: ...

    async def run(
        self,
        code: str,
        cell_id: str,  # noqa: ARG002
        on_outputs: OutputListener,  # noqa: ARG002
        names: Sequence[str] = (),  # noqa: ARG002
    ) -> RunResult:
        self._count += 1
        output = {"output_type": "stream", "name": "stdout", "text": code[:200]}
        return RunResult(self._chance.choice(ENDS), self._count, [output])

    async def variables(self) -> Variables:
        return Variables({"x": 1})

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        return dict.fromkeys(strategies, "short")

    async def present(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if self._chance.random() < 0.5}

    async def importable(self, modules: Sequence[str]) -> set[str]:
        return set(modules)

    async def promote(self, old: str, new: str) -> None: ...

    def belong(self, run_id: str, theirs: Sequence[str] | None) -> None: ...

    async def overwritten(self) -> Overwritten:
        return Overwritten(("x",) if self._chance.random() < 0.1 else ())

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:  # noqa: ARG002
        return Overwritten()

    async def interrupt(self) -> None: ...

    def mark_used(self) -> None: ...

    def adopt(self, settings: Settings) -> None:
        pass

    async def close(self) -> None: ...


class Silence:
    def publish(self, _run_id: str, news: News) -> None:
        # Everything that is told must fit into a message to the browser.
        model_text(news, by_alias=True)


class FuzzCampaign:
    def __init__(self, answers: int, seed: int) -> None:
        self._answers = answers
        self._chance = random.Random(seed)
        self.tally = Tally()

    async def carry_out(self) -> Tally:
        tally, base = self.tally, 0
        tracemalloc.start()
        try:
            while tally.answers < self._answers:
                await self._one_run()
                if not base and tally.answers > self._answers * WARM_UP:
                    base = _traced()
            tally.grown_bytes = _traced() - base
        finally:
            tracemalloc.stop()
        return tally

    async def _one_run(self) -> None:
        tally, strange = self.tally, Strange(self._chance)
        transport = NonsensePlanner(strange, tally)
        run = self._run(transport)
        tally.runs += 1
        try:
            async with asyncio.timeout(RUN_SECONDS):
                await self._steer(run, strange, transport)
        except TimeoutError:
            tally.hung += 1
        error = run.world.state.error
        tally.ends[run.status] += 1
        if error is not None and error.message.startswith("unexpected"):
            tally.unhandled.append(error.message[:300])
        try:
            run.view().model_dump_json()
            (await run.observation()).to_wire()
        except BccError:
            pass
        except Exception as unhandled:  # noqa: BLE001  that is what is looked for
            tally.unhandled.append(f"looking at the run: {unhandled!r}"[:300])
        await run.close()

    def _run(self, transport: NonsensePlanner) -> Run:
        chance = self._chance
        settings = Settings(
            dslc_base_url="http://planner",
            retry_wait=0.0,
            retry_wait_max=0.0,
            dialect=chance.choice(("v2", "v2", "v2", "v1")),
            stream=chance.random() < 0.8,
            on_action_error=chance.choice(("fail", "continue")),
            approval=chance.choice(("updates", "behaviors", "code", "none")),
            approve_plan=chance.random() < 0.2,
            notebook_cells=chance.choice(("summary", "full")),
            max_answer_bytes=100_000,
            max_line_bytes=20_000,
        )
        address = {"kind": "http", "url": "http://planner"}
        return make_run(
            f"run-{self.tally.runs}",
            RunRequest.model_validate({"notebook": "n.ipynb", "planner": address}),
            settings,
            notebook=MemoryNotebook("n.ipynb"),
            runner=EchoRunner(chance),
            planner=make_planner(settings, lambda _: None, transport),
            store=MemoryStore(),
            sink=Silence(),
        )

    async def _steer(self, run: Run, strange: Strange, transport: NonsensePlanner) -> None:
        run.start()
        for _ in range(ORDERS_PER_RUN):
            while run.status == "running" and not run.resting:  # noqa: ASYNC110  no event tells
                await asyncio.sleep(0)
            over = transport.left <= 0 or run.status in ("done", "cancelled")
            if over:
                break
            await self._order(run, strange)
        if "cancel" in run.allowed_commands:
            await run.command(Command(command="cancel"))
        await run.finished()

    async def _order(self, run: Run, strange: Strange) -> None:
        allowed = [name for name in run.allowed_commands if name not in ("pause", "reset")]
        if not allowed:
            await asyncio.sleep(0)
            return
        weights = [0.1 if name == "cancel" else 1.0 for name in allowed]
        name: CommandName = self._chance.choices(allowed, weights)[0]
        edited = strange.object(("stages", "updated_steps", "id")) if name == "confirm" else None
        odd = edited is not None and self._chance.random() < 0.2
        try:
            await run.command(Command(command=name, edited=edited if odd else None))
        except BccError:
            await asyncio.sleep(0)


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def report(tally: Tally, seconds: float) -> None:
    ends = ", ".join(f"{name} {count}" for name, count in tally.ends.most_common())
    print(f"{tally.answers} answers in {tally.runs} runs ({ends}), {seconds:.0f} s")
    print(f"unhandled exceptions: {len(tally.unhandled)}, hung: {tally.hung}")
    print(f"memory after the first fifth: {tally.grown_bytes / 1e6:+.2f} MB")
    for text, count in Counter(tally.unhandled).most_common(20):
        print(f"  {count} x {text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    tally = asyncio.run(FuzzCampaign(options.answers, options.seed).carry_out())
    report(tally, time.monotonic() - began)
    return 0 if tally.sound else 1


if __name__ == "__main__":
    sys.exit(main())
