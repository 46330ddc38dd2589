"""The settings of a server and of each run in it (P1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebook_bcc_ext.adapters.settings_sources import load_settings
from notebook_bcc_ext.protocol.runs import HttpPlannerAddress, RunRequest
from notebook_bcc_ext.protocol.settings import Settings
from notebook_bcc_ext.protocol.settings_layers import Layer, ResolvedSettings

Json = dict[str, Any]


class SettingsService:
    """Layers in rising priority: defaults, `.env`, environment, configuration, the user's."""

    def __init__(self, configured: Mapping[str, object]) -> None:
        self._configured = Layer("the Jupyter configuration", dict(configured))
        self._user: dict[str, object] = {}
        self.current()

    def current(self) -> ResolvedSettings:
        return load_settings([self._configured, self._user_layer(self._user)])

    def change(self, values: Mapping[str, object]) -> ResolvedSettings:
        """What the user set in JupyterLab; None takes a value back. All or nothing."""
        merged = {**self._user, **values}
        kept = {name: value for name, value in merged.items() if value is not None}
        resolved = load_settings([self._configured, self._user_layer(kept)])
        self._user = kept
        return resolved

    def of_run(self, request: RunRequest) -> Settings:
        values: dict[str, object] = {"approval": request.approval}
        if isinstance(request.planner, HttpPlannerAddress):
            values["dslc_base_url"] = request.planner.url
        layers = [
            self._configured,
            self._user_layer(self._user),
            Layer("the run request", values, trusted=False),
        ]
        return load_settings(layers).settings

    @staticmethod
    def _user_layer(values: Mapping[str, object]) -> Layer:
        return Layer("the JupyterLab settings", values, trusted=False)
