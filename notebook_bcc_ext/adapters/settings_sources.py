"""Where settings come from on this machine: a `.env` file and the environment (P1).

The other layers (traitlets config, JupyterLab settings, the run request) are made by those who
hold them; `resolve` puts all of them in order.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from notebook_bcc_ext.errors import SettingsError
from notebook_bcc_ext.protocol.settings import Settings, environment_name
from notebook_bcc_ext.protocol.settings_layers import Layer, ResolvedSettings, resolve

MAX_ENV_FILE_BYTES = 1024 * 1024

_ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE_QUOTED = re.compile(r"'([^']*)'\s*(?:#.*)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def load_settings(
    upper_layers: Sequence[Layer] = (),
    *,
    env_file: Path = Path(".env"),
    environment: Mapping[str, str] | None = None,
) -> ResolvedSettings:
    """Defaults, `.env`, environment, then `upper_layers` in the order given."""
    given = os.environ if environment is None else environment
    return resolve([env_file_layer(env_file), environment_layer(given), *upper_layers])


def environment_layer(environment: Mapping[str, str]) -> Layer:
    return Layer("the environment", _known_settings(environment, "the environment"))


def env_file_layer(path: Path) -> Layer:
    """The file's settings; a file that is not there has none."""
    source = f"the file {path}"
    try:
        if path.stat().st_size > MAX_ENV_FILE_BYTES:
            raise SettingsError(f"{source} is larger than {MAX_ENV_FILE_BYTES} bytes")
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return Layer(source, {})
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{source} cannot be read: {error}") from None
    return Layer(source, _known_settings(parse_env_file(text, source), source))


def parse_env_file(text: str, source: str) -> dict[str, str]:
    """`NAME=value` lines; `export`, quotes, comments and blank lines as shells write them."""
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        assignment = _ASSIGNMENT.fullmatch(content)
        if assignment is None:
            # The line itself is not shown: it may hold a secret.
            raise SettingsError(f"line {number} of {source} is not of the form NAME=value")
        values[assignment[1]] = _unquoted(assignment[2])
    return values


def _unquoted(text: str) -> str:
    if quoted := _DOUBLE_QUOTED.fullmatch(text):
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted[1])
    if quoted := _SINGLE_QUOTED.fullmatch(text):
        return quoted[1]
    return re.sub(r"\s+#.*", "", text).strip()


def _known_settings(values: Mapping[str, str], source: str) -> dict[str, object]:
    """Other programs' variables are none of our business; an empty one counts as not set."""
    found: dict[str, object] = {}
    for name in Settings.model_fields:
        text = values.get(environment_name(name), "").strip()
        if text:
            found[name] = _headers(text, source) if name == "planner_headers" else text
    return found


def _headers(text: str, source: str) -> object:
    try:
        headers = json.loads(text)
    except ValueError:
        headers = None
    if not isinstance(headers, dict):
        name = environment_name("planner_headers")
        raise SettingsError(
            f'setting \'{name}\' from {source} must be a JSON object such as {{"X-Key": "…"}}'
        )
    return headers
