"""`jupyter bcc replay FILE`: a recorded run again, without its planner."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from notebook_bcc_ext.cli.headless import TypedAnswers, run_headless
from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.cli.recorded_person import RecordedPerson
from notebook_bcc_ext.cli.settings import settings_with
from notebook_bcc_ext.cli.terminal import make_watcher
from notebook_bcc_ext.planners.record_file import Record, read_record
from notebook_bcc_ext.planners.replay import BASE_URL, ReplayTransport
from notebook_bcc_ext.protocol.browser.runs import HttpPlannerAddress, RunRequest
from notebook_bcc_ext.settings.layers import Layer
from notebook_bcc_ext.settings.names import Settings

# Pauses and budgets were the recorded person's and are over; a record is asked only once.
_NOTHING_HOLDS_IT_UP = {
    "interactive_mode": False,
    "max_execution_steps": 0,
    "max_planner_calls": 0,
    "max_run_seconds": 0,
    "max_bytes_sent": 0,
    "planner_tries": 1,
}
_NO_CREDENTIALS: dict[str, Any] = {
    "planner_token": None,
    "planner_headers": {},
    "planner_userinfo": None,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--notebook", required=True, metavar="OUT.ipynb")
    parser.add_argument(
        "--approve",
        choices=("recorded", "yes", "no", "ask"),
        default="recorded",
        help="the answer to proposed changes; default: the one that was given then",
    )
    parser.add_argument("--json", action="store_true", help="one JSON event a line")


def execute(options: argparse.Namespace) -> int:
    record = read_record(options.file)
    settings = _settings(record, options.file)
    request = _request(record, options.notebook)
    watcher, transport = make_watcher(json_lines=options.json), ReplayTransport(record)
    typed = None if options.approve == "recorded" else TypedAnswers(watcher, options.approve)
    person = RecordedPerson(record, transport, typed)
    return asyncio.run(run_headless(request, settings, watcher, person, transport=transport))


def _settings(record: Record, file: Path) -> Settings:
    own: dict[str, Any] = {**_NOTHING_HOLDS_IT_UP, "dslc_base_url": BASE_URL}
    if record.run.status not in ("done", "failed"):
        # A stream was perhaps read further than the run got before it stopped.
        own["max_execution_steps"] = record.run.counts.actions
    steering = Layer(f"the record {file}", record.settings, may_lower_approval=False)
    settings = settings_with(steering, Layer("the command line", own))
    return settings.model_copy(update=_NO_CREDENTIALS)


def _request(record: Record, notebook: str) -> RunRequest:
    recorded = record.request
    planner = HttpPlannerAddress(kind="http", url=BASE_URL)
    data = recorded.data
    if data is not None and "://" not in data:
        # Recorded as seen from the notebook's folder, and looked for beside the new one.
        data = str(Path(notebook).absolute().parent / data)
        if not Path(data).exists():
            complain(
                f"jupyter bcc replay: the recorded run worked on {recorded.data}; there is no "
                f"{data}, so cells that read it will fail"
            )
    # What it asked about is among the settings.
    own = {"notebook": notebook, "planner": planner, "data": data}
    return recorded.model_copy(update={**own, "approval": None, "settings": {}})
