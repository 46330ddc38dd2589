"""The settings of a server and of each run in it (P1)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from notebook_bcc_ext.hosting.logs import set_log_level
from notebook_bcc_ext.protocol.browser.runs import HttpPlannerAddress, RunRequest
from notebook_bcc_ext.protocol.printable import on_one_line
from notebook_bcc_ext.settings.layers import Layer, ResolvedSettings, resolve
from notebook_bcc_ext.settings.names import Settings
from notebook_bcc_ext.settings.sources import machine_layers

Json = dict[str, Any]

logger = logging.getLogger(__name__)

_CONFIGURATION = "the Jupyter configuration"


class SettingsService:
    """Layers in rising priority: defaults, `.env`, environment, configuration, the user's."""

    def __init__(self, configured: Mapping[str, object]) -> None:
        layers = [*machine_layers(), Layer(_CONFIGURATION, dict(configured))]
        # A value that nobody can use is a warning here: the server has other things to do. A
        # command has not, and refuses it.
        self._configured = [replace(layer, lenient=True) for layer in layers]
        self._user: dict[str, object] = {}
        resolved = self.current()
        set_log_level(resolved.settings)
        for notice in resolved.notices:
            logger.warning("%s", on_one_line(notice))

    def current(self) -> ResolvedSettings:
        return self._resolved(self._user)

    def change(self, values: Mapping[str, object]) -> ResolvedSettings:
        """What the user set in JupyterLab; None takes a value back. All or nothing."""
        merged = {**self._user, **values}
        kept = {name: value for name, value in merged.items() if value is not None}
        resolved = self._resolved(kept)
        self._user = kept
        set_log_level(resolved.settings)
        return resolved

    def of_run(self, request: RunRequest) -> Settings:
        values: dict[str, object] = dict(request.settings)
        if request.approval is not None:
            values["approval"] = request.approval
        if isinstance(request.planner, HttpPlannerAddress):
            values["dslc_base_url"] = request.planner.url
        run = Layer("the run request", values, trusted=False)
        return self._resolved(self._user, run).settings

    def _resolved(self, user: Mapping[str, object], *upper: Layer) -> ResolvedSettings:
        return resolve(
            [*self._configured, Layer("the JupyterLab settings", user, trusted=False), *upper]
        )
