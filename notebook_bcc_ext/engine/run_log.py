"""A run in the log (F4): its start, end, questions and failures; with DEBUG every transition."""

from __future__ import annotations

import logging

from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.facts import News
from notebook_bcc_ext.protocol.browser.runs import RunStatus
from notebook_bcc_ext.protocol.printable import on_one_line
from notebook_bcc_ext.settings.names import Settings

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

    def note(self, news: News) -> None:
        match news:
            case happened.Transitioned():
                way = f"{news.from_state} --{news.event}--> {news.to_state}"
                self._line(logging.DEBUG, way)
            case happened.Asked():
                asked = news.question
                self._line(logging.INFO, f"asks ({asked.kind}): {asked.summary}")
            case happened.Answered():
                decision = news.decision
                by = decision.decided_by or "somebody"
                self._line(logging.INFO, f"{decision.kind} {decision.verdict} by {by}")
            case happened.Failed():
                self._line(logging.WARNING, f"failed: {news.error.message}")
            case happened.StatusTold():
                self._status(news.status)
            case _:
                pass

    def _status(self, status: RunStatus) -> None:
        if status not in ("done", "failed", "cancelled") or status == self._ended:
            return
        self._ended = status
        self._line(logging.INFO, f"ends: {status}")

    def _line(self, level: int, words: str) -> None:
        if level >= logging.getLevelNamesMapping()[self.settings.log_level]:
            logger.log(level, "%s", on_one_line(f"{self._name}: {words}"))
