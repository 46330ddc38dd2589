"""The settings of a command: what is typed, over the environment and a `.env` file."""

from __future__ import annotations

import logging

from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.hosting.logs import log_into, log_runs, set_log_level
from notebook_bcc_ext.settings.layers import Layer
from notebook_bcc_ext.settings.names import Settings
from notebook_bcc_ext.settings.sources import load_settings


class _Complaints(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        complain(f"jupyter bcc: {self.format(record)}")


def settings_with(*layers: Layer) -> Settings:
    """Also says how much is logged on the standard error output: a run shows itself already, so
    its lines are there where LOG_LEVEL was set."""
    resolved = load_settings(layers)
    log_into(_Complaints(logging.NOTSET if "log_level" in resolved.sources else logging.WARNING))
    log_runs(wanted="log_level" in resolved.sources)
    set_log_level(resolved.settings)
    for notice in resolved.notices:
        complain(f"jupyter bcc: {notice}")
    return resolved.settings
