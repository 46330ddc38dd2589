"""Makes room for outputs on their way out of the kernel.

Sent to the kernel with `probe`. ZMQ drops what a kernel publishes while 1,000 messages wait for a
subscriber, silently: with a server or a kernel that gets no time for a third of a second outputs
are lost, and the message that ends the cell too.
"""

from __future__ import annotations

import contextlib
from typing import Any

# Some 30 MB of small outputs: bounded, because a server may be stopped while its kernel prints.
WAITING_OUTPUTS = 20_000


def make_room(shell: Any) -> None:
    """For everybody who listens now, before the kernel has run a cell.

    Not later: ZMQ never takes up again a subscriber whose queue is full while its limit changes.
    """
    thread: Any = getattr(getattr(shell, "kernel", None), "iopub_thread", None)
    if thread is None or shell.execution_count != 1:
        return

    def lift() -> None:
        with contextlib.suppress(Exception):
            thread.socket.sndhwm = WAITING_OUTPUTS

    # The socket is that thread's.
    thread.schedule(lift)
