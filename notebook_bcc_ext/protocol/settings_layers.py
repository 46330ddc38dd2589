"""Which layer of settings wins (P1), and where each value came from.

In rising priority: defaults, `.env`, environment, traitlets config, the user's JupyterLab
settings, the run request.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from notebook_bcc_ext.errors import SettingsError
from notebook_bcc_ext.protocol.settings import (
    SECRET_SETTINGS,
    Settings,
    environment_name,
    origin_of,
    without_userinfo,
)
from notebook_bcc_ext.protocol.spelling import snake

_SHOWN = 80
_CREDENTIALS = ("planner_token", "planner_headers", "planner_userinfo")


@dataclass(frozen=True)
class Layer:
    """Values from one place. A value of None says nothing: the layer below decides.

    A layer that a browser can read or write (`trusted=False`) may hold no secret, and may not
    point configured credentials at another service.
    """

    source: str
    values: Mapping[str, object] = field(repr=False)
    trusted: bool = True


@dataclass(frozen=True)
class ResolvedSettings:
    settings: Settings
    sources: Mapping[str, str]
    notices: tuple[str, ...] = ()

    def public_view(self) -> dict[str, dict[str, Any]]:
        return {
            name: {"value": value, "source": self.sources.get(name, "default")}
            for name, value in self.settings.public_view().items()
        }


def resolve(layers: Sequence[Layer]) -> ResolvedSettings:
    """Merge layers, lowest priority first, and validate. Raises SettingsError."""
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    notices: list[str] = []
    configured_address: object = None
    for layer in layers:
        for key, value in layer.values.items():
            name = _setting_name(key, layer)
            if value is None:
                continue
            if not layer.trusted:
                _refuse_userinfo(name, value, layer)
            values[name], sources[name] = value, layer.source
            if name == "dslc_base_url" and layer.trusted:
                configured_address = value
    settings = _validated(values, sources)
    if _is_elsewhere(settings, configured_address):
        withheld = [name for name in _CREDENTIALS if values.pop(name, None)]
        if withheld:
            settings = _validated(values, sources)
            for name in withheld:
                del sources[name]
            notices.append(
                f"{' and '.join(withheld)} are not sent to {settings.planner_address}: they were "
                f"configured for {without_userinfo(str(configured_address))}"
            )
    return ResolvedSettings(settings, sources, tuple(notices))


def _is_elsewhere(settings: Settings, configured_address: object) -> bool:
    """Whether an untrusted layer chose another service than the one that was configured."""
    if not isinstance(configured_address, str) or settings.dslc_base_url is None:
        return False
    try:
        return origin_of(configured_address) != origin_of(settings.dslc_base_url)
    except ValueError:
        return True


def _setting_name(key: str, layer: Layer) -> str:
    name = snake(key).removeprefix("bcc_")
    if name not in Settings.model_fields:
        near = difflib.get_close_matches(name, Settings.model_fields, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise SettingsError(f"'{key}' ({layer.source}) is not a setting{hint}")
    if name in SECRET_SETTINGS and not layer.trusted:
        raise SettingsError(
            f"'{name}' is a secret and cannot come from {layer.source}: "
            f"set it in the server's environment as {environment_name(name)}"
        )
    return name


def _refuse_userinfo(name: str, value: object, layer: Layer) -> None:
    """What such a layer holds is kept and shown as it is."""
    if isinstance(value, str) and without_userinfo(value) != value:
        raise SettingsError(
            f"'{name}' ({layer.source}) must hold no user name or password: set the address with "
            f"them in the server's environment as {environment_name(name)}"
        )


def _validated(values: Mapping[str, object], sources: Mapping[str, str]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        got = "" if name in SECRET_SETTINGS else f" (got {_shown(values.get(name))})"
        reason = first["msg"].removeprefix("Value error, ")
        allowed = allowed_values(name)
        choices = "" if allowed == "text" else f"; allowed: {allowed}"
        source = sources.get(name, "the defaults")
        raise SettingsError(
            f"setting '{name}' from {source} cannot be used: {reason}{got}{choices}"
        ) from None


def _shown(value: object) -> str:
    text = without_userinfo(repr(value))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def allowed_values(name: str) -> str:
    """What a setting may be, in words, from its own definition."""
    schema = Settings.model_json_schema()["properties"].get(name, {})
    options = [schema, *schema.get("anyOf", [])]
    for option in options:
        if "enum" in option:
            return ", ".join(str(value) for value in option["enum"])
    kinds = [option for option in options if option.get("type") not in (None, "null")]
    return " or ".join(_kind_in_words(kind) for kind in kinds) or "see the documentation"


def _kind_in_words(schema: Mapping[str, Any]) -> str:
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "text",
        "object": "a JSON object of header names and values",
    }.get(schema["type"], schema["type"])
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum")
    above = "above" if "exclusiveMinimum" in schema else "at least"
    bounds = [f"{above} {low}" if low is not None else "", f"at most {high}" if high else ""]
    return " ".join([words, *filter(None, bounds)])
