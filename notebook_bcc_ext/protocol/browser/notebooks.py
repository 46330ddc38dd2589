"""What an open tab asks of the server about its notebook, over REST."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.browser.notebook_ops import MAX_SEQ

Json = dict[str, Any]


class _FromBrowser(BrowserModel):
    model_config = ConfigDict(extra="forbid")


class CheckRequest(_FromBrowser):
    """May a tab with this base save?"""

    path: str = Field(min_length=1)
    base_hash: str | None = None


class PullRequest(_FromBrowser):
    path: str = Field(min_length=1)


class SaveRequest(_FromBrowser):
    """A tab's notebook, and what it is based on."""

    path: str = Field(min_length=1)
    content: Json
    base_hash: str | None = None
    """The state of the file that the tab last read, merged or wrote."""
    log_id: str | None = None
    applied_seq: int = Field(default=0, ge=0, le=MAX_SEQ)


class NotebookState(BrowserModel):
    """The file as it is now."""

    path: str
    hash: str
    """Names this state; where the contents manager knows no hashes it is made from the date."""
    has_hash: bool
    last_modified: str
    log_id: str | None
    seq: int
    """How far `content` is along the log; without content, the log's newest."""
    current: bool
    """Whether nothing but the log lies between the asker's base and the file."""
    content: Json | None = None
