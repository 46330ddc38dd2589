"""In-memory stand-ins for the notebook, the run store and the event stream, held to the same
contracts."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from notebook_bcc_ext.adapters.notebook.apply import (
    change_cell,
    merge_metadata,
    unused_id,
)
from notebook_bcc_ext.adapters.notebook.new_cells import TOP
from notebook_bcc_ext.adapters.notebook.run_cells import heading, removal, retitled, rewriting
from notebook_bcc_ext.adapters.notebook.view import text_of_cell
from notebook_bcc_ext.adapters.store.runs import StoreLimits
from notebook_bcc_ext.errors import NotebookError
from notebook_bcc_ext.ports import CallRecord, CellText, NewCell, Removed, StoredRun
from notebook_bcc_ext.protocol.browser.facts import FACTS, Fact, News, Summed
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    ChangeOutputs,
    SetCellMetadata,
    SetExecution,
    SetWidgets,
    mark_of,
    signed,
)
from notebook_bcc_ext.protocol.plain import model_text
from notebook_bcc_ext.protocol.planner.observation import NotebookSummary
from notebook_bcc_ext.protocol.states import State

Json = dict[str, Any]
N = TypeVar("N")


class Disk:
    """Hears of everything that notebook and store write, in order. This one does nothing with it.

    What is written may be lost when the process is killed, but only from its end, and not once
    somebody has waited for it.
    """

    def wrote(self) -> None:
        """Once per transaction."""

    def waited(self) -> None:
        """Somebody waits: all that was written is durable before they go on."""

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is written meanwhile is one transaction."""
        yield


class MemoryNotebook:
    """`NotebookDocument` as a list of cells; tests may edit `cells` like a person would."""

    def __init__(
        self,
        path: str = "notebook.ipynb",
        metadata: Json | None = None,
        disk: Disk | None = None,
    ) -> None:
        self._path = path
        self._disk = disk or Disk()
        self.metadata: Json = dict(metadata or {})
        self.cells: list[Json] = []
        self.running: set[str] = set()
        self.flushes = 0
        self.is_open = False
        self._last_written: str | None = None

    @property
    def path(self) -> str:
        return self._path

    async def open(self, *, again: bool = False) -> None:  # noqa: ARG002  it is always there
        self.is_open = True

    def summary(self) -> NotebookSummary:
        self._check_open()
        outputs = [output for cell in self.cells for output in cell.get("outputs", [])]
        return NotebookSummary(
            title=self.metadata.get("title") or self._heading_text(),
            cell_count=len(self.cells),
            last_cell_type=self.cells[-1]["cell_type"] if self.cells else None,
            last_output=_text(outputs[-1]) if outputs else None,
        )

    def take_notices(self) -> list[str]:
        return []

    def recent_cells(self, limit: int) -> list[Json]:
        return copy.deepcopy(self.cells[max(0, len(self.cells) - limit) :])

    def notebook_metadata(self) -> Json:
        return dict(self.metadata)

    async def text_of(self, cell_id: str) -> CellText | None:
        cell = self.cell(cell_id)
        return None if cell is None else text_of_cell(cell)

    async def ready(self) -> None:
        self._check_open()

    def insert(self, cell: NewCell) -> str:
        cell_id = self._insert(cell)
        self._disk.wrote()
        return cell_id

    def _insert(self, cell: NewCell) -> str:
        self._check_open()
        ids = [known["id"] for known in self.cells]
        cell_id = unused_id(cell.wanted_id, ids.__contains__)
        content: Json = {
            "id": cell_id,
            "cell_type": cell.cell_type,
            "metadata": dict(cell.metadata),
            "source": cell.source,
        }
        if cell.cell_type == "code":
            content |= {"outputs": [], "execution_count": None}
        if METADATA_KEY in cell.metadata:
            mark = signed(cell.metadata[METADATA_KEY], cell_id, cell.cell_type, cell.source)
            content["metadata"][METADATA_KEY] = mark
        after = ids.index(self._last_written) + 1 if self._last_written in ids else len(ids)
        after = 0 if self._last_written == TOP else after
        self.cells.insert(after, content)
        self._last_written = cell_id
        return cell_id

    async def set_source(self, cell_id: str, source: str) -> bool:
        text = await self.text_of(cell_id)
        if text is None or not text.untouched:
            return False
        for op in rewriting(cell_id, text, source):
            self._change(cell_id, op)
        self._durable()
        return True

    async def remove_cells(self, run_id: str, after: int, until: int) -> Removed:
        _, anchor_id, removed = removal(self.cells, run_id, after, until)
        if removed.gone:
            self.cells = [cell for cell in self.cells if cell["id"] not in removed.gone]
            self._last_written = anchor_id
            self._durable()
        return removed

    async def set_metadata(self, cell_id: str, changes: Json) -> None:
        self._change(cell_id, SetCellMetadata(cell_id=cell_id, metadata=changes))
        self._durable()

    async def set_title(self, title: str, mark: Json) -> None:
        shown = self.metadata.get("title")
        ours = [n for n, cell in enumerate(self.cells) if self._is_of(cell, mark["run"])]
        own = next((n for n in ours if self.cells[n]["source"].startswith("# ")), None)
        if own is not None:
            cell = self.cells[own]
            if shown == self._heading_text():
                shown = None
            await self.set_source(cell["id"], retitled(cell["source"], title))
        else:
            last, self._last_written = self._last_written, TOP
            cell_id = self._insert(heading(title, mark))
            made = self.cells.pop(next(n for n, c in enumerate(self.cells) if c["id"] == cell_id))
            self.cells.insert(ours[0] if ours else len(self.cells), made)
            self._last_written = last if ours else cell_id
        if not shown:
            merge_metadata(self.metadata, {"title": title})
        self._durable()

    def _is_of(self, cell: Json, run_id: str) -> bool:
        return mark_of(cell["id"], cell["metadata"]).get("run") == run_id

    async def start_execution(self, cell_id: str) -> None:
        self._change(cell_id, SetExecution(cell_id=cell_id, state="running"))
        self.running.add(cell_id)
        self._durable()

    async def change_outputs(self, changes: Sequence[ChangeOutputs]) -> None:
        self.post_outputs(changes)
        self._disk.waited()

    def post_outputs(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        for change in changes:
            if isinstance(change, ChangeOutputs):
                self._change(change.cell_id, change)
        self._disk.wrote()

    def finish_execution(self, cell_id: str, execution_count: int | None) -> None:
        idle = SetExecution(cell_id=cell_id, state="idle", execution_count=execution_count)
        self._change(cell_id, idle)
        self.running.discard(cell_id)
        self._disk.wrote()

    async def stored(self) -> None:
        self._check_open()
        self._disk.waited()

    def post_again(self) -> None:
        self._check_open()

    async def flush(self) -> None:
        self._check_open()
        self._disk.waited()
        self.flushes += 1

    async def close(self) -> None:
        self.is_open = False

    # -- for tests ----------------------------------------------------------------------------

    def cell(self, cell_id: str) -> Json | None:
        return next((cell for cell in self.cells if cell["id"] == cell_id), None)

    def sources(self) -> list[str]:
        return [cell["source"] for cell in self.cells]

    def _durable(self) -> None:
        self._disk.wrote()
        self._disk.waited()

    def _change(self, cell_id: str, op: Any) -> None:
        self._check_open()
        cell = self.cell(cell_id)
        if cell is not None:
            change_cell(cell, op)

    def _heading(self) -> Json | None:
        return next(
            (
                cell
                for cell in self.cells
                if cell["cell_type"] == "markdown" and cell["source"].startswith("# ")
            ),
            None,
        )

    def _heading_text(self) -> str | None:
        heading = self._heading()
        return None if heading is None else heading["source"].splitlines()[0][2:].strip()

    def _check_open(self) -> None:
        if not self.is_open:
            raise NotebookError(f"{self._path} is not open")


def _text(output: Json) -> str | None:
    match output["output_type"]:
        case "stream":
            return str(output["text"])
        case "error":
            return f"{output.get('ename')}: {output.get('evalue')}"
        case _:
            text = output.get("data", {}).get("text/plain")
            return None if text is None else str(text)


def _stored() -> Future[None]:
    stored: Future[None] = Future()
    stored.set_result(None)
    return stored


class MemoryStore:
    """`RunStore` in dictionaries, with the limits of the real one; facts are kept as text."""

    def __init__(self, limits: StoreLimits | None = None, disk: Disk | None = None) -> None:
        self._limits = limits or StoreLimits()
        self._disk = disk or Disk()
        self.requests: dict[str, Json] = {}
        self.texts: dict[str, dict[int, str]] = {}
        """By run, the facts by their numbers."""
        self.states: dict[str, State] = {}
        self._calls: dict[str, dict[int, CallRecord]] = {}

    async def add_run(self, run_id: str, request: Json) -> None:
        self.requests.setdefault(run_id, copy.deepcopy(request))
        self.states.setdefault(run_id, State.IDLE)
        self._disk.wrote()
        self._disk.waited()

    async def runs(self) -> list[StoredRun]:
        return [StoredRun(run_id, request) for run_id, request in reversed(self.requests.items())]

    async def run(self, run_id: str) -> StoredRun | None:
        request = self.requests.get(run_id)
        return None if request is None else StoredRun(run_id, request)

    async def delete_run(self, run_id: str) -> None:
        for table in (self.requests, self.texts, self.states, self._calls):
            table.pop(run_id, None)

    def post_facts(
        self, run_id: str, first: int, facts: Sequence[Fact], state: State, notebook: str
    ) -> Future[None]:
        kept = self.texts.setdefault(run_id, {})
        for number, fact in enumerate(facts, start=first):
            kept[number] = model_text(fact, by_alias=True)
        if run_id in self.requests:
            self.requests[run_id] = {**self.requests[run_id], "notebook": notebook}
            self.states[run_id] = state
        self._disk.wrote()
        return _stored()

    def post_sum(self, run_id: str, number: int, summed: Summed) -> Future[None]:
        later = {n: text for n, text in self.texts.get(run_id, {}).items() if n > number}
        self.texts[run_id] = {number: model_text(summed, by_alias=True), **later}
        self._disk.wrote()
        return _stored()

    def together(self) -> contextlib.AbstractContextManager[None]:
        return self._disk.together()

    async def committed(self, posted: Future[None]) -> None:
        self._disk.waited()
        posted.result()

    async def facts(self, run_id: str, *, after: int = 0) -> list[Fact]:
        kept = sorted(self.texts.get(run_id, {}).items())
        return [FACTS.validate_json(text) for number, text in kept if number > after]

    async def facts_of(
        self, run_id: str, kinds: Sequence[str], *, skip: int = 0, limit: int = 1000
    ) -> list[Fact]:
        found = [fact for fact in await self.facts(run_id) if fact.kind in kinds]
        return found[skip : skip + limit]

    async def add_call(self, run_id: str, call: CallRecord) -> None:
        calls = self._calls.setdefault(run_id, {})
        calls[call.number] = call
        while len(calls) > 1 and (
            len(calls) > self._limits.calls
            or sum(len(c.request) + len(c.answer) for c in calls.values()) > self._limits.call_bytes
        ):
            del calls[min(calls)]

    async def calls(self, run_id: str, *, after: int = 0, limit: int = 200) -> list[CallRecord]:
        calls = sorted(self._calls.get(run_id, {}).items())
        return [call for number, call in calls if number > after][:limit]

    async def last_call_number(self, run_id: str) -> int:
        return max(self._calls.get(run_id, {}), default=0)


class MemorySink:
    """`EventSink` that remembers what was told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, News]] = []

    def publish(self, run_id: str, news: News) -> None:
        self.told.append((run_id, news))

    def of(self, kind: type[N]) -> list[N]:
        return [news for _, news in self.told if isinstance(news, kind)]
