"""A small client of the planner protocol, with a real kernel: just enough to play a playbook.

Every call goes through the wire form (JSON in, JSON out), and generating sees only the variables
that the planner's context filter asked for.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbclient.util import run_sync
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.service import dispatch

MAX_CALLS = 300
SMALL = 1000
"""JSON values up to this many characters are shown to the planner in full."""
_SNAPSHOT = f"""__import__('json').dumps({{
    name: value if isinstance(value, (bool, int, float, str, list, dict, type(None)))
    and (not hasattr(value, '__len__') or len(value) < 60) and len(repr(value)) < {SMALL}
    else type(value).__name__
    for name, value in globals().items() if not name.startswith('_')
    and type(value).__name__ not in ('module', 'function', 'type')}}, default=str, skipkeys=True)"""


class Kernel:
    """One kernel for many runs; each run has a notebook of its own."""

    def __init__(self, client: NotebookClient) -> None:
        self._client = client
        self.begin()

    def begin(self) -> None:
        self.notebook = new_notebook()
        self._client.nb = self.notebook
        self._client._display_id_map.clear()
        self._seen: dict[str, Any] | None = None

    def forget(self) -> None:
        """As after a restart, without the wait."""
        self.do("%reset -f")

    def do(self, code: str) -> list[Any]:
        """Run code of the person's, outside the notebook; its outputs."""
        notebook, self._client.nb = self._client.nb, new_notebook(cells=[new_code_cell(code)])
        cell = self._client.nb.cells[0]
        try:
            self._client.execute_cell(cell, 0)
        finally:
            self._client.nb, self._seen = notebook, None
        outputs: list[Any] = cell.outputs
        return outputs

    def run(self, cell: nbformat.NotebookNode) -> str | None:
        """Run a cell of the notebook; the error as text, or None."""
        self._seen = None
        index = self.notebook.cells.index(cell)
        try:
            self._client.execute_cell(cell, index)
        except CellExecutionError as error:
            return f"{error.ename}: {error.evalue}"
        return None

    def variables(self) -> dict[str, Any]:
        """What the kernel holds, read again only after a cell ran."""
        if self._seen is None:
            self._seen = self._read_variables()
        return self._seen

    def _read_variables(self) -> dict[str, Any]:
        channel = self._client.kc
        message = channel.execute("", silent=True, user_expressions={"seen": _SNAPSHOT})
        while True:
            reply = run_sync(channel.get_shell_msg)(timeout=20)
            if reply["parent_header"].get("msg_id") == message:
                answer = reply["content"]["user_expressions"]["seen"]
                assert answer["status"] == "ok", answer
                text = answer["data"]["text/plain"]
                seen: dict[str, Any] = json.loads(ast.literal_eval(text))
                return seen


@contextmanager
def live_kernel() -> Iterator[Kernel]:
    client = NotebookClient(new_notebook(), timeout=110, kernel_name="python3")
    with client.setup_kernel():
        yield Kernel(client)


@dataclass
class Run:
    """What a run left behind."""

    notebook: nbformat.NotebookNode
    status: str = "running"
    answers: list[dict[str, Any]] = field(default_factory=list)
    focus: list[str] = field(default_factory=list)
    steps_done: list[str] = field(default_factory=list)
    steps_skipped: list[str] = field(default_factory=list)
    proposals: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)

    def output(self) -> str:
        """All text that the cells printed or displayed."""
        texts = []
        for cell in self.notebook.cells:
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                shown = data.get("text/markdown") or data.get("text/plain", "")
                texts.append(output.get("text") or shown)
        return "\n".join(texts)

    def first_output(self) -> str:
        """What stands under the title."""
        outputs = next(cell.outputs for cell in self.notebook.cells if cell.get("outputs"))
        shown: str = outputs[0].data["text/markdown"]
        return shown

    def markdown(self) -> str:
        return "\n\n".join(c.source for c in self.notebook.cells if c.cell_type == "markdown")

    def figures(self) -> int:
        outputs = [output for cell in self.notebook.cells for output in cell.get("outputs", [])]
        return sum("image/png" in output.get("data", {}) for output in outputs)


class Simulator:
    def __init__(
        self,
        kernel: Kernel,
        variables: dict[str, Any],
        *,
        approve: bool = True,
        planner: EmbeddedPlanner | None = None,
        stages: int = 99,
    ) -> None:
        """`stages`: how many of the first plan are played."""
        kernel.begin()
        self.kernel = kernel
        self.planner = planner or EmbeddedPlanner()
        self.own = dict(variables)
        self.approve = approve
        self.result = Run(kernel.notebook)
        self.workflow: dict[str, Any] = {}
        self.effects: list[str] = []
        self.current: dict[str, Any] = {}
        self.done: dict[str, list[str]] = {"stages": [], "steps": [], "behaviors": []}
        self.calls = 0
        self.stages = stages

    def run(self) -> Run:
        answer = self.plan("IDLE")
        self.workflow = answer["context_update"]["workflow_update"]["updated_workflow"]
        self.workflow["stages"] = self.workflow["stages"][: self.stages]
        while (stage := self._next(self.workflow["stages"], "stages")) is not None:
            self.current = {"stage_id": stage}
            self.done["steps"] = []
            if self.plan("STAGE_RUNNING")["targetAchieved"]:
                self.result.steps_skipped.append(stage)
            elif not self._run_steps(stage):
                self.result.status = "error"
                return self.result
            self.done["stages"].append(stage)
        finished = self.plan("STAGE_COMPLETED")["targetAchieved"]
        self.result.status = "completed" if finished else "not confirmed"
        self.result.variables = {**self.kernel.variables(), **self.own}
        return self.result

    def _steps(self, stage_id: str) -> list[dict[str, Any]]:
        stages = self.workflow.get("stages", [])
        return next((stage["steps"] for stage in stages if stage["id"] == stage_id), [])

    def _next(self, items: list[dict[str, Any]], level: str) -> str | None:
        return next((item["id"] for item in items if item["id"] not in self.done[level]), None)

    def _run_steps(self, stage: str) -> bool:
        while (step := self._next(self._steps(stage), "steps")) is not None:
            self.current = {"stage_id": stage, "step_id": step}
            self.done["behaviors"] = []
            answer = self.plan("STEP_RUNNING")
            if answer["targetAchieved"]:
                self.result.steps_skipped.append(step)
            elif self._run_behaviors(answer):
                self.result.steps_done.append(step)
            else:
                return False
            self.done["steps"].append(step)
        return bool(self.plan("STEP_COMPLETED")["targetAchieved"])

    def _run_behaviors(self, answer: dict[str, Any]) -> bool:
        for iteration in range(1, 21):
            behavior = answer.get("behavior", {}).get("id") or f"behavior_{iteration:03d}"
            self.current |= {"behavior_id": behavior, "behavior_iteration": iteration}
            feedback = self._execute(answer.get("context_filter"))
            self.done["behaviors"].append(behavior)
            answer = self.plan("ACTION_COMPLETED", feedback)
            self._consider(answer["context_update"].get("workflow_update"))
            if not answer["transition"]["continue_behaviors"]:
                return bool(answer["targetAchieved"])
        return False

    def _consider(self, proposal: dict[str, Any] | None) -> None:
        if proposal is not None:
            self.result.proposals.append(proposal)
            if self.approve:
                self.workflow = proposal["updated_workflow"]

    def _execute(self, context_filter: dict[str, Any] | None) -> dict[str, Any]:
        self.effects = []
        executed, last = 0, "success"
        for action in self.generate(context_filter):
            executed += 1
            error = self._act(action)
            if error is not None:
                self.result.errors.append(error)
                last = error
                break
        succeeded = executed - (last != "success")
        return {
            "behavior_id": self.current["behavior_id"],
            "actions_executed": executed,
            "actions_succeeded": succeeded,
            "last_action_result": last,
        }

    def _act(self, action: dict[str, Any]) -> str | None:
        cells = self.kernel.notebook.cells
        match action:
            case {"action": "add", "shot_type": "action", "content": content}:
                cells.append(new_code_cell(content))
                if action.get("metadata", {}).get("source_hidden"):
                    cells[-1].metadata.jupyter = {"source_hidden": True}
            case {"action": "exec"}:
                return self.kernel.run(cells[-1])
            case {"action": "update_title", "title": title}:
                cells.insert(0, new_markdown_cell(f"# {title}"))
            case {"action": "new_chapter", "content": content}:
                cells.append(new_markdown_cell(f"## {content}"))
            case {"action": "new_section", "content": content}:
                cells.append(new_markdown_cell(f"### {content}"))
            case {"action": "add", "content": content}:
                cells.append(new_markdown_cell(content))
            case _:
                assert action["action"] in ("is_thinking", "finish_thinking"), action
        return None

    def plan(self, state: str, feedback: dict[str, Any] | None = None) -> dict[str, Any]:
        request = {"observation": self.observation(state)}
        if feedback is not None:
            request["behavior_feedback"] = feedback
        answer = self._call("/planning", request)
        update = answer["context_update"]
        self.own |= update.get("variables", {})
        self.result.answers.append({"state": state, **answer})
        self.result.focus += [one["focus"] for one in update.get("progress_update", [])]
        return answer

    def generate(self, context_filter: dict[str, Any] | None) -> list[dict[str, Any]]:
        observation = self.observation("BEHAVIOR_RUNNING")
        if context_filter is not None:
            wanted = context_filter["variables_to_include"]
            known = observation["context"]["variables"]
            observation["context"]["variables"] = {name: known[name] for name in wanted}
        request = {"observation": observation, "options": {"stream": False}}
        actions: list[dict[str, Any]] = self._call("/generating", request)["actions"]
        return actions

    def _call(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        assert self.calls < MAX_CALLS, "the planner keeps the run going for ever"
        response = dispatch(self.planner, "POST", path, json.dumps(request).encode())
        body: dict[str, Any] = json.loads(b"".join(response.lines))
        assert response.status == 200, body
        return body

    def observation(self, state: str) -> dict[str, Any]:
        stages = [stage["id"] for stage in self.workflow.get("stages", [])]
        steps = [step["id"] for step in self._steps(self.current.get("stage_id", ""))]

        def level(name: str, ids: list[str], current: str | None) -> dict[str, Any]:
            rest = [one for one in ids if one not in self.done[name] and one != current]
            return {"completed": self.done[name], "current": current, "remaining": rest}

        current = self.current
        return {
            "location": {
                "current": current,
                "progress": {
                    "stages": level("stages", stages, current.get("stage_id")),
                    "steps": level("steps", steps, current.get("step_id")),
                    "behaviors": level("behaviors", [], current.get("behavior_id")),
                },
            },
            "context": {
                "variables": {**self.kernel.variables(), **self.own},
                "effects": {"current": self.effects, "history": []},
                "FSM": {"state": state},
            },
        }
