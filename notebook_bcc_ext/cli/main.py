"""The entry point of `jupyter bcc`: one subcommand, one module.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cancelled, 4 paused by a limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from notebook_bcc_ext.cli.output import complain
from notebook_bcc_ext.cli.parsing import Parser
from notebook_bcc_ext.errors import (
    BccError,
    NotebookPathError,
    NotFoundError,
    RecordError,
    SettingsError,
)

_COMMANDS = {
    "run": "run a workflow into a notebook, without a browser",
    "replay": "play a recorded run again, without its planner",
    "backend": "serve the embedded planner over HTTP",
    "check-backend": "test a planner service against the protocol",
    "playbooks": "list playbooks, or check one of your own",
    "states": "print the state machine",
    "schema": "print a JSON Schema, or the names there are",
}

# What was asked for cannot be done like that; a run that fails says so itself.
_USAGE = SettingsError | NotebookPathError | NotFoundError | RecordError


class Command(Protocol):
    """What the module of a subcommand has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def execute(self, options: argparse.Namespace) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = Parser(
        prog="jupyter bcc",
        description="AI-planned, human-approved workflows in your own notebook.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    parsers = {name: commands.add_parser(name, help=text) for name, text in _COMMANDS.items()}
    named = next((word for word in given if not word.startswith("-")), None)
    command = _load(named) if named in parsers else None
    if command is not None:
        command.add_arguments(parsers[str(named)])
    options = parser.parse_args(given)
    if command is None:
        parser.error("no command given")
    try:
        return command.execute(options)
    except BccError as error:
        complain(f"jupyter bcc {options.command}: {error}")
        return 2 if isinstance(error, _USAGE) else 1


def _load(name: str) -> Command:
    """Only the named one: what a run needs takes seconds to import, and `states` nothing of it."""
    module = import_module(f"notebook_bcc_ext.cli.{name.replace('-', '_')}")
    return cast(Command, module)


if __name__ == "__main__":
    sys.exit(main())
