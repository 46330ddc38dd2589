"""What a run writes so that it can be taken up again after the process was killed.

    before an action    its intent: number, line, and the cell it is about to run
    its side effects    notebook operations
    after it            what became of the run, which clears the intent, and of its tree
    between behaviors   a snapshot of everything

What is written after an action does not grow with the run: a snapshot without its long lists, and
what was added to those.

The store and the notebook's log share one ordered queue, so nothing here waits and yet a later
entry never survives without the earlier ones: after a kill at most one action is in doubt. Where
the store failed and works again, no code is run before it has everything (`check`).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.memory import (
    Intent,
    Json,
    RunMemory,
    short_snapshot_json,
    to_snapshot,
)
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.ports import ActivityChanges, NotebookDocument, RunStore
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.protocol.states import State

_NO_PLACE_TO_GO_ON = (State.ACTION_RUNNING, State.BEHAVIOR_COMPLETED)


class Checkpoint:
    def __init__(  # noqa: PLR0913, PLR0917  the parts of a run that a snapshot is made of
        self,
        run_id: str,
        request: RunRequest,
        notebook: NotebookDocument,
        store: RunStore,
        machine: StateMachine,
        memory: RunMemory,
        effects: EffectsLog,
        activity: ActivityLog,
    ) -> None:
        self._run_id = run_id
        self._notebook = notebook
        self._request: Mapping[str, Any] = request.model_dump(mode="json")
        self._store = store
        self._machine = machine
        self._memory = memory
        self._effects = effects
        self._activity = activity
        self._trouble: BaseException | None = None
        """Why the store lacks a part of this run."""

    def _snapshot(self) -> Json:
        return {
            "id": self._run_id,
            # The notebook may have been renamed since the run began.
            "request": {**self._request, "notebook": self._notebook.path},
            **self._position(),
            **to_snapshot(self._memory, self._effects),
        }

    def _position(self) -> Json:
        return {"state": self._machine.state, "transitions": self._machine.count}

    def intend(self, intent: Intent) -> None:
        """An action is about to begin."""
        self._make_good()
        self._follow(self._store.post_intent(self._run_id, {**vars(intent)}))

    def done(self) -> None:
        """It ended, one way or the other."""
        if self._make_good():
            return
        # As text from the start: this is done for every action.
        changed = short_snapshot_json(self._position(), self._memory, self._effects)
        tree = self._activity.take_changes()
        self._follow(self._store.post_step(self._run_id, changed, self._memory.trail, tree))
        self._memory.trail = []

    def _make_good(self) -> bool:
        """Store everything where the store lacks some; whether it did."""
        if self._trouble is None:
            return False
        self._follow(self._store.post_run(self._run_id, *self._everything()))
        return True

    def check(self) -> None:
        """Before code is run, and after a wait for the store: it has to have everything."""
        if self._trouble is not None:
            raise StoreError(str(self._trouble)) from self._trouble

    def _follow(self, stored: Future[None]) -> None:
        stored.add_done_callback(self._note)

    def _note(self, stored: Future[None]) -> None:
        """In the store's thread."""
        if not stored.cancelled() and (trouble := stored.exception()) is not None:
            self._trouble = trouble

    def _everything(self) -> tuple[Json, ActivityChanges]:
        """A snapshot and the tree, the whole of it where the store lacks some."""
        if self._trouble is not None:
            # Before it: a snapshot must not tell of a cell that the notebook's log lacks.
            self._notebook.post_again()
            self._activity.store_anew()
            self._trouble = None
        self._memory.trail = []
        return self._snapshot(), self._activity.take_changes()

    async def save(self) -> None:
        """Now, and durable on return. In the middle of an action the intent says more than a
        snapshot could, so that is left as it is."""
        if self._machine.state not in _NO_PLACE_TO_GO_ON:
            snapshot, tree = self._everything()
            try:
                await self._store.save_run(self._run_id, snapshot, tree)
            except StoreError as error:
                self._trouble = error
                raise
