"""Messages of the `live` WebSocket (J7).

Server to browser: `hello` first; then `run` whenever a run's view changed, `event` for everything
that happened in it, and, for notebooks the tab is attached to, `attached`, `ops`, `disk`,
`resync`, `moved`, `wanted`. Browser to server: `attach`, `ack`, `edited`, `settled`, `detach`.
Commands go over REST.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.browser.facts import News
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp
from notebook_bcc_ext.protocol.browser.runs import RunView
from notebook_bcc_ext.protocol.states import State

Json = dict[str, Any]


class Hello(BrowserModel):
    """The first message of every connection."""

    type: Literal["hello"] = "hello"
    version: str
    state: State
    """Of the most recent run that is not finished; idle when there is none."""
    runs: list[RunView]
    trouble: str | None = None
    """What is wrong with the server's memory of runs; without one there are no runs."""


class RunChanged(BrowserModel):
    """The run as it is now. Changes in quick succession arrive as one."""

    type: Literal["run"] = "run"
    run: RunView


class RunEvent(BrowserModel):
    """Something happened in a run; `seq` counts per run, so that a gap can be seen."""

    type: Literal["event"] = "event"
    run_id: str
    seq: int
    news: News


class EventsLost(BrowserModel):
    """This tab was too slow: events were dropped. The `run` messages stay true."""

    type: Literal["events_lost"] = "events_lost"
    count: int


class Attached(BrowserModel):
    """The tab now hears of the notebook's operations after `applied_seq`."""

    type: Literal["attached"] = "attached"
    path: str
    log_id: str | None
    head_seq: int


class Operations(BrowserModel):
    """Contiguous operations of one notebook's log."""

    type: Literal["ops"] = "ops"
    path: str
    log_id: str
    ops: list[LoggedOp]


class DiskChanged(BrowserModel):
    """The file was saved: by us up to `seq`, or by somebody else."""

    type: Literal["disk"] = "disk"
    path: str
    hash: str | None
    last_modified: str | None
    seq: int
    by: Literal["run", "tab", "other"]


class Resync(BrowserModel):
    """The tab cannot be brought up to date by operations: read the file again, by cell id."""

    type: Literal["resync"] = "resync"
    path: str
    reason: str


class Moved(BrowserModel):
    """The notebook was renamed or deleted while the tab was attached."""

    type: Literal["moved"] = "moved"
    path: str
    new_path: str | None


class Wanted(BrowserModel):
    """The run is about to read this cell, which the tab said was edited: save, then `settled`."""

    type: Literal["wanted"] = "wanted"
    path: str
    cell_id: str


ServerMessage = Annotated[
    Hello
    | RunChanged
    | RunEvent
    | EventsLost
    | Attached
    | Operations
    | DiskChanged
    | Resync
    | Moved
    | Wanted,
    Field(discriminator="type"),
]


class _FromBrowser(BrowserModel):
    model_config = ConfigDict(extra="forbid")


class Attach(_FromBrowser):
    type: Literal["attach"] = "attach"
    path: str
    log_id: str | None = None
    applied_seq: int = Field(default=0, ge=0)


class Ack(_FromBrowser):
    """The tab has applied everything up to `seq`."""

    type: Literal["ack"] = "ack"
    path: str
    seq: int = Field(ge=0)


class Edited(_FromBrowser):
    """The person has changed these cells of a run, and not saved them yet."""

    type: Literal["edited"] = "edited"
    path: str
    cell_ids: list[str] = Field(max_length=200)


class Settled(_FromBrowser):
    """What the tab had of the wanted cell is saved."""

    type: Literal["settled"] = "settled"
    path: str
    cell_id: str


class Detach(_FromBrowser):
    type: Literal["detach"] = "detach"
    path: str


ClientMessage = Annotated[Attach | Ack | Edited | Settled | Detach, Field(discriminator="type")]
