"""Questions to the person, and their answers: the first one counts (U8, U9)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, assert_never

from notebook_bcc_ext.errors import IllegalCommandError
from notebook_bcc_ext.ports import RunStore, StoredProposal
from notebook_bcc_ext.protocol.browser.runs import Pending

Json = dict[str, Any]
Verdict = Literal["confirmed", "rejected"]


@dataclass(frozen=True)
class Answer:
    verdict: Verdict
    reason: str | None = None
    edited: Json | None = None
    decided_by: str | None = None


class Questions:
    """At most one open question per run. It is stored before it is asked."""

    def __init__(self, run_id: str, store: RunStore) -> None:
        self._run_id = run_id
        self._store = store
        self._answered: asyncio.Future[Answer] | None = None
        self.pending: Pending | None = None

    async def ask(self, pending: Pending, asked: Callable[[], None]) -> Answer:
        """Wait for the answer; `asked` is called once the question is stored and open."""
        await self._store.add_proposal(self._stored(pending))
        return await self._wait(pending, asked)

    async def ask_again(self, pending: Pending, asked: Callable[[], None]) -> Answer:
        """After a restart: the answer may have been stored just before it."""
        known = await self._store.proposal(pending.id)
        if known is None:
            return await self.ask(pending, asked)
        match known.decision:
            case "confirmed" | "rejected" as verdict:
                return Answer(verdict, known.reason, known.edited, known.decided_by)
            case "cancelled" | None:
                return await self._wait(pending, asked)
            case _:
                assert_never(known.decision)

    async def _wait(self, pending: Pending, asked: Callable[[], None]) -> Answer:
        self.pending = pending
        self._answered = asyncio.get_running_loop().create_future()
        asked()
        try:
            return await self._answered
        finally:
            self.pending = None
            self._answered = None

    async def answer(self, proposal_id: str | None, answer: Answer) -> None:
        """Record and pass on the answer. Raises when there is no such question any more."""
        pending = self.pending
        command = "confirm" if answer.verdict == "confirmed" else "reject"
        if pending is None or (proposal_id is not None and proposal_id != pending.id):
            raise IllegalCommandError(command, await self._why_not(proposal_id), ())
        stored = replace(
            self._stored(pending),
            decision=answer.verdict,
            decided_by=answer.decided_by,
            reason=answer.reason,
            edited=answer.edited,
        )
        standing = await self._store.decide_proposal(stored)
        if standing != stored:
            raise IllegalCommandError(command, _decided(standing), ())
        if self._answered is None or self._answered.done():
            # The very same answer, given twice: only one of them did it.
            raise IllegalCommandError(command, _decided(standing), ())
        self._answered.set_result(answer)
        # Whoever looks before the run wakes up must not see it waiting any more.
        self.pending = None

    async def withdraw(self) -> None:
        """The run is cancelled: the question is closed."""
        if self.pending is not None:
            closed = replace(self._stored(self.pending), decision="cancelled")
            await self._store.decide_proposal(closed)

    def _stored(self, pending: Pending) -> StoredProposal:
        return StoredProposal(
            id=pending.id,
            run_id=self._run_id,
            kind=pending.kind,
            content=pending.model_dump(mode="json"),
        )

    async def decided(self, proposal_id: str | None) -> str | None:
        """How that question was answered, in words; None when it was not, or is unknown."""
        known = await self._store.proposal(proposal_id) if proposal_id else None
        return _decided(known) if known is not None and known.decision is not None else None

    async def _why_not(self, proposal_id: str | None) -> str:
        return await self.decided(proposal_id) or "nothing is waiting for an answer"


def _decided(proposal: StoredProposal) -> str:
    who = f" by {proposal.decided_by}" if proposal.decided_by else ""
    return f"this was already {proposal.decision}{who}"
