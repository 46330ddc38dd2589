"""Questions to the person, and their answers: the first one counts (U8, U9).

Question and answer are facts: durable before the person sees the one, and before the run acts on
the other. Here is only who waits.
"""

from __future__ import annotations

import asyncio
from typing import Any

from notebook_bcc_ext.engine.ledger import Ledger
from notebook_bcc_ext.engine.state import Question
from notebook_bcc_ext.errors import IllegalCommandError, StoreError
from notebook_bcc_ext.protocol.browser.facts import Answered, Asked, QuestionClosed
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending

Json = dict[str, Any]


class Questions:
    """At most one is open per run."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._answered: asyncio.Event = asyncio.Event()

    async def ask(self, pending: Pending) -> Question:
        """The question with its answer; whoever asked closes it."""
        self._answered.clear()
        self._ledger.record(Asked(question=pending))
        try:
            await self._ledger.stored()
        except StoreError:
            self._ledger.record(QuestionClosed())
            raise
        return await self.wait()

    async def wait(self) -> Question:
        """For the answer to what is asked; it may be there already."""
        while (asked := self._ledger.state.question) is None or asked.verdict is None:
            self._answered.clear()
            await self._answered.wait()
        return asked

    async def answer(
        self, proposal_id: str | None, decision: Decision, changes: Json | None
    ) -> None:
        """Record and pass on the answer. Raises when there is no such question any more."""
        pending = self._ledger.state.pending
        command = "confirm" if decision.verdict == "confirmed" else "reject"
        if pending is None or (proposal_id is not None and proposal_id != pending.id):
            why = self.decided(proposal_id) or "nothing is waiting for an answer"
            raise IllegalCommandError(command, why, ())
        self._ledger.record(Answered(decision=decision, changes=changes))
        try:
            await self._ledger.stored()
        finally:
            # Taken all the same: a run whose store fails stops before it acts on it.
            self._answered.set()

    def decided(self, proposal_id: str | None) -> str | None:
        """How that question was answered, in words; None when it was not, or is unknown."""
        for decision in reversed(self._ledger.state.decisions):
            if decision.proposal_id == proposal_id:
                who = f" by {decision.decided_by}" if decision.decided_by else ""
                return f"this was already {decision.verdict}{who}"
        return None
