"""Settings out of a `.env` file and the environment: read once, and no secret stays behind."""

from __future__ import annotations

import os

import pytest

from notebook_bcc_ext.settings.layers import Layer
from notebook_bcc_ext.settings.names import Settings
from notebook_bcc_ext.settings.sources import env_file_layer, load_settings

TOKEN = "s3cret-of-the-planner"


@pytest.fixture
def env_file(tmp_path):
    def write(content):
        file = tmp_path / ".env"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


def test_the_forms_of_a_file_that_people_write(env_file):
    file = env_file(
        """
        # a comment
        export NOTEBOOK_ID=1.ipynb
        BCC_DIALECT = v1   # with a comment
        BCC_PLANNER_TOKEN="with \\"quotes\\" # kept" # gone
        BACKEND_BASE_URL='http://single'
        LOG_LEVEL=
        UNRELATED="-----BEGIN KEY-----
        several lines
        -----END KEY-----"
        DSLC_BASE_URL=http://h/a#b
        """
    )
    assert env_file_layer(file).values == {
        "notebook_id": "1.ipynb",
        "dialect": "v1",
        "planner_token": 'with "quotes" # kept',
        "backend_base_url": "http://single",
        "dslc_base_url": "http://h/a#b",
    }


@pytest.mark.parametrize(
    "content",
    [
        "s3cret without a name\nMAX_EXECUTION_STEPS=5\n",
        '{\n  "json": "s3cret"\n}\nMAX_EXECUTION_STEPS=5\n',
        "LOG_LEVEL=s3cret-trace\nMAX_EXECUTION_STEPS=5\n",
        "BCC_PLANNER_HEADERS=s3cret\nMAX_EXECUTION_STEPS=5\n",
        "DSLC_BASE_URL=ftp://x\nMAX_EXECUTION_STEPS=5\n",
    ],
)
def test_s10_a_bad_line_or_value_is_left_out_and_the_others_hold(env_file, content):
    resolved = load_settings(env_file=env_file(content), environment={})
    assert resolved.settings == Settings(max_execution_steps=5)
    assert not any("HEADERS" in notice and "s3cret" in notice for notice in resolved.notices)


@pytest.mark.parametrize("content", [b"A=\xff\xfe", b"A=1\n" * 300_000])
def test_s10_a_file_that_cannot_be_read_is_a_notice(env_file, content):
    resolved = load_settings(env_file=env_file(content), environment={})
    assert resolved.settings == Settings()
    assert "is not used" in resolved.notices[0]


@pytest.mark.parametrize("kind", ["a device that never ends", "a pipe that nobody writes to"])
def test_what_is_no_plain_file_is_a_notice(tmp_path, kind):
    file = tmp_path / ".env"
    if kind == "a device that never ends":
        file.symlink_to("/dev/zero")
    else:
        os.mkfifo(file)
    resolved = load_settings(env_file=file, environment={})
    assert resolved.settings == Settings()
    assert "it is not a plain file" in resolved.notices[0]


def test_s10_a_folder_may_not_say_where_a_token_from_elsewhere_goes(env_file):
    file = env_file("DSLC_BASE_URL=http://thief:1\nBACKEND_BASE_URL=http://thief:2\n")
    environment = {"BCC_PLANNER_TOKEN": TOKEN, "BCC_BACKEND_TOKEN": TOKEN}
    resolved = load_settings(env_file=file, environment=environment)
    assert resolved.settings.dslc_base_url is None
    assert resolved.settings.backend_base_url is None
    assert "BCC_PLANNER_TOKEN comes from elsewhere" in " ".join(resolved.notices)
    config = Layer("the Jupyter config", {"planner_token": TOKEN})
    resolved = load_settings([config], env_file=file, environment={})
    assert resolved.settings.dslc_base_url is None


def test_s10_a_folder_may_set_the_address_for_its_own_token_or_for_none(env_file):
    both = env_file(f"DSLC_BASE_URL=http://h:1\nBCC_PLANNER_TOKEN={TOKEN}\n")
    resolved = load_settings(env_file=both, environment={})
    assert resolved.settings.planner_token.get_secret_value() == TOKEN
    alone = env_file("DSLC_BASE_URL=http://h:1\n")
    assert load_settings(env_file=alone, environment={}).settings.dslc_base_url == "http://h:1"


@pytest.mark.parametrize(
    ("value", "held"),
    [("none", "updates"), ("updates", "updates"), ("behaviors", "behaviors"), ("code", "code")],
)
def test_s10_a_folder_may_raise_approval_and_never_lower_it(env_file, value, held):
    resolved = load_settings(env_file=env_file(f"BCC_APPROVAL={value}\n"), environment={})
    assert resolved.settings.approval == held
    assert bool(resolved.notices) is (value != held)


def test_s10_a_folder_does_not_read_the_environment(env_file):
    file = env_file("DSLC_BASE_URL=http://thief/${HOME}\n")
    assert load_settings(env_file=file, environment={}).settings.dslc_base_url.endswith("${HOME}")


def test_s2_secrets_leave_the_environment_once_they_are_read(tmp_path):
    environment = {
        "BCC_PLANNER_TOKEN": TOKEN,
        "BCC_PLANNER_HEADERS": '{"X-Key": "k3y"}',
        "BCC_BACKEND_TOKEN": TOKEN,
        "DSLC_BASE_URL": "http://ada:p4ss@planner:1/a",
        "HOME": "/home/ada",
    }
    resolved = load_settings(env_file=tmp_path / "none", environment=environment)
    assert environment == {"DSLC_BASE_URL": "http://planner:1/a", "HOME": "/home/ada"}
    assert resolved.settings.planner_token.get_secret_value() == TOKEN
    assert resolved.settings.planner_userinfo.get_secret_value() == "ada:p4ss"


def test_s2_the_process_itself_is_rid_of_them(tmp_path, monkeypatch):
    monkeypatch.setenv("BCC_PLANNER_TOKEN", TOKEN)
    load_settings(env_file=tmp_path / "none")
    assert "BCC_PLANNER_TOKEN" not in os.environ
    assert os.system('test -z "$BCC_PLANNER_TOKEN"') == 0  # noqa: S605, S607
