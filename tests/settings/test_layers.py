"""P1: every setting that is no secret holds in each of the six layers."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from notebook_bcc_ext.hosting.settings import SettingsService
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import SECRET_SETTINGS, Settings, environment_name

NAMES = [name for name in Settings.model_fields if name not in SECRET_SETTINGS]
LAYERS = ["defaults", ".env", "environment", "traitlets", "JupyterLab", "run request"]
ADDRESSES = {"dslc_base_url": "http://planner:{}", "backend_base_url": "http://kernels:{}"}


def values_of(name):
    """Two values that are allowed, and not the default."""
    schema = Settings.model_json_schema()["properties"][name]
    kinds = [schema, *schema.get("anyOf", [])]
    default = Settings.model_fields[name].default
    if name in ADDRESSES:
        return [ADDRESSES[name].format(1), ADDRESSES[name].format(2)]
    if name == "approval":
        return ["code", "behaviors"]
    for kind in kinds:
        if "enum" in kind:
            others = [one for one in kind["enum"] if one != default]
            return [others[0], others[-1]] if len(others) > 1 else [others[0], default]
        if kind.get("type") == "boolean":
            return [not default, default]
        if kind.get("type") in ("integer", "number"):
            return [default + 1, default + 2]
    return ["one.ipynb", "two.ipynb"]


class World:
    """The layers of a server, each filled through its own door."""

    def __init__(self, folder, monkeypatch):
        self._folder, self._monkeypatch = folder, monkeypatch

    def settings(self, given):
        def text(values):
            return {
                environment_name(name): json.dumps(value) if isinstance(value, bool) else str(value)
                for name, value in values.items()
            }

        lines = [f"{name}={value}" for name, value in text(given.get(".env", {})).items()]
        (self._folder / ".env").write_text("\n".join(lines))
        with self._monkeypatch.context() as patched:
            patched.chdir(self._folder)
            for name in map(environment_name, Settings.model_fields):
                patched.delenv(name, raising=False)
            for name, value in text(given.get("environment", {})).items():
                patched.setenv(name, value)
            service = SettingsService(given.get("traitlets", {}))
        service.change(given.get("JupyterLab", {}))
        body = {"planner": {"kind": "embedded"}, "settings": given.get("run request", {})}
        return service.of_run(RunRequest.model_validate_json(json.dumps(body)))


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


@pytest.mark.parametrize("layer", LAYERS)
def test_b6_every_setting_holds_in_every_layer(world, layer):
    chosen = {name: values_of(name)[0] for name in NAMES}
    found = world.settings({} if layer == "defaults" else {layer: chosen})
    wanted = Settings() if layer == "defaults" else Settings(**chosen)
    assert found.model_dump(mode="json") == wanted.model_dump(mode="json")


@pytest.mark.parametrize(("lower", "upper"), list(pairwise(LAYERS[1:])))
def test_b6_every_setting_of_a_layer_wins_over_the_one_below(world, lower, upper):
    first = {name: values_of(name)[0] for name in NAMES}
    second = {name: values_of(name)[1] for name in NAMES}
    found = world.settings({lower: first, upper: second})
    assert found.model_dump(mode="json") == Settings(**second).model_dump(mode="json")
    found = world.settings({lower: second, upper: first})
    assert found.model_dump(mode="json") == Settings(**first).model_dump(mode="json")


@pytest.mark.parametrize("name", sorted(SECRET_SETTINGS))
def test_b6_no_secret_comes_from_the_browser(world, name):
    for layer in ("JupyterLab", "run request"):
        with pytest.raises(Exception, match="is a secret and cannot come from"):
            world.settings({layer: {name: "s3cret"}})
