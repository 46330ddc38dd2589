"""J7: every endpoint is authenticated and authorised, also those that are yet to come."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from jupyter_server.auth import Authorizer
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketHandler, websocket_connect

from notebook_bcc_ext.server.handlers import AUTH_RESOURCE
from notebook_bcc_ext.server.routes import ROUTES

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
WITH_BODY = ("POST", "PUT", "PATCH")


def path_of(pattern: str) -> str:
    """An address that the pattern matches: groups such as `(?P<id>...)` become `x`."""
    parts = pattern.removesuffix("/?").split("/")
    return "/".join("x" if part.startswith("(") else part for part in parts)


CALLS = [
    (method, path_of(pattern))
    for pattern, handler in ROUTES
    for method in METHODS
    if method.lower() in vars(handler)
]
SOCKETS = [path_of(pattern) for pattern, handler in ROUTES if issubclass(handler, WebSocketHandler)]
PLAIN_CALLS = [(method, path) for method, path in CALLS if path not in SOCKETS]


@pytest.fixture
def status_of(jp_serverapp, http_server_client, jp_base_url):
    async def call(method: str, path: str, headers: dict[str, str]) -> int:
        response = await http_server_client.fetch(
            jp_base_url.rstrip("/") + path,
            method=method,
            headers=headers,
            body="{}" if method in WITH_BODY else None,
            raise_error=False,
            follow_redirects=False,
        )
        return int(response.code)

    return call


@pytest.fixture
def refusal_of(jp_serverapp, http_server_client, jp_http_port, jp_base_url):
    async def connect(path: str, headers: dict[str, str]) -> int:
        url = f"ws://localhost:{jp_http_port}{jp_base_url.rstrip('/')}{path}"
        with pytest.raises(HTTPClientError) as refusal:
            await websocket_connect(HTTPRequest(url, headers=headers))
        return refusal.value.code

    return connect


def test_every_route_answers_to_some_method():
    assert {path for _, path in CALLS} == {path_of(pattern) for pattern, _ in ROUTES}


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_without_a_token_nothing_answers(method, path, status_of):
    assert await status_of(method, path, {}) in (401, 403)


@pytest.mark.parametrize("path", SOCKETS)
async def test_without_a_token_no_socket_opens(path, refusal_of):
    assert await refusal_of(path, {}) == 403


async def log_in(app: Any, client: Any, base_url: str, host: str) -> str:
    """The cookie that a browser has after its user has logged in."""
    token = app.identity_provider.token
    response = await client.fetch(f"{base_url}api/me?token={token}", headers={"Host": host})
    cookies: list[str] = response.headers.get_list("Set-Cookie")
    return "; ".join(line.split(";")[0] for line in cookies if "username" in line)


@pytest.mark.parametrize("path", SOCKETS)
async def test_a_socket_opens_to_our_own_pages_only(
    path, refusal_of, jp_serverapp, http_server_client, jp_http_port, jp_base_url
):
    # With a cookie, not a token: only a cookie comes along when a foreign page connects.
    host = f"localhost:{jp_http_port}"
    cookie = await log_in(jp_serverapp, http_server_client, jp_base_url, host)
    assert await refusal_of(path, {"Cookie": cookie, "Origin": "http://evil.example"}) == 403
    url = f"ws://{host}{jp_base_url.rstrip('/')}{path}"
    own = {"Cookie": cookie, "Origin": f"http://{host}"}
    socket = await websocket_connect(HTTPRequest(url, headers=own))
    socket.close()


class NobodyMay(Authorizer):
    """Knows every user and lets none of them do anything of ours."""

    def is_authorized(self, _handler: Any, _user: Any, _action: str, resource: str) -> bool:
        return resource != AUTH_RESOURCE


class TestWithoutPermission:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["ServerApp"]["authorizer_class"] = NobodyMay
        return jp_server_config

    @pytest.mark.parametrize(("method", "path"), PLAIN_CALLS)
    async def test_nothing_answers(self, method, path, status_of, jp_auth_header):
        assert await status_of(method, path, jp_auth_header) == 403

    @pytest.mark.parametrize("path", SOCKETS)
    async def test_no_socket_opens(self, path, refusal_of, jp_auth_header):
        assert await refusal_of(path, jp_auth_header) == 403


SEE = frozenset({("read", "contents")})
STEER = frozenset({*SEE, ("write", "contents"), ("write", "kernels"), ("execute", "kernels")})
NEEDED = {
    "GET status": frozenset(),
    "GET playbooks": frozenset(),
    "GET states": frozenset(),
    "GET settings": frozenset(),
    "GET openapi.json": frozenset(),
    "POST planner-checks": frozenset(),
    "PATCH settings": STEER,
    "GET live": SEE,
    "GET runs": SEE,
    "POST runs": STEER,
    "GET runs/x": SEE,
    "POST runs/x/commands": STEER,
    "GET runs/x/transitions": SEE,
    "GET runs/x/activity": SEE,
    "GET runs/x/observation": SEE,
    "GET runs/x/calls": SEE,
    "GET runs/x/record": SEE,
    "POST notebooks/check": SEE,
    "POST notebooks/pull": SEE,
    "POST notebooks/save": frozenset({("write", "contents")}),
}
"""What a caller may do in Jupyter already, beside using this API: nobody gets at notebooks or
kernels by way of a run who cannot get at them otherwise."""


def name_of(method: str, path: str) -> str:
    return f"{method} {path.removeprefix('/notebook-bcc/api/')}"


def test_s7_every_route_says_what_it_needs():
    assert set(NEEDED) == {name_of(method, path) for method, path in CALLS}


class Granting(Authorizer):
    granted: ClassVar[frozenset[tuple[str, str]]] = frozenset()

    def is_authorized(self, _handler: Any, _user: Any, action: str, resource: str) -> bool:
        return resource == AUTH_RESOURCE or (action, resource) in self.granted


class TestWithoutJupytersOwnPermissions:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["ServerApp"]["authorizer_class"] = Granting
        return jp_server_config

    @pytest.mark.parametrize(("method", "path"), PLAIN_CALLS)
    async def test_s7_each_is_needed_and_together_they_are_enough(
        self, method, path, status_of, jp_auth_header, monkeypatch
    ):
        needed = NEEDED[name_of(method, path)]
        for lacking in [frozenset(), *(needed - {one} for one in needed)]:
            monkeypatch.setattr(Granting, "granted", lacking)
            refused = await status_of(method, path, jp_auth_header) == 403
            assert refused == bool(needed), lacking
        monkeypatch.setattr(Granting, "granted", needed)
        assert await status_of(method, path, jp_auth_header) != 403

    @pytest.mark.parametrize("path", SOCKETS)
    async def test_s7_no_socket_opens_to_who_may_not_read(
        self, path, refusal_of, jp_auth_header, jp_ws_fetch, monkeypatch
    ):
        every = STEER | {(action, "kernels") for action in ("read", "write", "execute")}
        needed = NEEDED[name_of("GET", path)]
        monkeypatch.setattr(Granting, "granted", every - needed)
        assert await refusal_of(path, jp_auth_header) == 403
        monkeypatch.setattr(Granting, "granted", needed)
        (await jp_ws_fetch(*path.split("/"))).close()

    async def test_s7_a_notebook_is_neither_made_nor_run(self, jp_fetch, jp_root_dir):
        request = {"notebook": "made.ipynb", "planner": {"kind": "embedded"}}
        answer = await jp_fetch(
            "notebook-bcc/api/runs", method="POST", body=json.dumps(request), raise_error=False
        )
        assert answer.code == 403
        assert not (jp_root_dir / "made.ipynb").exists()


@pytest.mark.parametrize(("method", "path"), [call for call in CALLS if call[0] != "GET"])
async def test_a_cookie_alone_changes_nothing(
    method, path, status_of, jp_serverapp, http_server_client, jp_http_port, jp_base_url
):
    """XSRF: a foreign page can make a browser send its cookie, but cannot read the token in it."""
    host = f"localhost:{jp_http_port}"
    cookie = await log_in(jp_serverapp, http_server_client, jp_base_url, host)
    assert await status_of(method, path, {"Cookie": cookie, "Host": host}) == 403
    ours = {"Cookie": f"{cookie}; _xsrf=known", "X-XSRFToken": "known", "Host": host}
    assert await status_of(method, path, ours) != 403
