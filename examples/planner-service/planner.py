"""A complete planner service for Notebook-BCC, with nothing but the standard library.

    python planner.py --port 28610
    jupyter bcc check-backend http://127.0.0.1:28610
    jupyter bcc run --planner http://127.0.0.1:28610 --data ../customers.csv --notebook out.ipynb

A run asks POST /planning whether a goal is met, and POST /generating for the actions of the next
behavior. Both get an observation: where the run is, and what it sees. The service itself remembers
nothing, so it can be restarted at any time.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
MAX_BODY = 16 * 1024 * 1024

WORKFLOW: Json = {
    "name": "First look",
    "stages": [
        {
            "id": "look",
            "title": "First look",
            "goal": "It is known what the table holds.",
            "steps": [
                {"id": "read", "title": "Read", "goal": "The table is in the kernel."},
                {"id": "groups", "title": "Groups", "goal": "The largest group is known."},
            ],
        }
    ],
}
# How many behaviors each step takes.
BEHAVIORS = {"read": 1, "groups": 2}


class BadRequest(Exception):
    """What the client sent cannot be used: answered 400, so that it is not sent again."""


def plan(observation: Json, feedback: Json | None) -> Json:
    """Is the goal of this place met?"""
    here = observation["location"]["current"]
    state = observation["context"]["FSM"]["state"]
    if feedback is not None:
        return judge(here, feedback)
    if state == "IDLE":
        return {"targetAchieved": False, "context_update": {"workflow_update": WORKFLOW}}
    # A stage or step that begins is not done yet; one whose last part is done is done.
    return {"targetAchieved": state in ("STEP_COMPLETED", "STAGE_COMPLETED")}


def judge(here: Json, feedback: Json) -> Json:
    """What comes after a behavior: another one, the next step, or the end."""
    if feedback.get("last_action_result") not in (None, "success"):
        reason = f"A cell failed: {feedback['last_action_result']}"
        return {
            "targetAchieved": False,
            "transition": {"continue_behaviors": False},
            "metadata": {"failure": reason},
        }
    done = here.get("behavior_iteration") or 1
    goes_on = done < BEHAVIORS.get(here.get("step_id") or "", 1)
    return {"targetAchieved": not goes_on, "transition": {"continue_behaviors": goes_on}}


def generate(observation: Json) -> Iterator[Json]:
    """The actions of the next behavior of the current step."""
    here = observation["location"]["current"]
    file = observation["context"].get("variables", {}).get("data_path", "data.csv")
    match here.get("step_id"), here.get("behavior_iteration") or 1:
        case "read", _:
            yield {"action": "update_title", "title": "First look"}
            # The file's name becomes a Python literal: no name can become code.
            yield from run_code(
                "import csv\n\n"
                f"with open({str(file)!r}, newline='', encoding='utf-8') as file:\n"
                "    rows = list(csv.DictReader(file))\n"
                "print(len(rows), 'rows')"
            )
        case "groups", 1:
            yield {"action": "new_section", "content": "Groups"}
            yield from run_code(
                "from collections import Counter\n\n"
                "column = 'region' if 'region' in rows[0] else list(rows[0])[0]\n"
                "groups = Counter(row[column] for row in rows)\n"
                "print(column, dict(groups))"
            )
        case "groups", _:
            yield from run_code("name, size = groups.most_common(1)[0]\nprint(name, size)")
            yield {"action": "add", "content": "The largest group is in the line above."}


def run_code(code: str) -> Iterator[Json]:
    yield {"action": "add", "shot_type": "action", "content": code}
    yield {"action": "exec", "codecell_id": "lastAddedCellId"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        try:
            request = self.read_request()
            observation = request["observation"]
            if self.path == "/planning":
                self.send_object(200, plan(observation, request.get("behavior_feedback")))
            elif self.path != "/generating":
                self.send_object(404, {"error": "there are /planning and /generating"})
            elif request.get("options", {}).get("stream"):
                self.send_lines({"action": action} for action in generate(observation))
            else:
                self.send_object(200, {"actions": list(generate(observation))})
        except (BadRequest, KeyError, TypeError, AttributeError) as error:
            self.send_object(400, {"error": f"the request cannot be used: {error!r}"})

    def read_request(self) -> Json:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 < length <= MAX_BODY:
            self.close_connection = True
            raise BadRequest(f"a body of {length} bytes")
        try:
            request = json.loads(self.rfile.read(length))
        except ValueError as error:
            raise BadRequest(f"no JSON: {error}") from None
        if not isinstance(request, dict):
            raise BadRequest("no JSON object")
        return request

    def send_object(self, status: int, value: Json) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_lines(self, values: Iterator[Json]) -> None:
        """One JSON object a line, each sent when it is there: the run acts on it at once."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for value in values:
            line = json.dumps(value, ensure_ascii=False).encode() + b"\n"
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        print(self.command, self.path, *args[1:], file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description="A small planner service for Notebook-BCC.")
    parser.add_argument("--port", type=int, default=28610, help="0: any that is free")
    port = parser.parse_args().port
    # Only this machine: whoever reaches a planner decides what runs in notebooks.
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"planner at http://127.0.0.1:{server.server_port}", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        server.serve_forever()


if __name__ == "__main__":
    main()
