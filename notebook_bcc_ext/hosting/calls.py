"""Planner calls on their way to the run store and to whoever watches (O13)."""

from __future__ import annotations

import asyncio

from notebook_bcc_ext.ports import CallRecord, EventSink, RunStore
from notebook_bcc_ext.protocol.browser.runs import Counts


class CallLog:
    """A `CallListener`: the client reports synchronously, storing goes on beside the run."""

    def __init__(self, run_id: str, store: RunStore, sink: EventSink) -> None:
        self._run_id = run_id
        self._store = store
        self._sink = sink
        self._storing: set[asyncio.Task[None]] = set()
        self._counts: Counts | None = None

    def count_into(self, counts: Counts) -> None:
        """The run's own counts, which its budget looks at."""
        self._counts = counts

    def __call__(self, call: CallRecord) -> None:
        if self._counts is not None:
            self._counts.bytes_sent += call.request_bytes
        task = asyncio.get_running_loop().create_task(self._store.add_call(self._run_id, call))
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)
        self._sink.publish(
            self._run_id,
            "call",
            {
                "number": call.number,
                "call": call.kind,
                "status": call.status,
                "tries": call.tries,
                "duration_ms": round(call.duration_ms, 1),
                "request_bytes": call.request_bytes,
                "answer_bytes": call.answer_bytes,
                "error": call.error,
            },
        )

    async def written(self) -> None:
        await asyncio.gather(*self._storing, return_exceptions=True)
