"""The entry point of `jupyter bcc`: one subcommand, one function.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cancelled, 4 paused by a limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from notebook_bcc_ext.cli import (
    backend,
    check_backend,
    playbooks,
    replay,
    run,
    schema,
    states,
)
from notebook_bcc_ext.errors import BccError, NotFoundError, RecordError, SettingsError

_COMMANDS = (run, replay, backend, check_backend, playbooks, states, schema)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jupyter bcc",
        description="AI-planned, human-approved workflows in your own notebook.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    try:
        exit_code: int = options.execute(options)
    except BccError as error:
        print(f"jupyter bcc {options.command}: {error}", file=sys.stderr)
        # What was asked for cannot be done like that; a run that fails says so itself.
        return 2 if isinstance(error, SettingsError | NotFoundError | RecordError) else 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
