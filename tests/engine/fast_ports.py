"""A planner that follows a script and a kernel of a few words, both in memory."""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from notebook_bcc_ext.ports import (
    CellError,
    OutputListener,
    Overwritten,
    RunResult,
    Variables,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs
from notebook_bcc_ext.protocol.planner.calls import BehaviorInfo, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]
_ASSIGNED = re.compile(r"^(\w+) = ", re.MULTILINE)


# -- the planner ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Script:
    """What the planner says, by the place it is asked about: the same question has the same answer,
    in whatever process."""

    stages: Mapping[str, Sequence[str]]
    behaviors: Mapping[str, Sequence[Sequence[Json]]] = field(default_factory=dict)
    """By step, one after the other."""
    said: Mapping[str, Json] = field(default_factory=dict)
    """By `STATE`, `STATE step` or `feedback step iteration`, what an answer has besides."""

    @property
    def workflow(self) -> Json:
        stages = [
            {"id": stage, "steps": [{"id": step} for step in steps]}
            for stage, steps in self.stages.items()
        ]
        return {"name": "fast", "stages": stages}


class _Lines:
    def __init__(self, lines: Sequence[Json]) -> None:
        self._lines = lines
        self.behavior: BehaviorInfo | None = None
        self.beside: PlanningAnswer | None = None

    async def __aiter__(self) -> AsyncIterator[Json]:
        for line in self._lines:
            yield copy.deepcopy(line)


class FastPlanner:
    def __init__(self, script: Script) -> None:
        self._script = script
        self.asked: list[str] = []

    def adopt(self, settings: Settings) -> None: ...

    async def plan(self, request: PlannerRequest) -> PlanningAnswer:
        wire = request.to_wire()
        here = wire["observation"]["location"]["current"]
        state, step = wire["observation"]["context"]["FSM"]["state"], here["step_id"]
        count = len(self._script.behaviors.get(step or "", ()))
        if "behavior_feedback" in wire:
            iteration = here["behavior_iteration"]
            self.asked.append(f"feedback {step} {iteration}")
            more = iteration < count
            answer: Json = {
                "targetAchieved": not more,
                "transition": {"continue_behaviors": more},
            }
            names = [f"feedback {step} {iteration}"]
        else:
            self.asked.append(f"{state} {step}")
            done = state in ("STEP_COMPLETED", "STAGE_COMPLETED")
            answer = {"targetAchieved": done or (state == "STEP_RUNNING" and count == 0)}
            if state == "IDLE":
                answer["context_update"] = {"workflow_update": self._script.workflow}
            names = [state, f"{state} {step}"]
        for name in names:
            answer |= copy.deepcopy(self._script.said.get(name, {}))
        return PlanningAnswer.parse(answer)

    @asynccontextmanager
    async def generate(self, request: PlannerRequest) -> AsyncIterator[_Lines]:
        here = request.observation.location.current
        self.asked.append(f"generating {here.step_id} {here.behavior_iteration}")
        behaviors = self._script.behaviors.get(here.step_id or "", ())
        wanted = (here.behavior_iteration or 1) - 1
        yield _Lines(behaviors[wanted] if wanted < len(behaviors) else ())

    async def close(self) -> None: ...


# -- the kernel -------------------------------------------------------------------------------


@dataclass
class Kernel:
    """Outlives the processes that use it."""

    identity: str = "kernel-1"
    ran: list[tuple[str, str]] = field(default_factory=list)
    """Every cell that came to it, and its code."""
    names: dict[str, str] = field(default_factory=dict)

    def run(self, cell_id: str, code: str) -> str | None:
        """The error, if it fails: `boom` always does, `flaky` the first time."""
        before = [known for _, known in self.ran]
        self.ran.append((cell_id, code))
        if "boom" in code or ("flaky" in code and code not in before):
            return "it does not work"
        self.names |= dict.fromkeys(_ASSIGNED.findall(code), "made")
        return None


class FastRunner:
    language = "python"

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.identity: str | None = None
        self.theirs: Sequence[str] | None = None
        self.while_running: Callable[[str], None] = lambda _cell_id: None

    async def start(self, known: str | None = None) -> None:  # noqa: ARG002  there is only one
        self.identity = self.kernel.identity

    def belong(self, run_id: str, theirs: Sequence[str] | None) -> None:  # noqa: ARG002
        self.theirs = theirs

    async def run(
        self, code: str, cell_id: str, on_outputs: OutputListener, names: Sequence[str] = ()
    ) -> RunResult:
        self.theirs = self.theirs or []
        error = self.kernel.run(cell_id, code)
        self.while_running(cell_id)
        output: Json = {"output_type": "stream", "name": "stdout", "text": f"of {code}"}
        if error is not None:
            output = {"output_type": "error", "ename": "E", "evalue": error, "traceback": []}
        on_outputs([ChangeOutputs(cell_id=cell_id, change="append", outputs=[output])])
        return RunResult(
            status="ok" if error is None else "error",
            execution_count=len(self.kernel.ran),
            outputs=[output],
            error=None if error is None else CellError("E", error, "Traceback"),
            present=frozenset(await self.present(names)),
        )

    async def variables(self) -> Variables:
        return Variables(dict(self.kernel.names))

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        return dict(strategies)

    async def present(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if name in self.kernel.names}

    async def importable(self, modules: Sequence[str]) -> set[str]:
        return set(modules)

    async def promote(self, old: str, new: str) -> None:
        if old in self.kernel.names:
            self.kernel.names[new] = self.kernel.names.pop(old)

    async def overwritten(self) -> Overwritten:
        return Overwritten()

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:
        for name in temporaries:
            self.kernel.names.pop(name, None)
        return Overwritten()

    async def interrupt(self) -> None: ...

    def mark_used(self) -> None: ...

    def adopt(self, settings: Settings) -> None: ...

    async def close(self) -> None: ...
