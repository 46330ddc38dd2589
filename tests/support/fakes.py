"""In-memory stand-ins for the notebook and the run store, held to the same contracts."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from notebook_bcc_ext.adapters.notebook.apply import (
    change_cell,
    merge_metadata,
    unused_id,
)
from notebook_bcc_ext.adapters.notebook.new_cells import TOP
from notebook_bcc_ext.adapters.notebook.run_cells import heading, removal, retitled, rewriting
from notebook_bcc_ext.adapters.notebook.view import text_of_cell
from notebook_bcc_ext.adapters.store.runs import NO_ACTIVITY, StoreLimits
from notebook_bcc_ext.errors import NotebookError, NotFoundError, StoreError
from notebook_bcc_ext.ports import (
    ActivityChanges,
    CallRecord,
    CellText,
    NewCell,
    Removed,
    StoredProposal,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    METADATA_KEY,
    ChangeOutputs,
    SetCellMetadata,
    SetExecution,
    SetWidgets,
    mark_of,
    signed,
)
from notebook_bcc_ext.protocol.browser.runs import ActivityNode
from notebook_bcc_ext.protocol.planner.observation import NotebookSummary, TransitionRecord

Json = dict[str, Any]


class MemoryNotebook:
    """`NotebookDocument` as a list of cells; tests may edit `cells` like a person would."""

    def __init__(self, path: str = "notebook.ipynb", metadata: Json | None = None) -> None:
        self._path = path
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

    async def insert(self, cell: NewCell) -> str:
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
        return True

    async def remove_cells(self, run_id: str, after: int, until: int) -> Removed:
        _, anchor_id, removed = removal(self.cells, run_id, after, until)
        self.cells = [cell for cell in self.cells if cell["id"] not in removed.gone]
        self._last_written = anchor_id
        return removed

    async def set_metadata(self, cell_id: str, changes: Json) -> None:
        self._change(cell_id, SetCellMetadata(cell_id=cell_id, metadata=changes))

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
            cell_id = await self.insert(heading(title, mark))
            made = self.cells.pop(next(n for n, c in enumerate(self.cells) if c["id"] == cell_id))
            self.cells.insert(ours[0] if ours else len(self.cells), made)
            self._last_written = last if ours else cell_id
        if not shown:
            merge_metadata(self.metadata, {"title": title})

    def _is_of(self, cell: Json, run_id: str) -> bool:
        return mark_of(cell["id"], cell["metadata"]).get("run") == run_id

    async def start_execution(self, cell_id: str) -> None:
        self._change(cell_id, SetExecution(cell_id=cell_id, state="running"))
        self.running.add(cell_id)

    async def change_outputs(self, changes: Sequence[ChangeOutputs]) -> None:
        self.post_outputs(changes)

    def post_outputs(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        for change in changes:
            if isinstance(change, ChangeOutputs):
                self._change(change.cell_id, change)

    def finish_execution(self, cell_id: str, execution_count: int | None) -> None:
        idle = SetExecution(cell_id=cell_id, state="idle", execution_count=execution_count)
        self._change(cell_id, idle)
        self.running.discard(cell_id)

    async def stored(self) -> None:
        self._check_open()

    def post_again(self) -> None:
        self._check_open()

    async def flush(self) -> None:
        self._check_open()
        self.flushes += 1

    async def close(self) -> None:
        self.is_open = False

    # -- for tests ----------------------------------------------------------------------------

    def cell(self, cell_id: str) -> Json | None:
        return next((cell for cell in self.cells if cell["id"] == cell_id), None)

    def sources(self) -> list[str]:
        return [cell["source"] for cell in self.cells]

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
    """`RunStore` in dictionaries, with the limits of the real one."""

    def __init__(self, limits: StoreLimits | None = None) -> None:
        self._limits = limits or StoreLimits()
        self._activity: dict[str, dict[str, ActivityNode]] = {}
        self._dropped: dict[str, int] = {}
        self.runs: dict[str, Json] = {}
        self.intents: dict[str, Json] = {}
        self._transitions: dict[str, list[TransitionRecord]] = {}
        self._calls: dict[str, dict[int, CallRecord]] = {}
        self._proposals: dict[str, StoredProposal] = {}

    async def save_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = NO_ACTIVITY
    ) -> None:
        self._save(run_id, snapshot, activity)

    def _save(self, run_id: str, snapshot: Json, activity: ActivityChanges) -> None:
        self.runs[run_id] = copy.deepcopy(snapshot)
        self.intents.pop(run_id, None)
        self._change_tree(run_id, activity)

    def _change_tree(self, run_id: str, activity: ActivityChanges) -> None:
        kept = {} if activity.all_gone else self._activity.get(run_id, {})
        kept |= {node.key: node for node in activity.nodes}
        self._activity[run_id] = {k: node for k, node in kept.items() if k not in activity.gone}

    async def activity(self, run_id: str) -> list[ActivityNode]:
        nodes = self._activity.get(run_id, {}).values()
        return sorted(nodes, key=lambda node: node.revision)

    def post_step(
        self,
        run_id: str,
        changed: str,
        trail: Sequence[Any],
        activity: ActivityChanges = NO_ACTIVITY,
    ) -> Future[None]:
        self._change_tree(run_id, activity)
        trail = [*self.runs[run_id].get("trail", []), *trail]
        self.runs[run_id] |= copy.deepcopy({**json.loads(changed), "trail": trail})
        self.intents.pop(run_id, None)
        return _stored()

    def post_run(
        self, run_id: str, snapshot: Json, activity: ActivityChanges = NO_ACTIVITY
    ) -> Future[None]:
        self._save(run_id, snapshot, activity)
        return _stored()

    def post_intent(self, run_id: str, intent: Json) -> Future[None]:
        self.intents[run_id] = copy.deepcopy(intent)
        return _stored()

    async def intent(self, run_id: str) -> Json | None:
        return self.intents.get(run_id)

    async def load_run(self, run_id: str) -> Json | None:
        return copy.deepcopy(self.runs.get(run_id))

    async def list_runs(self) -> list[Json]:
        return [
            {"id": run_id, **copy.deepcopy(snapshot)}
            for run_id, snapshot in reversed(self.runs.items())
        ]

    async def delete_run(self, run_id: str) -> None:
        self.runs.pop(run_id, None)
        self._transitions.pop(run_id, None)
        self._calls.pop(run_id, None)
        self._activity.pop(run_id, None)
        kept = {key: value for key, value in self._proposals.items() if value.run_id != run_id}
        self._proposals = kept

    def post_transitions(self, run_id: str, records: Sequence[TransitionRecord]) -> Future[None]:
        kept = self._transitions.setdefault(run_id, [])
        kept.extend(records)
        surplus = max(0, len(kept) - self._limits.transitions)
        self._dropped[run_id] = self._dropped.get(run_id, 0) + surplus
        del kept[:surplus]
        return _stored()

    async def keep_transitions(self, run_id: str, count: int) -> None:
        del self._transitions.get(run_id, [])[count - self._dropped.get(run_id, 0) :]

    async def transitions(
        self, run_id: str, *, after: int = 0, limit: int = 1000
    ) -> list[tuple[int, TransitionRecord]]:
        first = self._dropped.get(run_id, 0) + 1
        numbered = enumerate(self._transitions.get(run_id, []), start=first)
        return list(itertools.islice((row for row in numbered if row[0] > after), limit))

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

    async def add_proposal(self, proposal: StoredProposal) -> None:
        self._proposals.setdefault(proposal.id, proposal)

    async def decide_proposal(self, decided: StoredProposal) -> StoredProposal:
        if decided.decision is None:
            raise StoreError(f"proposal {decided.id}: a decision is missing")
        standing = self._proposals.get(decided.id)
        if standing is None:
            raise NotFoundError(f"there is no proposal {decided.id}")
        if standing.decision is None:
            standing = dataclasses.replace(
                standing,
                decision=decided.decision,
                decided_by=decided.decided_by,
                reason=decided.reason,
                edited=decided.edited,
            )
            self._proposals[decided.id] = standing
        return standing

    async def proposal(self, proposal_id: str) -> StoredProposal | None:
        return self._proposals.get(proposal_id)

    async def proposals(self, run_id: str) -> list[StoredProposal]:
        own = [proposal for proposal in self._proposals.values() if proposal.run_id == run_id]
        return sorted(own, key=lambda proposal: str(proposal.content.get("asked_at")))
