"""Where credentials may go (P9): the service they were configured for, and nowhere else."""

from __future__ import annotations

import pytest

from notebook_bcc_ext.settings.addresses import is_within
from notebook_bcc_ext.settings.layers import Layer, resolve
from notebook_bcc_ext.settings.sources import environment_layer

TOKEN = "s3cret-of-the-planner"


def asked(url):
    return Layer("the run request", {"dslc_base_url": url}, trusted=False)


def token_sent(*layers):
    return resolve(layers).settings.planner_token is not None


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://planner.example/team-a", True),
        ("https://PLANNER.example:443/team-a/", True),
        ("https://planner.example/team-a/v2", True),
        ("https://planner.example/team-b", False),
        ("https://planner.example/team-abc", False),
        ("https://planner.example", False),
        ("https://planner.example/team-a/../team-b", False),
        ("https://planner.example/team-a/%2e%2e/team-b", False),
        ("https://planner.example/team-a/%252e%252e/team-b", False),
        ("https://planner.example/team-a/..%2fteam-b", False),
        ("https://planner.example/team-a/..\\team-b", False),
        ("https://planner.example//team-a", False),
        ("http://planner.example/team-a", False),
        ("https://planner.example:444/team-a", False),
        ("https://planner.example.org/team-a", False),
        ("https://other/https://planner.example/team-a", False),
    ],
)
def test_s3_s13_a_token_follows_the_origin_and_the_path(url, sent):
    configured = environment_layer(
        {"DSLC_BASE_URL": "https://planner.example/team-a", "BCC_PLANNER_TOKEN": TOKEN}
    )
    assert token_sent(configured, asked(url)) is sent


def test_s3_a_token_without_an_address_is_sent_nowhere_and_the_person_is_told():
    configured = environment_layer({"BCC_PLANNER_TOKEN": TOKEN})
    resolved = resolve([configured, asked("http://planner:1")])
    assert resolved.settings.planner_token is None
    assert "set DSLC_BASE_URL beside it" in resolved.notices[0]
    assert resolved.settings.withheld == resolved.notices[0]
    assert TOKEN not in resolved.notices[0]
    assert resolved.public_view()["planner_token"] == {"value": "set", "source": "the environment"}


def test_s3_the_same_holds_for_headers_and_for_a_user_and_password():
    headers = environment_layer({"BCC_PLANNER_HEADERS": '{"X-Key": "k3y-of-the-house"}'})
    assert resolve([headers, asked("http://planner:1")]).settings.planner_headers == {}
    address = environment_layer({"DSLC_BASE_URL": "http://ada:p4ssw0rd@planner:1/a"})
    inside = resolve([address, asked("http://planner:1/a/b")]).settings
    assert inside.planner_userinfo.get_secret_value() == "ada:p4ssw0rd"
    assert resolve([address, asked("http://planner:1/b")]).settings.planner_userinfo is None


def test_s3_a_token_belongs_to_the_address_that_is_set_beside_it():
    both = environment_layer({"DSLC_BASE_URL": "http://a:1", "BCC_PLANNER_TOKEN": TOKEN})
    assert not token_sent(both, Layer("the Jupyter config", {"dslc_base_url": "http://b:1"}))
    alone = environment_layer({"BCC_PLANNER_TOKEN": TOKEN})
    assert token_sent(alone, Layer("the Jupyter config", {"dslc_base_url": "http://b:1"}))
    typed = Layer("the command line", {"dslc_base_url": "http://c:1"})
    assert token_sent(alone, typed)
    assert not token_sent(both, typed)


def test_s3_the_token_of_the_kernel_server_follows_its_address():
    configured = environment_layer(
        {"BACKEND_BASE_URL": "http://kernels:1", "BCC_BACKEND_TOKEN": TOKEN}
    )
    assert resolve([configured]).settings.backend_token is not None
    other = Layer("the run request", {"backend_base_url": "http://elsewhere:1"}, trusted=False)
    assert resolve([configured, other]).settings.backend_token is None


def test_s2_what_is_withheld_from_a_planner_is_blanked_all_the_same():
    configured = environment_layer(
        {
            "DSLC_BASE_URL": "http://ada:p4ssw0rd-of-ada@planner:1",
            "BCC_PLANNER_TOKEN": TOKEN,
            "BCC_PLANNER_HEADERS": '{"Authorization": "Bearer other-s3cret"}',
            "BCC_BACKEND_TOKEN": "t0ken-of-the-kernels",
        }
    )
    redact = resolve([configured, asked("http://elsewhere:1")]).settings.redactor
    told = {"a": [f"x {TOKEN} y"], "other-s3cret": "p4ssw0rd-of-ada", "k": "t0ken-of-the-kernels"}
    assert redact.in_observation(told) == {"a": ["x *** y"], "***": "***", "k": "***"}


@pytest.mark.parametrize("kept", [TOKEN[:12], TOKEN[-12:], TOKEN[:-1], TOKEN[1:]])
def test_s2_half_a_secret_at_a_cut_is_blanked_too(kept):
    redact = resolve([environment_layer({"BCC_PLANNER_TOKEN": TOKEN})]).settings.redactor
    assert redact.in_observation(f"a {kept} … z") == "a *** … z"


def test_s2_other_words_stay_as_they_are():
    redact = resolve([environment_layer({"BCC_PLANNER_TOKEN": TOKEN})]).settings.redactor
    assert redact.in_observation("the s3cret planner ****") == "the s3cret planner ****"


def test_an_address_that_cannot_be_read_belongs_to_nobody():
    assert not is_within("http://[::1", "http://a")
    assert not is_within("http://a:99999", "http://a:99999")
