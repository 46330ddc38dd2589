"""Every error of ours has a status, and a refused call says what to do instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError

from notebook_bcc_ext import errors
from notebook_bcc_ext.server.errors import STATUSES, error_body, status_of
from notebook_bcc_ext.server.status import StatusHandler


def all_errors(base: type[errors.BccError] = errors.BccError) -> list[type[errors.BccError]]:
    found = []
    for child in base.__subclasses__():
        found += [child, *all_errors(child)]
    return found


@pytest.mark.parametrize("error", all_errors(), ids=lambda cls: cls.__name__)
def test_every_error_is_mapped(error):
    assert any(cls in STATUSES for cls in error.__mro__)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.MissingFieldError("Plan", "stages"), 400),
        (errors.NotFoundError("no such run"), 404),
        (errors.IllegalCommandError("resume", "it is not paused", ["cancel"]), 409),
        (errors.ForeignChangeError("changed by somebody else"), 409),
        (errors.NotebookError("cannot be read"), 422),
        (errors.PlannerUnavailableError("no answer"), 503),
        (errors.PlannerStreamError("broke off"), 502),
        (errors.BccError("unforeseen"), 500),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_the_most_specific_status_wins(error, status):
    assert status_of(error) == status


def test_a_refused_command_names_the_allowed_ones():
    error = errors.IllegalCommandError("resume", "it is not paused", ["cancel", "pause"])
    assert error_body(error) == {
        "error": "IllegalCommandError",
        "message": str(error),
        "allowed": ["cancel", "pause"],
    }


async def test_an_error_of_ours_becomes_a_json_answer(jp_fetch, monkeypatch):
    def refuse(*_: Any) -> None:
        raise errors.NotFoundError("there is no run 7")

    monkeypatch.setattr(StatusHandler, "finish_json", refuse)
    with pytest.raises(HTTPClientError) as answer:
        await jp_fetch("notebook-bcc", "api", "status")
    assert answer.value.code == 404
    assert answer.value.response is not None
    body = json.loads(answer.value.response.body)
    assert body == {"error": "NotFoundError", "message": "there is no run 7"}


async def test_an_unforeseen_error_is_a_500_with_a_message(jp_fetch, monkeypatch):
    def break_down(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(StatusHandler, "finish_json", break_down)
    with pytest.raises(HTTPClientError) as answer:
        await jp_fetch("notebook-bcc", "api", "status")
    assert answer.value.code == 500
