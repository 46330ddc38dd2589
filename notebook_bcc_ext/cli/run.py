"""`jupyter bcc run`: a whole workflow into a notebook, with no browser (J8)."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from notebook_bcc_ext.cli.headless import TypedAnswers, run_headless
from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.cli.parsing import assignment
from notebook_bcc_ext.cli.settings import settings_with
from notebook_bcc_ext.cli.terminal import make_watcher
from notebook_bcc_ext.errors import ProtocolError, RecordError, SettingsError
from notebook_bcc_ext.planners.record_file import read_record
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.settings.layers import Layer
from notebook_bcc_ext.settings.names import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "playbook", nargs="?", metavar="PLAYBOOK", help="its name or file; default: lifecycle"
    )
    parser.add_argument("--notebook", metavar="OUT.ipynb", help="default: NOTEBOOK_ID")
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
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="any setting that is not a secret, for this run",
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record for replay")
    parser.add_argument("--json", action="store_true", help="one JSON event a line")


def execute(options: argparse.Namespace) -> int:
    typed = Layer(
        "the command line",
        {"dslc_base_url": options.planner, "max_execution_steps": options.max_steps},
    )
    chosen = Layer("--set", dict(options.set), trusted=False)
    settings = settings_with(typed, chosen)
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
        complain(f"jupyter bcc run: {error}")


def _request(options: argparse.Namespace, settings: Settings) -> RunRequest:
    if not (options.notebook or settings.notebook_id):
        raise SettingsError("no notebook is named: use --notebook, or set NOTEBOOK_ID")
    if options.data is not None and "://" not in options.data and not Path(options.data).exists():
        raise SettingsError(f"--data: there is no file {options.data}")
    return RunRequest.model_validate(
        {
            "notebook": options.notebook or settings.notebook_id,
            "planner": _planner(options, settings),
            "goal": options.goal,
            "data": options.data,
            "variables": dict(options.var),
            "workflow": _workflow(options.workflow),
        }
    )


def _planner(options: argparse.Namespace, settings: Settings) -> dict[str, str]:
    """What was typed wins over a configured service; of two typed, the service."""
    if settings.dslc_base_url is None or (options.playbook and not options.planner):
        return {"kind": "embedded", "playbook": options.playbook or "lifecycle"}
    if options.playbook:
        said = f"the planner at {settings.dslc_base_url} decides; '{options.playbook}' is not used"
        complain(f"jupyter bcc run: {said}")
    return {"kind": "http", "url": settings.dslc_base_url}


def _workflow(file: Path | None) -> WorkflowTemplate | None:
    if file is None:
        return None
    try:
        return WorkflowTemplate.parse(decode_json(file.read_bytes()))
    except (OSError, ValueError, ProtocolError) as error:
        raise SettingsError(f"--workflow: {file} cannot be used: {error}") from None
