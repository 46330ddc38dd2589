"""`jupyter bcc replay FILE`: a recorded run again, without its planner."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from notebook_bcc_ext.adapters.settings_sources import load_settings
from notebook_bcc_ext.cli.parsing import Subparsers
from notebook_bcc_ext.cli.run import run_headless
from notebook_bcc_ext.planners.replay import BASE_URL, ReplayTransport, read_record
from notebook_bcc_ext.protocol.runs import RunRequest
from notebook_bcc_ext.protocol.settings_layers import Layer


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("replay", help="play a recorded run again, without its planner")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--notebook", required=True, metavar="OUT.ipynb")
    parser.add_argument("--approve", choices=("yes", "no", "ask"), default="yes")
    parser.add_argument("--json", action="store_true", help="one JSON event a line")
    parser.set_defaults(execute=execute, record=None)


def execute(options: argparse.Namespace) -> int:
    record = read_record(options.file)
    # The record answers in the current dialect's form, and it needs no second try.
    typed = Layer("the command line", {"dslc_base_url": BASE_URL, "dialect": "v2"})
    settings = load_settings([typed]).settings
    run = record.get("run") or {}
    request = RunRequest.model_validate(
        {
            "notebook": options.notebook,
            "planner": {"kind": "http", "url": BASE_URL},
            "goal": run.get("goal"),
            "variables": record.get("variables") or {},
        }
    )
    return asyncio.run(run_headless(request, settings, options, ReplayTransport(record)))
