"""Where settings come from on this machine: a `.env` file and the environment (P1).

Both are read once, when a process starts: a kernel that changes the file later changes nothing,
and secrets leave the environment, so that no kernel inherits them. The other layers (traitlets
config, JupyterLab settings, the run request) are made by those who hold them; `resolve` puts all
of them in order.
"""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

from dotenv import dotenv_values

from notebook_bcc_ext.settings.addresses import split_userinfo
from notebook_bcc_ext.settings.layers import (
    ENVIRONMENT,
    Layer,
    ResolvedSettings,
    resolve,
)
from notebook_bcc_ext.settings.names import SECRET_SETTINGS, Settings, environment_name
from notebook_bcc_ext.settings.secret_environment import take_out

MAX_ENV_FILE_BYTES = 1024 * 1024


def load_settings(
    upper_layers: Sequence[Layer] = (),
    *,
    env_file: Path = Path(".env"),
    environment: MutableMapping[str, str] | None = None,
) -> ResolvedSettings:
    """Defaults, `.env`, environment, then `upper_layers` in the order given."""
    return resolve([*machine_layers(env_file, environment), *upper_layers])


def machine_layers(
    env_file: Path = Path(".env"), environment: MutableMapping[str, str] | None = None
) -> list[Layer]:
    """To be called once by a process, and held: afterwards the environment has no secrets."""
    given = os.environ if environment is None else environment
    layers = [env_file_layer(env_file), environment_layer(given)]
    for name in SECRET_SETTINGS:
        take_out(given, environment_name(name))
    address = given.get(environment_name("dslc_base_url"), "")
    if split_userinfo(address).userinfo is not None:
        take_out(given, environment_name("dslc_base_url"))
        given[environment_name("dslc_base_url")] = split_userinfo(address).url
    return layers


def environment_layer(environment: Mapping[str, str]) -> Layer:
    return Layer(ENVIRONMENT, _known_settings(environment), by_variable=True)


def env_file_layer(path: Path) -> Layer:
    """The file's settings. One that is not there has none, nor has one that cannot be read."""
    source = f"the file {path}"
    try:
        status = path.stat()
        if status.st_size > MAX_ENV_FILE_BYTES:
            return _unread(source, f"it is larger than {MAX_ENV_FILE_BYTES} bytes")
        # A folder may bring a link to a device that never ends, or a pipe that nobody writes to.
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            return _unread(source, "it is not a plain file")
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return _env_file(source, {})
    except (OSError, UnicodeDecodeError) as error:
        return _unread(source, str(error))
    # A `${NAME}` stays as it is: the file must not carry the environment's values elsewhere.
    values = dotenv_values(stream=io.StringIO(text), interpolate=False)
    given = {name: value for name, value in values.items() if value is not None}
    return _env_file(source, _known_settings(given))


def _unread(source: str, reason: str) -> Layer:
    return _env_file(source, {}, f"{source} is not used: {reason}")


def _env_file(source: str, values: Mapping[str, object], *notices: str) -> Layer:
    return Layer(source, values, of_folder=True, by_variable=True, notices=notices)


def _known_settings(values: Mapping[str, str]) -> dict[str, object]:
    """Other programs' variables are none of our business; an empty one counts as not set."""
    found: dict[str, object] = {}
    for name in Settings.model_fields:
        text = values.get(environment_name(name), "").strip()
        if text:
            found[name] = _headers(text) if name == "planner_headers" else text
    return found


def _headers(text: str) -> object:
    """From JSON; what is none is refused with the other values that cannot be used."""
    try:
        return json.loads(text)
    except ValueError:
        return text
