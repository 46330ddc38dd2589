"""`jupyter bcc states`: the state machine's table."""

from __future__ import annotations

import argparse

from notebook_bcc_ext.cli.output import say
from notebook_bcc_ext.fsm.diagram import to_csv, to_mermaid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("csv", "mermaid"), default="csv")


def execute(options: argparse.Namespace) -> int:
    say((to_csv() if options.format == "csv" else to_mermaid()).rstrip("\n"))
    return 0
