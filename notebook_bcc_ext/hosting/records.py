"""A run's record, put together from the run and its store."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import RecordError
from notebook_bcc_ext.ports import CallRecord, StoredProposal
from notebook_bcc_ext.protocol.browser.records import RecordedDecision, RecordHead
from notebook_bcc_ext.protocol.browser.runs import Pending
from notebook_bcc_ext.protocol.plain import plain
from notebook_bcc_ext.settings.steering import steering_settings

Json = dict[str, Any]

_ALL = 10_000_000


async def record_head(run: Run) -> RecordHead:
    world = run.world
    proposals = await world.store.proposals(run.id)
    return RecordHead(
        run=run.view(),
        request=world.request,
        settings=steering_settings(world.settings, world.request),
        decisions=[_decision(proposal) for proposal in proposals],
    )


def _decision(proposal: StoredProposal) -> RecordedDecision:
    asked = Pending.model_validate(proposal.content)
    return RecordedDecision(
        kind=asked.kind,
        content=asked.content,
        asked_at=asked.asked_at,
        decision=proposal.decision,
        decided_by=proposal.decided_by,
        reason=proposal.reason,
        edited=proposal.edited,
    )


def call_fields(call: CallRecord) -> Json:
    location = None if call.location is None else call.location.to_wire()
    return {**vars(call), "location": location}


async def write_record(run: Run, file: Path) -> None:
    """The same file as the sidebar's export; the run has ended, and its calls are stored."""
    store = run.world.store
    head = await record_head(run)
    transitions = await store.transitions(run.id, limit=_ALL)
    record = {
        **head.model_dump(mode="json"),
        "transitions": [{"number": number, **entry.to_wire()} for number, entry in transitions],
        "calls": [call_fields(call) for call in await store.calls(run.id, limit=_ALL)],
        "activity": [node.model_dump(mode="json") for node in await store.activity(run.id)],
    }
    text = json.dumps(plain(record), ensure_ascii=False, indent=2)
    try:
        await asyncio.to_thread(file.write_text, text, "utf-8")
    except OSError as error:
        raise RecordError(f"the record could not be written to {file}: {error}") from None
