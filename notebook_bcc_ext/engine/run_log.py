"""A run in the log (F4): its start, end, questions and failures; with DEBUG every transition."""

from __future__ import annotations

import logging
from typing import Any

from notebook_bcc_ext.protocol.printable import on_one_line
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]

RUN_LOGGER = "notebook_bcc_ext.runs"
_SHORT_ID = 8

logger = logging.getLogger(RUN_LOGGER)
# Each run has its own level, which its settings say.
logger.setLevel(logging.DEBUG)
logger.addHandler(logging.NullHandler())


class RunLog:
    """Makes lines of what is published about a run."""

    def __init__(self, run_id: str, notebook: str, settings: Settings) -> None:
        self._name = f"run {run_id[:_SHORT_ID]} in {notebook}"
        self._ended: str | None = None
        self.settings = settings

    def begins(self, state: str) -> None:
        self._ended = None
        self._line(logging.INFO, f"begins in state {state}")

    def note(self, kind: str, payload: Json) -> None:
        match kind:
            case "transition":
                way = f"{payload['from']} --{payload['event']}--> {payload['to']}"
                self._line(logging.DEBUG, way)
            case "pending":
                self._line(logging.INFO, f"asks ({payload['kind']}): {payload['summary']}")
            case "decision":
                by = payload.get("decided_by") or "somebody"
                self._line(logging.INFO, f"{payload['kind']} {payload['verdict']} by {by}")
            case "error":
                self._line(logging.WARNING, f"failed: {payload['message']}")
            case "status":
                self._status(payload)
            case _:
                pass

    def _status(self, payload: Json) -> None:
        status = payload["status"]
        if status not in ("done", "failed", "cancelled") or status == self._ended:
            return
        self._ended = status
        self._line(logging.INFO, f"ends: {status}")

    def _line(self, level: int, words: str) -> None:
        if level >= logging.getLevelNamesMapping()[self.settings.log_level]:
            logger.log(level, "%s", on_one_line(f"{self._name}: {words}"))
