"""`jupyter bcc playbooks` and `playbooks check FILE`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from notebook_bcc_ext.cli.parsing import Subparsers
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.planners.loader import load_playbook


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("playbooks", help="list playbooks, or check one of your own")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    check = actions.add_parser("check", help="say what is wrong with a playbook file")
    check.add_argument("file", type=Path, metavar="FILE")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    return _check(options.file) if options.action == "check" else _list()


def _list() -> int:
    for playbook in PlaybookLibrary().describe():
        print(f"{playbook['name']}: {playbook['title']}")
        print(f"    {playbook['description']}")
    return 0


def _check(file: Path) -> int:
    try:
        playbook = load_playbook(file)
    except BccError as error:
        print(error, file=sys.stderr)
        return 1
    steps = sum(1 for _ in playbook.steps())
    print(f"{file}: a valid playbook of {len(playbook.stages)} stages and {steps} steps")
    return 0
