"""The models that the browser shares with the server; `src/protocol.ts` is made from this list."""

from __future__ import annotations

from pydantic import BaseModel

from notebook_bcc_ext.protocol.browser import live, notebooks, records, runs

BROWSER_MODELS: tuple[type[BaseModel], ...] = (
    live.Hello,
    live.RunChanged,
    live.RunEvent,
    live.EventsLost,
    live.Attached,
    live.Operations,
    live.DiskChanged,
    live.Resync,
    live.Moved,
    live.Wanted,
    live.Attach,
    live.Ack,
    live.Edited,
    live.Settled,
    live.Detach,
    notebooks.CheckRequest,
    notebooks.PullRequest,
    notebooks.SaveRequest,
    notebooks.NotebookState,
    runs.RunRequest,
    runs.Command,
    runs.RunView,
    runs.ActivityNode,
    records.RecordHead,
)
