"""`jupyter bcc states`: the state machine's table."""

from __future__ import annotations

import argparse
import sys

from notebook_bcc_ext.cli.parsing import Subparsers
from notebook_bcc_ext.fsm.diagram import to_csv, to_mermaid


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("states", help="print the state machine")
    parser.add_argument("--format", choices=("csv", "mermaid"), default="csv")
    parser.set_defaults(execute=_print_states)


def _print_states(options: argparse.Namespace) -> int:
    sys.stdout.write(to_csv() if options.format == "csv" else to_mermaid())
    return 0
