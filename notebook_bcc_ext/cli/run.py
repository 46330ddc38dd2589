"""`jupyter bcc run`: a whole workflow into a notebook, with no browser (J8)."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import httpx

from notebook_bcc_ext.adapters.settings_sources import load_settings
from notebook_bcc_ext.cli.parsing import Subparsers, assignment
from notebook_bcc_ext.cli.terminal import JsonLines, Terminal
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import BccError, ProtocolError, SettingsError
from notebook_bcc_ext.hosting.headless import headless_run
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.planners.replay import FORMAT
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.runs import Command, Pending, RunRequest, RunView
from notebook_bcc_ext.protocol.settings import Settings
from notebook_bcc_ext.protocol.settings_layers import Layer

EXIT_CODES = {"done": 0, "failed": 1, "cancelled": 3, "paused": 4}


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
    return asyncio.run(run_headless(request, settings, options))


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


async def run_headless(
    request: RunRequest,
    settings: Settings,
    options: argparse.Namespace,
    transport: httpx.AsyncBaseTransport | None = None,
) -> int:
    """Run to the end, answering as the options say; the exit code."""
    watcher = JsonLines() if options.json else Terminal()
    library = PlaybookLibrary(allow_paths=True)
    async with headless_run(
        request, settings, watcher, library=library, transport=transport
    ) as run:
        watcher.watch(run)
        cancelling = _cancel_on_interrupt(run)
        with watcher:
            run.start()
            await _answer_until_rest(run, watcher, options.approve)
        if cancelling:
            await asyncio.gather(*cancelling)
        if run.resting:
            await run.finished()
        view = run.view().model_copy(update={"notebook": request.notebook})
        watcher.conclude(view)
        if options.record is not None:
            await _write_record(run, view, options.record)
        failed = view.error is not None
        return 1 if failed else EXIT_CODES.get(view.status, 1)


async def _write_record(run: Run, view: RunView, file: Path) -> None:
    """The same form as the sidebar's export, with the variables the planner was given."""
    calls = await run.world.store.calls(run.id, limit=100_000)
    record = {
        "format": FORMAT,
        "run": view.model_dump(mode="json"),
        "variables": run.world.memory.variables,
        "calls": [{**vars(call), "location": None} for call in calls],
    }
    await asyncio.to_thread(file.write_text, json.dumps(record, ensure_ascii=False), "utf-8")


def _cancel_on_interrupt(run: Run) -> list[asyncio.Task[None]]:
    """Ctrl-C cancels the run: the kernel is interrupted, what is written stays."""
    cancelling: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        if not cancelling:
            cancelling.append(loop.create_task(_cancel(run)))

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, cancel)
    return cancelling


async def _cancel(run: Run) -> None:
    if "cancel" in run.allowed_commands:
        await run.command(Command(command="cancel"), "terminal")


async def _answer_until_rest(run: Run, watcher: Terminal | JsonLines, approve: str) -> None:
    while not run.resting:
        await watcher.changed()
        if run.status == "paused":
            return
        pending = run.world.questions.pending
        if pending is None:
            continue
        yes = approve == "yes" or (approve == "ask" and await watcher.ask(pending))
        await _answer(run, pending, yes=yes)


async def _answer(run: Run, pending: Pending, *, yes: bool) -> None:
    command: Any = "confirm" if yes else "reject"
    try:
        await run.command(Command(command=command, proposal_id=pending.id), "terminal")
    except BccError as error:
        print(f"jupyter bcc run: {error}", file=sys.stderr)
