"""Which layer of settings wins (P1), where each value came from, and where credentials may go.

In rising priority: defaults, `.env`, environment, traitlets config, the user's JupyterLab
settings, the run request. A credential belongs to the address that is set beside it, in the same
layer; where there is none, to the address that the configuration names. It goes nowhere else.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr, ValidationError

from notebook_bcc_ext.errors import SettingsError
from notebook_bcc_ext.protocol.spelling import snake
from notebook_bcc_ext.settings.addresses import is_within, split_userinfo, without_userinfo
from notebook_bcc_ext.settings.names import (
    APPROVALS,
    SECRET_SETTINGS,
    Settings,
    environment_name,
)
from notebook_bcc_ext.settings.secrets import parts_of_userinfo

ENVIRONMENT = "the environment"
_SHOWN = 80
_ADDRESS_OF = {
    "planner_token": "dslc_base_url",
    "planner_headers": "dslc_base_url",
    "planner_userinfo": "dslc_base_url",
    "backend_token": "backend_base_url",
}
"""Which service each credential is for."""


@dataclass(frozen=True)
class Layer:
    """Values from one place. A value of None says nothing: the layer below decides.

    A layer that a browser can read or write (`trusted=False`) may hold no secret. One that comes
    with a folder (`of_folder`), as a cloned repository has it, may neither draw credentials from
    elsewhere to an address of its own nor lower approval. What it may not, and what nobody can use
    there or in a layer that must keep nothing from starting (`lenient`), is left out with a notice.
    """

    source: str
    values: Mapping[str, object] = field(repr=False)
    trusted: bool = True
    of_folder: bool = False
    lenient: bool = False
    by_variable: bool = False
    """Whether its names are those of environment variables."""
    may_lower_approval: bool = True
    """False for a record: what a person set is asked all the same when it is played."""
    notices: tuple[str, ...] = ()

    def left_out(self, name: str, reason: str) -> str:
        called = environment_name(name) if self.by_variable else name
        return f"{called} of {self.source} is not used: {reason}"


@dataclass(frozen=True)
class ResolvedSettings:
    settings: Settings
    sources: Mapping[str, str]
    notices: tuple[str, ...] = ()

    def public_view(self) -> dict[str, dict[str, Any]]:
        shown = self.settings.public_view()
        # One that is withheld from this planner is set all the same.
        shown |= {name: "set" for name in SECRET_SETTINGS if name in self.sources}
        return {
            name: {"value": value, "source": self.sources.get(name, "default")}
            for name, value in shown.items()
        }


@dataclass(frozen=True)
class _Read:
    """A layer with its values under their own names; user and password of an address apart."""

    layer: Layer
    values: dict[str, object]
    notices: list[str] = field(default_factory=list)


def resolve(layers: Sequence[Layer]) -> ResolvedSettings:
    """Merge layers, lowest priority first, and validate. Raises SettingsError."""
    read = [_read(layer) for layer in layers]
    for one in read:
        if one.layer.of_folder or one.layer.lenient:
            _restrict(one, [other for other in read if other is not one])
    notices = [notice for one in read for notice in one.notices]
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for one in read:
        for name, value in one.values.items():
            if one.layer.may_lower_approval or not _lowers_approval(name, value, values):
                values[name], sources[name] = value, one.layer.source
    withheld = _withheld(values, read)
    sent = {name: value for name, value in values.items() if name not in withheld}
    # The withheld ones too are told when they cannot be used.
    _validated(values, sources)
    settings = _validated(sent, sources)
    reasons = tuple(dict.fromkeys(withheld.values()))
    settings.remember(" ".join(reasons) or None, _secrets(read))
    return ResolvedSettings(settings, sources, (*notices, *reasons))


# -- credentials ----------------------------------------------------------------------------


def _withheld(values: Mapping[str, object], read: Sequence[_Read]) -> dict[str, str]:
    """Credentials that were configured for another service than the one chosen, each with why."""
    found: dict[str, str] = {}
    for name, address_name in _ADDRESS_OF.items():
        chosen = values.get(address_name)
        if not values.get(name) or not isinstance(chosen, str):
            continue
        belongs_to = _address_for(name, address_name, read)
        if belongs_to is None:
            found[name] = (
                f"{environment_name(name)} is not sent to {without_userinfo(chosen)}, since no "
                f"address was configured for it: set {environment_name(address_name)} beside it."
            )
        elif not is_within(chosen, belongs_to):
            found[name] = (
                f"{environment_name(name)} is not sent to {without_userinfo(chosen)}: it was "
                f"configured for {without_userinfo(belongs_to)}."
            )
    return found


def _address_for(name: str, address_name: str, read: Sequence[_Read]) -> str | None:
    configured = [one for one in read if one.layer.trusted]
    holder = [one for one in configured if name in one.values][-1]
    beside = holder.values.get(address_name)
    named = [one.values[address_name] for one in configured if address_name in one.values]
    address = beside or (named[-1] if named else None)
    return address if isinstance(address, str) else None


def _secrets(read: Iterable[_Read]) -> tuple[SecretStr, ...]:
    """Every one that any layer holds, also one that another layer overrides."""
    found: list[str] = []
    for one in read:
        for name in SECRET_SETTINGS & one.values.keys():
            value = one.values[name]
            parts = value.values() if isinstance(value, Mapping) else [value]
            texts = [_revealed(part) for part in parts]
            if name == "planner_userinfo":
                texts = [part for text in texts for part in parts_of_userinfo(text)]
            found += texts
    return tuple(SecretStr(text) for text in dict.fromkeys(found))


def _revealed(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


# -- what comes with a folder ---------------------------------------------------------------


def _restrict(one: _Read, others: Sequence[_Read]) -> None:
    """Leave out what a folder's file may not set, or nobody can use, and say what and why."""
    for name, value in list(one.values.items()):
        forbidden = one.layer.of_folder and _not_for_a_folder(name, value, others)
        reason = forbidden or _unusable(name, value)
        if reason:
            del one.values[name]
            one.notices.append(one.layer.left_out(name, reason))


def _not_for_a_folder(name: str, value: object, others: Sequence[_Read]) -> str | None:
    for credential, address_name in _ADDRESS_OF.items():
        if address_name == name and any(one.values.get(credential) for one in others):
            return (
                f"{environment_name(credential)} comes from elsewhere, and a file in a folder may "
                "not say where it is sent"
            )
    default = Settings.model_fields[name].default
    if name == "approval" and value in APPROVALS and _strictness(value) < _strictness(default):
        return f"a file in a folder may not lower it below '{default}'"
    return None


def _lowers_approval(name: str, value: object, standing: Mapping[str, object]) -> bool:
    """Only what somebody set can be lowered; a default is nobody's word."""
    if name == "approval" and value in APPROVALS and standing.get(name) in APPROVALS:
        return _strictness(value) < _strictness(standing[name])
    return name == "approve_plan" and bool(standing.get(name)) and not value


def _strictness(approval: object) -> int:
    return APPROVALS.index(str(approval))


def _unusable(name: str, value: object) -> str | None:
    try:
        Settings.model_validate({name: value})
    except ValidationError as error:
        return _reason(error, {name: value})[1]
    return None


# -- one layer ------------------------------------------------------------------------------


def _read(layer: Layer) -> _Read:
    values: dict[str, object] = {}
    notices = list(layer.notices)
    for key, value in layer.values.items():
        name = snake(str(key)).removeprefix("bcc_")
        unknown = _unknown(name)
        if unknown and layer.lenient:
            notices.append(layer.left_out(f"'{key}'", f"it {unknown}"))
            continue
        if unknown:
            raise SettingsError(f"'{key}' ({layer.source}) {unknown}")
        _refuse_secret(name, layer)
        if value is None:
            continue
        if not layer.trusted:
            _refuse_userinfo(name, value, layer)
        values[name] = value
    address = values.get("dslc_base_url")
    if isinstance(address, str):
        values["dslc_base_url"], userinfo = split_userinfo(address)
        if userinfo is not None:
            values.setdefault("planner_userinfo", SecretStr(userinfo))
    return _Read(layer, values, notices)


def _unknown(name: str) -> str | None:
    if name in Settings.model_fields:
        return None
    near = difflib.get_close_matches(name, Settings.model_fields, n=1)
    return "is not a setting" + (f"; did you mean '{near[0]}'?" if near else "")


def _refuse_secret(name: str, layer: Layer) -> None:
    if name in SECRET_SETTINGS and not layer.trusted:
        raise SettingsError(
            f"'{name}' is a secret and cannot come from {layer.source}: "
            f"set it in the server's environment as {environment_name(name)}"
        )


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
        name, reason = _reason(error, values)
        source = sources.get(name, "the defaults")
        if source == ENVIRONMENT:
            source = f"{ENVIRONMENT} ({environment_name(name)})"
        raise SettingsError(f"setting '{name}' from {source} cannot be used: {reason}") from None


def _reason(error: ValidationError, values: Mapping[str, object]) -> tuple[str, str]:
    """Which setting cannot be used, and why: what it is, and what it may be."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    got = "" if name in SECRET_SETTINGS else f" (got {_shown(values.get(name))})"
    allowed = allowed_values(name)
    choices = "" if allowed == "text" else f"; allowed: {allowed}"
    return name, first["msg"].removeprefix("Value error, ") + got + choices


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
