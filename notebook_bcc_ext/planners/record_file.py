"""Reads the record of a run from a file, and says what is missing before anything is played.

A record comes from somewhere else: by hand, by mail, from another version. Only what playing it
needs is read, and whatever is wrong with that is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from notebook_bcc_ext.errors import RecordError
from notebook_bcc_ext.protocol.base import explain
from notebook_bcc_ext.protocol.browser.records import (
    CUT_MARK,
    FORMAT,
    RecordedDecision,
)
from notebook_bcc_ext.protocol.browser.runs import RunRequest, RunStatus
from notebook_bcc_ext.protocol.nesting import WRAPPED_DEPTH
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.states import Event, State
from notebook_bcc_ext.settings.steering import STEERING_SETTINGS

CANCELLED = "cancelled"
"""The error of a call that the run itself broke off."""
_CUT = re.compile(re.escape(CUT_MARK).replace(r"\{\}", r"(\d+)") + r"\Z")
_SUCCESS = range(200, 300)


class Place(BaseModel):
    """Where in the plan a call was made."""

    model_config = ConfigDict(frozen=True)

    stage_id: str | None = None
    step_id: str | None = None

    def __str__(self) -> str:
        if self.stage_id is None:
            return "before the first stage"
        step = "" if self.step_id is None else f", step '{self.step_id}'"
        return f"in stage '{self.stage_id}'{step}"


class RecordedCall(BaseModel):
    number: int = Field(ge=1)
    kind: Literal["planning", "generating", "feedback"]
    answer: str
    status: int | None = None
    error: str | None = None
    location: Place | None = None

    @property
    def full_size(self) -> int | None:
        """Of an answer of which the record has only the beginning."""
        cut = _CUT.search(self.answer)
        return int(cut[1]) if cut else None

    @property
    def needs_answer(self) -> bool:
        """A call that failed fails again, whatever it answered; a stream got so far."""
        return self.error is None or self.streamed

    @property
    def streamed(self) -> bool:
        return self.kind == "generating" and self.status in _SUCCESS and bool(self.answer)


class RecordedTransition(BaseModel):
    number: int = Field(ge=1)
    from_state: State = Field(alias="from")
    event: Event


class _Counts(BaseModel):
    actions: int = Field(default=0, ge=0)


class _Ending(BaseModel):
    status: RunStatus
    counts: _Counts = Field(default_factory=_Counts)


class Record(BaseModel):
    model_config = ConfigDict(frozen=True)

    run: _Ending
    request: RunRequest
    settings: dict[str, Any]
    decisions: list[RecordedDecision]
    calls: list[RecordedCall]
    transitions: list[RecordedTransition] = Field(default_factory=list)


def read_record(file: Path) -> Record:
    """Raises RecordError for a file that is no record, or not a whole one."""
    try:
        data = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
        content = decode_json(data, WRAPPED_DEPTH)
    except OSError as error:
        raise RecordError(f"{file} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise RecordError(f"{file} is not a record of a run: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordError(f"{file} is not a record of a run: it has no format '{FORMAT}'")
    try:
        record = Record.model_validate(content)
    except ValidationError as error:
        raise RecordError(f"{file} is damaged: {explain(error, 'the record')}") from None
    unknown = sorted(record.settings.keys() - set(STEERING_SETTINGS))
    if unknown:
        raise RecordError(
            f"{file} is damaged: '{unknown[0]}' is not one of the settings that a record holds "
            f"({', '.join(STEERING_SETTINGS)})"
        )
    _refuse_incomplete(file, record.calls)
    return record


def _refuse_incomplete(file: Path, calls: Sequence[RecordedCall]) -> None:
    if not calls:
        raise RecordError(f"{file} has no planner calls: there is nothing to play")
    first = calls[0].number
    if first > 1:
        missing = "call 1 is" if first == 2 else f"calls 1 to {first - 1} are"  # noqa: PLR2004
        raise RecordError(
            f"{file} is incomplete: {missing} missing, since only the newest calls of a run are "
            "kept. Raise BCC_KEEP_CALLS and BCC_KEEP_CALL_BYTES and record the run again"
        )
    for before, after in pairwise(calls):
        if after.number != before.number + 1:
            raise RecordError(
                f"{file} is damaged: call {before.number} is followed by call {after.number}. "
                "Export the run again"
            )
    for call in calls:
        if call.needs_answer and call.full_size is not None:
            raise RecordError(
                f"{file} is incomplete: of the answer to call {call.number} ({call.kind}), "
                f"{call.full_size} bytes long, only the beginning was kept. Raise "
                "BCC_CALL_RECORD_BYTES and record the run again"
            )
