"""A run's record, put together from the run and its store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import RecordError
from notebook_bcc_ext.ports import CallRecord, RunStore
from notebook_bcc_ext.protocol.browser.facts import Answered, Asked, Fact, Transitioned
from notebook_bcc_ext.protocol.browser.records import RecordedDecision, RecordHead
from notebook_bcc_ext.protocol.plain import plain
from notebook_bcc_ext.settings.steering import steering_settings

Json = dict[str, Any]

_ALL = 10_000_000


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


async def transitions_of(store: RunStore, run_id: str, after: int, limit: int) -> list[Json]:
    """As the protocol writes them, with their numbers."""
    found = await store.facts_of(run_id, ("transition",), skip=after, limit=limit)
    return [
        {
            "number": fact.number,
            "from": fact.from_state,
            "event": fact.event,
            "to": fact.to_state,
            "timestamp": fact.time,
        }
        for fact in found
        if isinstance(fact, Transitioned)
    ]


def call_fields(call: CallRecord) -> Json:
    location = None if call.location is None else call.location.to_wire()
    return {**vars(call), "location": location}


async def write_record(run: Run, file: Path) -> None:
    """The same file as the sidebar's export; the run has ended, and its calls are stored."""
    store = run.world.store
    head = await record_head(run)
    record = {
        **head.model_dump(mode="json"),
        "transitions": await transitions_of(store, run.id, 0, _ALL),
        "calls": [call_fields(call) for call in await store.calls(run.id, limit=_ALL)],
        "activity": [node.model_dump(mode="json") for node in run.world.ledger.activity.nodes()],
    }
    text = json.dumps(plain(record), ensure_ascii=False, indent=2)
    try:
        await asyncio.to_thread(file.write_text, text, "utf-8")
    except OSError as error:
        raise RecordError(f"the record could not be written to {file}: {error}") from None
