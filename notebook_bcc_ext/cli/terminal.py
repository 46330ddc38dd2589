"""What a person, or a machine, sees of a headless run: a live tree, or one JSON event a line."""

from __future__ import annotations

import asyncio
import sys
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from notebook_bcc_ext.cli.output import say_json
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.protocol.browser.facts import News, Noticed, Transitioned
from notebook_bcc_ext.protocol.browser.runs import NodeStatus, Pending, RunView
from notebook_bcc_ext.protocol.printable import on_one_line, printable

Json = dict[str, Any]

_ICONS: dict[NodeStatus, tuple[str, str]] = {
    "pending": ("○", "dim"),
    "running": ("▶", "bold cyan"),
    "done": ("✓", "green"),
    "skipped": ("–", "dim green"),
    "failed": ("✗", "bold red"),
}
_MILESTONES = ("START_BEHAVIOR", "FAIL", "CANCEL")
_FEW_STAGES = 8


class _Watcher(ABC):
    """An event sink that can be waited on."""

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._run: Run | None = None

    def watch(self, run: Run) -> None:
        self._run = run

    def publish(self, run_id: str, news: News) -> None:
        self.show(run_id, news)
        self._news.set()

    async def changed(self) -> None:
        await self._news.wait()
        self._news.clear()

    @abstractmethod
    def show(self, run_id: str, news: News) -> None: ...


class JsonLines(_Watcher):
    """For machines: every event as it happens."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdout.flush()

    def show(self, run_id: str, news: News) -> None:
        told = news.model_dump(mode="json", by_alias=True, exclude={"kind", "time"})
        say_json({"event": news.kind, "time": news.time, "run": run_id, "data": told})

    async def ask(self, _pending: Pending) -> bool:
        return False

    def conclude(self, view: RunView) -> None:
        told = view.model_dump(mode="json")
        say_json({"event": "finished", "time": view.updated_at, "run": view.id, "data": told})


class Terminal(_Watcher):
    """For people: the plan with where the run is in it, and what it says on the way."""

    def __init__(self) -> None:
        super().__init__()
        self._console = Console()
        self._live: Live | None = None
        self._latest = ""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._picture, console=self._console, refresh_per_second=8
            )
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)
            self._live = None

    def show(self, _run_id: str, news: News) -> None:
        if isinstance(news, Transitioned):
            self._latest = f"{news.event} → {news.to_state}"
            if not self._console.is_terminal and news.event in _MILESTONES:
                self._print(self._where())
        elif isinstance(news, Noticed) and news.to_person:
            self._print(news.text, "yellow" if news.level == "warning" else "dim")

    def _print(self, text: str, style: str = "") -> None:
        """As it is: neither markup in it nor the width of a terminal that is none matters."""
        self._console.print(Text(printable(text), style=style), soft_wrap=True)

    def _where(self) -> str:
        progress = self._run.world.state.progress if self._run else None
        if progress is None or progress.stage is None or progress.step is None:
            return self._latest
        return on_one_line(f"{progress.stage.label} › {progress.step.label}")

    def _picture(self) -> Group:
        if self._run is None:
            return Group(Text("starting"))
        view = self._run.view()
        return Group(_tree(view), _bar(view), Text(f"{view.state}  {self._latest}", style="dim"))

    async def ask(self, pending: Pending) -> bool:
        if not (self._console.is_terminal and sys.stdin.isatty()):
            self._print(f"{pending.summary}: nobody can be asked, so the answer is no")
            return False
        self.__exit__(None, None, None)
        self._console.print(_question(pending))
        # As text: in markup, [y/N] would be a style and not be shown.
        answer = await asyncio.to_thread(self._console.input, Text("Confirm? [y/N] "))
        self.__enter__()
        return answer.strip().lower() in ("y", "yes", "是")

    def conclude(self, view: RunView) -> None:
        # A run that never came to a plan has nothing to show but its error.
        if view.progress.stages:
            self._show_result(view)
        if view.error is not None:
            self._print(view.error.message, "bold red")
        elif view.status == "paused":
            self._print(f"paused ({view.status_reason})")

    def _show_result(self, view: RunView) -> None:
        if not self._console.is_terminal:
            self._console.print(_tree(view))
        counts = view.counts
        self._print(
            f"{view.state}: {counts.actions} actions, {counts.cells_added} cells added, "
            f"{counts.cells_executed} executed, {counts.planner_calls} planner calls"
            f" → {view.notebook}"
        )


def make_watcher(*, json_lines: bool) -> Terminal | JsonLines:
    return JsonLines() if json_lines else Terminal()


def _tree(view: RunView) -> Tree:
    tree = Tree(Text(on_one_line(view.progress.workflow) or "workflow", style="bold"))
    for stage in view.progress.stages:
        branch = tree.add(_label(stage.status, stage.name))
        if stage.status in ("running", "failed") or len(view.progress.stages) <= _FEW_STAGES:
            for step in stage.steps:
                times = f" ×{step.behaviors}" if step.behaviors > 1 else ""
                branch.add(_label(step.status, step.name + times))
    return tree


def _label(status: NodeStatus, name: str) -> Text:
    icon, style = _ICONS[status]
    return Text(f"{icon} {on_one_line(name)}", style=style)


def _bar(view: RunView) -> Table:
    progress = view.progress
    row = Table.grid(padding=(0, 1))
    row.add_row(
        ProgressBar(total=max(progress.steps_total, 1), completed=progress.steps_done, width=40),
        f"{progress.steps_done}/{progress.steps_total} steps",
    )
    return row


def _question(pending: Pending) -> Group:
    lines = [Text(on_one_line(pending.summary), style="bold")]
    signs = {"added": "+", "removed": "-", "renamed": "~", "moved": "↕", "changed": "~"}
    for change in pending.changes:
        detail = f": {change.before} → {change.after}" if change.before or change.after else ""
        words = f"{signs[change.change]} {change.level} {change.name}{detail}"
        lines.append(Text(f"  {on_one_line(words)}"))
    return Group(*lines)
