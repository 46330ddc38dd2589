"""A run's record, put together from the run and its store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import RecordError
from notebook_bcc_ext.ports import CallRecord
from notebook_bcc_ext.protocol.browser.facts import Answered, Asked, Fact, Transitioned
from notebook_bcc_ext.protocol.browser.records import RecordedDecision, RecordHead
from notebook_bcc_ext.protocol.plain import plain
from notebook_bcc_ext.settings.steering import steering_settings

Json = dict[str, Any]

_ALL = 10_000_000
_KIND = "transition"


async def record_head(run: Run) -> RecordHead:
    world = run.world
    asked = await world.store.facts_of(run.id, ("asked", "answered"), limit=_ALL)
    return RecordHead(
        run=run.view(),
        request=world.request,
        settings=steering_settings(world.settings, world.request),
        decisions=_decisions(asked, cancelled=world.state.cancelled),
    )


def _decisions(asked: Sequence[Fact], *, cancelled: bool) -> list[RecordedDecision]:
    """In the order in which they were asked; one that was asked again counts once."""
    found: dict[str, RecordedDecision] = {}
    for fact in asked:
        if isinstance(fact, Asked):
            question = fact.question
            found[question.id] = RecordedDecision(
                kind=question.kind, content=question.content, asked_at=question.asked_at
            )
        elif isinstance(fact, Answered) and fact.decision.proposal_id in found:
            decision = fact.decision
            found[decision.proposal_id] = found[decision.proposal_id].model_copy(
                update={
                    "decision": decision.verdict,
                    "decided_by": decision.decided_by,
                    "reason": decision.reason,
                    "edited": fact.changes,
                }
            )
    decisions = list(found.values())
    if cancelled and decisions and decisions[-1].decision is None:
        decisions[-1] = decisions[-1].model_copy(update={"decision": "cancelled"})
    return decisions


async def transitions_of(run: Run, after: int, limit: int) -> list[Json]:
    """As the protocol writes them, with their numbers. Of those that were summed up, the latest."""
    state = run.world.state
    first = state.transitions - len(state.history) + 1
    found: dict[int, Json] = {
        number: record.to_wire() for number, record in enumerate(state.history, start=first)
    }
    skipped = max(0, after - await _summed_up(run))
    for fact in await run.world.store.facts_of(run.id, (_KIND,), skip=skipped, limit=limit):
        if isinstance(fact, Transitioned):
            told = {"from": fact.from_state, "event": fact.event, "to": fact.to_state}
            found[fact.number] = {**told, "timestamp": fact.time}
    numbers = sorted(number for number in found if number > after)[:limit]
    return [{"number": number, **found[number]} for number in numbers]


async def _summed_up(run: Run) -> int:
    """How many transitions came before the first that the store has as a fact of its own."""
    for fact in await run.world.store.facts_of(run.id, (_KIND,), limit=1):
        if isinstance(fact, Transitioned):
            return fact.number - 1
    return run.world.state.transitions


def call_fields(call: CallRecord) -> Json:
    location = None if call.location is None else call.location.to_wire()
    return {**vars(call), "location": location}


async def write_record(run: Run, file: Path) -> None:
    """The same file as the sidebar's export; the run has ended, and its calls are stored."""
    store = run.world.store
    head = await record_head(run)
    record = {
        **head.model_dump(mode="json"),
        "transitions": await transitions_of(run, 0, _ALL),
        "calls": [call_fields(call) for call in await store.calls(run.id, limit=_ALL)],
        "activity": [node.model_dump(mode="json") for node in run.world.ledger.activity.nodes()],
    }
    text = json.dumps(plain(record), ensure_ascii=False, indent=2)
    try:
        await asyncio.to_thread(file.write_text, text, "utf-8")
    except OSError as error:
        raise RecordError(f"the record could not be written to {file}: {error}") from None
