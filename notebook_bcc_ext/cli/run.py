"""`jupyter bcc run`: a whole workflow into a notebook, with no browser (J8)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from notebook_bcc_ext.adapters.settings_sources import load_settings
from notebook_bcc_ext.cli.headless import TypedAnswers, run_headless
from notebook_bcc_ext.cli.parsing import Subparsers, assignment
from notebook_bcc_ext.cli.terminal import make_watcher
from notebook_bcc_ext.errors import ProtocolError, RecordError, SettingsError
from notebook_bcc_ext.planners.record_file import read_record
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.runs import RunRequest
from notebook_bcc_ext.protocol.settings import Settings
from notebook_bcc_ext.protocol.settings_layers import Layer


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("run", help="run a workflow into a notebook, without a browser")
    parser.add_argument("playbook", nargs="?", default="lifecycle", metavar="PLAYBOOK")
    parser.add_argument("--notebook", required=True, metavar="OUT.ipynb")
    parser.add_argument("--planner", metavar="URL", help="a planner service; default: the playbook")
    parser.add_argument("--data", metavar="FILE")
    parser.add_argument("--goal", metavar="TEXT")
    parser.add_argument("--var", action="append", default=[], type=assignment, metavar="K=V")
    parser.add_argument("--workflow", type=Path, metavar="FILE", help="a workflow as JSON")
    parser.add_argument(
        "--approve",
        choices=("yes", "no", "ask"),
        default="ask",
        help="the answer to proposed changes; `ask` means no when nobody can be asked",
    )
    parser.add_argument("--max-steps", type=int, metavar="N", help="pause after N actions")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record for replay")
    parser.add_argument("--json", action="store_true", help="one JSON event a line")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    typed = Layer(
        "the command line",
        {"dslc_base_url": options.planner, "max_execution_steps": options.max_steps},
    )
    settings = load_settings([typed]).settings
    request = _request(options, settings)
    watcher = make_watcher(json_lines=options.json)
    person = TypedAnswers(watcher, options.approve)
    code = asyncio.run(run_headless(request, settings, watcher, person, record_to=options.record))
    if options.record is not None:
        _warn_if_incomplete(options.record)
    return code


def _warn_if_incomplete(file: Path) -> None:
    """Now, not when somebody wants to play it and the planner is long gone."""
    try:
        read_record(file)
    except RecordError as error:
        print(f"jupyter bcc run: {error}", file=sys.stderr)


def _request(options: argparse.Namespace, settings: Settings) -> RunRequest:
    planner: dict[str, str] = {"kind": "embedded", "playbook": options.playbook}
    if settings.dslc_base_url is not None:
        planner = {"kind": "http", "url": settings.dslc_base_url}
    if options.data is not None and "://" not in options.data and not Path(options.data).exists():
        raise SettingsError(f"--data: there is no file {options.data}")
    return RunRequest.model_validate(
        {
            "notebook": options.notebook,
            "planner": planner,
            "goal": options.goal,
            "data": options.data,
            "variables": {"playbook": options.playbook, **dict(options.var)},
            "workflow": _workflow(options.workflow),
        }
    )


def _workflow(file: Path | None) -> WorkflowTemplate | None:
    if file is None:
        return None
    try:
        return WorkflowTemplate.parse(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, ProtocolError) as error:
        raise SettingsError(f"--workflow: {file} cannot be used: {error}") from None
