"""The record of a run: what it was told and what was decided, so that it can be played again.

The sidebar exports it and `jupyter bcc run --record` writes it. The server tells the head; calls,
transitions and activity, which may be many, are read in pages and stand beside it in the file.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.browser.runs import ProposalKind, RunRequest, RunView

RecordFormat = Literal["notebook-bcc-run/1"]
FORMAT: RecordFormat = "notebook-bcc-run/1"

CUT_MARK = "\n… cut here: the whole is {} bytes long"
"""Ends a request or an answer of which only the beginning was kept."""


class RecordedDecision(BrowserModel):
    """A question to the person, and the answer."""

    kind: ProposalKind
    content: dict[str, Any]
    asked_at: str
    decision: Literal["confirmed", "rejected", "cancelled"] | None = None
    """None: it was still open; cancelled: the run was, before anybody answered."""
    decided_by: str | None = None
    reason: str | None = None
    edited: dict[str, Any] | None = None


class RecordHead(BrowserModel):
    format: RecordFormat = FORMAT
    run: RunView
    request: RunRequest
    settings: dict[str, Any]
    """Those that steer a run, as they were for this one."""
    decisions: list[RecordedDecision] = Field(default_factory=list)
    """In the order in which they were asked for."""
