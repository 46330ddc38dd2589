"""What a document wrote without waiting for it, in order, until it is durable.

Whoever wrote it was told that it is done. So what the store could not take is kept and given to it
again, before anything that comes later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from notebook_bcc_ext.adapters.store.database import committed
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp, NotebookOp


@dataclass
class _Posted:
    ops: Sequence[NotebookOp]
    anchor_id: str | None
    stored: Future[list[LoggedOp]]

    @property
    def failed(self) -> bool:
        return self.stored.done() and self.stored.exception() is not None


class PostedOperations:
    def __init__(self, log: OperationLog) -> None:
        self._log = log
        self._posted: deque[_Posted] = deque()

    def post(self, log_id: str, ops: Sequence[NotebookOp], anchor_id: str | None = None) -> None:
        """Durable with whatever is awaited next, or in a moment."""
        self.again(log_id)
        stored = self._log.post(log_id, ops, anchor_id)
        self._posted.append(_Posted(ops, anchor_id, stored))

    def again(self, log_id: str) -> None:
        """Post once more what could not be stored. Where one failed, all behind it did."""
        self._forget_stored()
        for posted in self._posted:
            if posted.failed:
                posted.stored = self._log.post(log_id, posted.ops, posted.anchor_id)

    async def durable(self) -> None:
        """All that was posted so far; raises the error of what is not."""
        self._forget_stored()
        if self._posted:
            self._log.hurry()
        for posted in list(self._posted):
            await committed(posted.stored)

    def _forget_stored(self) -> None:
        while self._posted and self._posted[0].stored.done() and not self._posted[0].failed:
            self._posted.popleft()
