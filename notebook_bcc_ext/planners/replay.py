"""A recorded run's planner traffic, played again without the planner.

A record is what the sidebar exports and `jupyter bcc run --record` writes: a JSON object with
`format` and `calls`. Each call is answered with the next recorded answer of its kind.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from notebook_bcc_ext.errors import SettingsError

FORMAT = "notebook-bcc-run/1"
BASE_URL = "http://replay"
_KINDS = ("planning", "generating", "feedback")


def read_record(file: Path) -> Mapping[str, Any]:
    try:
        record = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise SettingsError(f"{file} is not a record of a run (format '{FORMAT}')")
    calls = record.get("calls")
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise SettingsError(f"{file} has no list of calls")
    return record


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers of the record, in order per kind of call; retries of the original are left out."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._answers: dict[str, deque[str]] = {kind: deque() for kind in _KINDS}
        for call in record["calls"]:
            if call.get("kind") in self._answers and call.get("error") is None:
                self._answers[call["kind"]].append(str(call.get("answer", "")))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kind = _kind(request.url.path, await request.aread())
        waiting = self._answers[kind]
        if not waiting:
            text = f"the record has no further answer to a {kind} call: the run went another way"
            return httpx.Response(410, json={"error": text})
        answer = waiting.popleft()
        whole = answer.lstrip().startswith('{"actions"') or kind != "generating"
        content_type = "application/json" if whole else "application/x-ndjson"
        return httpx.Response(
            200, headers={"Content-Type": content_type}, content=answer.encode("utf-8")
        )


def _kind(path: str, body: bytes) -> str:
    if path != "/planning":
        return "generating"
    return "feedback" if "behavior_feedback" in json.loads(body) else "planning"
