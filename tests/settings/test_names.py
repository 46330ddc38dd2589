"""Settings: layers, sources, messages (P1, P9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_bcc_ext.errors import SettingsError
from notebook_bcc_ext.settings.layers import Layer, resolve
from notebook_bcc_ext.settings.names import Settings, environment_name
from notebook_bcc_ext.settings.sources import (
    environment_layer,
    load_settings,
)


def test_P1_defaults():
    settings = Settings()
    assert settings.dslc_base_url is None
    assert settings.planning_url == "http://localhost:28600/planning"
    assert settings.generating_url == "http://localhost:28600/generating"
    assert settings.generate_url == "http://localhost:28600/generate"
    assert settings.planner_tries == 3
    assert settings.max_execution_steps == 0
    assert settings.approval == "updates"
    assert settings.max_behaviors_per_step == 20
    assert settings.fsm_history_shown == 5


def test_P1_each_layer_wins_over_the_one_below(tmp_path: Path):
    env_file = tmp_path / ".env"
    env_file.write_text(
        "DSLC_BASE_URL=http://from-file:1\nMAX_EXECUTION_STEPS=1\nNOTEBOOK_ID=file.ipynb\n"
        "LOG_LEVEL=debug\nBCC_DIALECT=v1\nUNRELATED=1\n"
    )
    environment: dict[str, str] = {
        "DSLC_BASE_URL": "http://from-env:2/",
        "MAX_EXECUTION_STEPS": "2",
        "LOG_LEVEL": "",
    }
    config = Layer("the Jupyter config", {"dslc_base_url": "http://from-config:3"})
    lab = Layer("the JupyterLab settings", {"maxExecutionSteps": 4, "dialect": None}, trusted=False)
    run = Layer("the run request", {"approval": "none"}, trusted=False)
    resolved = load_settings([config, lab, run], env_file=env_file, environment=environment)
    settings = resolved.settings
    assert settings.dslc_base_url == "http://from-config:3"
    assert settings.max_execution_steps == 4
    assert settings.notebook_id == "file.ipynb"
    assert settings.log_level == "DEBUG"
    assert settings.dialect == "v1"
    assert settings.approval == "none"
    shown = resolved.public_view()
    assert shown["dslc_base_url"] == {
        "value": "http://from-config:3",
        "source": "the Jupyter config",
    }
    assert shown["max_execution_steps"]["source"] == "the JupyterLab settings"
    assert shown["notebook_id"]["source"] == f"the file {env_file}"
    assert shown["stream"] == {"value": True, "source": "default"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MAX_EXECUTION_STEPS", "-1", "a whole number at least 0"),
        ("MAX_EXECUTION_STEPS", "many", "a whole number at least 0"),
        ("INTERACTIVE_MODE", "perhaps", "true or false"),
        ("LOG_LEVEL", "loud", "DEBUG, INFO, WARNING, ERROR, CRITICAL"),
        ("DSLC_BASE_URL", "localhost:28600", "an address such as"),
        ("DSLC_BASE_URL", "http://host:99999", "not a valid address"),
        ("DSLC_BASE_URL", "http://host/?key=1", "no '\\?' or '#' part"),
        ("BCC_APPROVAL", "always", "updates, behaviors, code, none"),
        ("BCC_READ_TIMEOUT", "0", "a number above 0 at most 86400"),
        ("BCC_READ_TIMEOUT", "nan", "finite number"),
    ],
)
def test_P1_a_bad_value_is_named_with_its_source_and_what_is_allowed(
    name: str, value: str, message: str
):
    with pytest.raises(SettingsError, match=message) as raised:
        resolve([environment_layer({name: value})])
    assert f"'{name.removeprefix('BCC_').lower()}' from the environment" in str(raised.value)


def test_P1_an_unknown_setting_is_refused_with_a_hint():
    with pytest.raises(SettingsError, match="did you mean 'max_execution_steps'"):
        resolve([Layer("the run request", {"max_execution_step": 1})])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BCC_PLANNER_TOKEN", "s3cret\nsecond line"),
        ("BCC_PLANNER_HEADERS", '{"X-Key": "s3cret\\r\\nInjected: 1"}'),
        ("BCC_PLANNER_HEADERS", '{"Host": "s3cret"}'),
        ("BCC_PLANNER_HEADERS", '{"X Key": "s3cret"}'),
        ("BCC_PLANNER_HEADERS", "X-Key: s3cret"),
        ("DSLC_BASE_URL", "http://me:s3cret@host:99999"),
        ("BACKEND_BASE_URL", "http://me:s3cret@host"),
    ],
)
def test_P9_a_bad_secret_is_refused_without_showing_it(name: str, value: str):
    with pytest.raises(SettingsError) as raised:
        resolve([environment_layer({name: value})])
    assert "s3cret" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("name", ["planner_token", "plannerHeaders", "BCC_PLANNER_TOKEN"])
def test_P9_a_secret_cannot_come_from_the_browser(name: str):
    with pytest.raises(SettingsError, match="is a secret and cannot come from the run request"):
        resolve([Layer("the run request", {name: "s3cret"}, trusted=False)])


def test_every_setting_has_its_own_environment_name():
    names = [environment_name(name) for name in Settings.model_fields]
    assert len(set(names)) == len(names)
    assert {"DSLC_BASE_URL", "BACKEND_BASE_URL", "NOTEBOOK_ID", "LOG_LEVEL"} <= set(names)
    assert {"MAX_EXECUTION_STEPS", "INTERACTIVE_MODE", "USE_REMOTE_EXECUTION"} <= set(names)
