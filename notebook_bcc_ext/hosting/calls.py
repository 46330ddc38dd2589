"""Planner calls on their way to the run store and to whoever watches (O13)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from notebook_bcc_ext.ports import CallRecord, RunStore
from notebook_bcc_ext.protocol.browser.facts import CallEnded, Fact


class CallLog:
    """A `CallListener`: the client reports synchronously, storing goes on beside the run."""

    def __init__(self, run_id: str, store: RunStore) -> None:
        self._run_id = run_id
        self._store = store
        self._storing: set[asyncio.Task[None]] = set()
        self.record: Callable[[Fact], None] = lambda _: None
        """The run's own ledger, which its budget looks at."""

    def __call__(self, call: CallRecord) -> None:
        task = asyncio.get_running_loop().create_task(self._store.add_call(self._run_id, call))
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)
        self.record(
            CallEnded(
                number=call.number,
                call=call.kind,
                status=call.status,
                tries=call.tries,
                duration_ms=round(call.duration_ms, 1),
                request_bytes=call.request_bytes,
                answer_bytes=call.answer_bytes,
                error=call.error,
            )
        )

    async def written(self) -> None:
        await asyncio.gather(*self._storing, return_exceptions=True)
