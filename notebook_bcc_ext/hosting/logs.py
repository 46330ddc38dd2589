"""Where the lines of this package's log go, and how many there are (F4)."""

from __future__ import annotations

import logging
from typing import Any

from notebook_bcc_ext.engine.run_log import RUN_LOGGER
from notebook_bcc_ext.settings.names import Settings

PACKAGE = "notebook_bcc_ext"


def set_log_level(settings: Settings) -> None:
    """For everything but the runs: each of them has a level of its own."""
    logging.getLogger(PACKAGE).setLevel(settings.log_level)


class ServerLog(logging.Handler):
    """Into the log of the Jupyter server, wherever that goes. LOG_LEVEL alone decides what: the
    server's own level is about its own lines."""

    def __init__(self, log: Any) -> None:
        super().__init__()
        self._log: logging.Logger = getattr(log, "logger", log)

    def emit(self, record: logging.LogRecord) -> None:
        log: logging.Logger | None = self._log
        # The root's handlers have it already.
        while log is not None and log is not logging.root:
            for handler in log.handlers:
                handler.handle(record)
            log = log.parent if log.propagate else None


def log_into(handler: logging.Handler) -> None:
    """The only place for our lines, beside what the process has for all."""
    package = logging.getLogger(PACKAGE)
    for other in list(package.handlers):
        package.removeHandler(other)
    package.addHandler(handler)


def log_runs(*, wanted: bool) -> None:
    logging.getLogger(RUN_LOGGER).propagate = wanted
