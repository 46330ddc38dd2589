"""Displays of a run carry its name, so that nobody else's update reaches them (N3).

Sent to the kernel with `probe`. A browser finds the display to update by its id alone, in
all cells of a kernel: a run's "progress" and the person's would be the same.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

_HANDLES = 10_000
# What IPython makes up for `display(…, display_id=True)`; no two cells come upon the same.
_MADE_UP = re.compile(r"[0-9a-f]{32}")


class DisplayIds:
    """`run_of` tells the run whose client sent a request, by the client's session."""

    def __init__(self, display_pub: Any, run_of: Callable[[object], str | None]) -> None:
        self._display_pub = display_pub
        self._run_of = run_of
        self._handles: OrderedDict[str, str] = OrderedDict()

    def sent_as(self, display_id: Any, *, update: bool) -> Any:
        if not isinstance(display_id, str):
            return display_id
        run = self._run_of((self._display_pub.parent_header or {}).get("session"))
        if run is None:
            # A handle that a run's cell made, in the person's hands.
            return self._handles.get(display_id, display_id)
        sent = f"{run}/{display_id}"
        if not update and _MADE_UP.fullmatch(display_id):
            self._handles[display_id] = sent
            while len(self._handles) > _HANDLES:
                self._handles.popitem(last=False)
        return sent


def mark_displays(shell: Any, run_of: Callable[[object], str | None]) -> None:
    """From here on. Not by a hook of the publisher's: each thread has its own of those."""
    display_pub = getattr(shell, "display_pub", None)
    if display_pub is None or not hasattr(display_pub, "parent_header"):
        return
    ids, publish = DisplayIds(display_pub, run_of), display_pub.publish

    def publish_marked(*args: Any, **options: Any) -> Any:
        transient = options.get("transient")
        if isinstance(transient, dict) and "display_id" in transient:
            update = bool(options.get("update"))
            display_id = ids.sent_as(transient["display_id"], update=update)
            options["transient"] = {**transient, "display_id": display_id}
        return publish(*args, **options)

    display_pub.publish = publish_marked
