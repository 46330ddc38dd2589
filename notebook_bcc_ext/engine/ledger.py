"""The facts of one run, and the state they give: the one place where a run is changed.

    record      the state changes, and whoever watches hears of it
    post        what was recorded goes to the store, in one transaction with the operations on the
                notebook that were posted since; nobody waits
    stored      the same, and durable on return

What is recorded between two posts happens together or not at all: a process that is killed leaves
a run that stands before it, or behind it. A store that fails for a while leaves no gap either:
what it did not take is given to it again, in order, before anything that comes later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from notebook_bcc_ext.engine.activity import ActivityLog
from notebook_bcc_ext.engine.fold import apply
from notebook_bcc_ext.engine.state import STATES, RunState
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.fsm import follow
from notebook_bcc_ext.ports import NotebookDocument, RunStore
from notebook_bcc_ext.protocol.browser.facts import Fact, News, Sign, Summed, Transitioned
from notebook_bcc_ext.protocol.plain import plain
from notebook_bcc_ext.protocol.states import Event, State
from notebook_bcc_ext.settings.secrets import Redactor

N = TypeVar("N", bound=BaseModel)


@dataclass
class _Posted:
    first: int
    facts: tuple[Fact, ...]
    stored: Future[None]


class Ledger:
    def __init__(
        self,
        run_id: str,
        store: RunStore,
        notebook: NotebookDocument,
        tell: Callable[[News], None],
    ) -> None:
        """`tell` hears of everything, once it is so."""
        self.run_id = run_id
        self.redactor = Redactor(())
        """Blanks secrets in facts, so that they are nowhere."""
        self.keep = 20_000
        """So many facts; older ones are summed up, so that no run fills the store."""
        self.state = RunState()
        self.activity = ActivityLog()
        self._notebook = notebook
        self._store = store
        self._tell = tell
        self._recorded: list[Fact] = []
        self._posted: deque[_Posted] = deque()
        self._summed_at = 0

    def recall(self, facts: Iterable[Fact]) -> None:
        """What the store has of the run already."""
        for fact in facts:
            self.state = apply(self.state, fact)
            self.activity.note(fact, self.state)

    def record(self, *facts: Fact) -> None:
        for said in facts:
            fact = self._blanked(said)
            self.state = apply(self.state, fact)
            self.activity.note(fact, self.state)
            self._recorded.append(fact)
            self._tell(fact)

    def sign(self, sign: Sign) -> None:
        """Told, and not kept."""
        self.activity.note(sign, self.state)
        self._tell(self._blanked(sign))

    def _blanked(self, news: N) -> N:
        if not self.redactor.has_secrets:
            return news
        told = news.model_dump(mode="json", by_alias=True)
        return type(news).model_validate(self.redactor.in_observation(told))

    def fire(self, event: Event, *, going_on: bool = False) -> State:
        """Change the state as the table says, or raise IllegalTransitionError and change nothing.
        Synchronous on purpose: nothing can happen between decision and change (F3)."""
        before = self.state.state
        after = follow(before, event)
        self.record(
            Transitioned(
                number=self.state.transitions + 1,
                from_state=before,
                event=event,
                to_state=after,
                going_on=going_on,
            )
        )
        return after

    def post(self) -> None:
        self._drop_stored()
        if any(_has_failed(posted.stored) for posted in self._posted):
            self._post_again()
        if self._recorded:
            facts, self._recorded = tuple(self._recorded), []
            first = self.state.facts - len(facts) + 1
            self._posted.append(self._give(first, facts))
        if self.state.facts - self._summed_at > 2 * self.keep and not self._posted:
            self._sum_up()

    def _give(self, first: int, facts: tuple[Fact, ...]) -> _Posted:
        where = self._notebook.path
        stored = self._store.post_facts(self.run_id, first, facts, self.state.state, where)
        return _Posted(first, facts, stored)

    def _drop_stored(self) -> None:
        while self._posted and _is_stored(self._posted[0].stored):
            self._posted.popleft()

    def _post_again(self) -> None:
        # Facts may tell of cells: the notebook's log has to have them first.
        self._notebook.post_again()
        waiting, self._posted = self._posted, deque()
        for posted in waiting:
            self._posted.append(self._give(posted.first, posted.facts))

    def _sum_up(self) -> None:
        """Between two facts: the state so far takes the place of those that gave it."""
        self._summed_at = self.state.facts
        whole = plain(STATES.dump_python(self.state, mode="json"))
        summed = Summed(time=self.state.changed_at, state=whole, activity=self.activity.nodes())
        self._store.post_sum(self.run_id, self.state.facts, summed)

    async def stored(self) -> None:
        """Everything so far is durable. StoreError if not; it is tried again with the next."""
        self.post()
        trouble: BaseException | None = None
        for posted in list(self._posted):
            try:
                await self._store.committed(posted.stored)
            except StoreError as error:
                trouble = trouble or error
        self._drop_stored()
        if trouble is not None:
            raise trouble

    @property
    def lacks(self) -> bool:
        """Whether the store could not take some of it."""
        return any(_has_failed(posted.stored) for posted in self._posted)


def _is_stored(future: Future[None]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _has_failed(future: Future[None]) -> bool:
    return future.done() and not _is_stored(future)
