"""P2, P4: the embedded planner over the wire, by socket and in process."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.service import MAX_BODY_BYTES, dispatch, planner_app
from notebook_bcc_ext.planners.transport import BASE_URL, EmbeddedTransport

PLANNER = EmbeddedPlanner()


def body(
    state: str, current: dict[str, str] | None = None, *, stream: bool = False
) -> dict[str, Any]:
    return {
        "observation": {
            "location": {
                "current": current or {},
                "progress": {"stages": {}, "steps": {}, "behaviors": {}},
            },
            "context": {"variables": {"data_path": "数据.csv"}, "FSM": {"state": state}},
        },
        "options": {"stream": stream},
    }


LOOK = {"stage_id": "data", "step_id": "load", "behavior_id": "look"}


def call(path: str, content: bytes, method: str = "POST") -> tuple[int, Any]:
    response = dispatch(PLANNER, method, path, content)
    return response.status, json.loads(b"".join(response.lines))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"{}", "observation"),
        (b"[]", "PlannerRequest"),
        (b'{"observation": {"location": {}, "context": {}}}', "progress_info"),
        (json.dumps(body("IDLE")).replace("data_path", "other").encode(), "'data_path'"),
    ],
)
@pytest.mark.parametrize("path", ["/planning", "/planning/"])
def test_p2_bad_input_is_answered_400_with_the_reason(
    path: str, content: bytes, message: str
) -> None:
    status, answer = call(path, content)
    assert status == 400
    assert message in answer["error"]["message"]


def test_p1_other_paths_methods_and_sizes_are_refused() -> None:
    assert call("/nowhere", b"{}")[0] == 404
    assert call("/planning", b"", "GET")[0] == 405
    assert call("/planning", b" " * (MAX_BODY_BYTES + 1))[0] == 413
    status, health = call("/", b"", "GET")
    assert status == 200
    assert "lifecycle" in health["playbooks"]


async def exchange(client: httpx.AsyncClient) -> list[Any]:
    """The same calls, whatever carries them."""
    health = (await client.get("/")).json()
    plan = (await client.post("/planning", json=body("IDLE"))).json()
    whole = (await client.post("/generate", json=body("BEHAVIOR_RUNNING", LOOK))).json()
    streaming = body("BEHAVIOR_RUNNING", LOOK, stream=True)
    async with client.stream("POST", "/generating", json=streaming) as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) async for line in response.aiter_lines()]
    refused = await client.post("/planning", content=b"no")
    assert [line["action"] for line in lines] == whole["actions"]
    assert whole["actions"][0] == {"action": "update_title", "title": "Data report: 数据.csv"}
    assert refused.status_code == 400
    return [health, plan, whole, lines, refused.json()]


async def test_e1_in_process_and_by_socket_say_the_same() -> None:
    async with httpx.AsyncClient(transport=EmbeddedTransport(PLANNER), base_url=BASE_URL) as client:
        in_process = await exchange(client)
    socket, port = bind_unused_port()
    server = HTTPServer(planner_app(PLANNER), max_body_size=MAX_BODY_BYTES)
    server.add_socket(socket)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            by_socket = await exchange(client)
    finally:
        server.stop()
        await server.close_all_connections()
    assert in_process == by_socket


async def test_p4_each_line_is_made_when_it_is_read() -> None:
    made: list[int] = []

    class Counting(EmbeddedPlanner):
        def generate(self, request: Any) -> Any:
            for number, action in enumerate(super().generate(request)):
                made.append(number)
                yield action

    streaming = body("BEHAVIOR_RUNNING", LOOK, stream=True)
    async with (
        httpx.AsyncClient(transport=EmbeddedTransport(Counting()), base_url=BASE_URL) as client,
        client.stream("POST", "/generating", json=streaming) as response,
    ):
        seen = 0
        async for _ in response.aiter_lines():
            seen += 1
            assert len(made) <= seen + 1
    assert seen > 4
