"""`jupyter bcc playbooks` and `playbooks check FILE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from notebook_bcc_ext.cli.output import complain, say
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.library import PlaybookLibrary, default_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    check = actions.add_parser("check", help="say what is wrong with a playbook file")
    check.add_argument("file", type=Path, metavar="FILE")


def execute(options: argparse.Namespace) -> int:
    return _check(options.file) if options.action == "check" else _list()


def _list() -> int:
    for name, title, description in PlaybookLibrary(folders=default_folders()).titles():
        say(f"{name}: {title}")
        say(f"    {description}")
    return 0


def _check(file: Path) -> int:
    # Imported late: a list of titles is printed sooner than this is there.
    from notebook_bcc_ext.planners.loader import load_playbook  # noqa: PLC0415

    try:
        playbook = load_playbook(file)
    except BccError as error:
        complain(str(error))
        return 1
    steps = sum(1 for _ in playbook.steps())
    say(f"{file}: a valid playbook of {len(playbook.stages)} stages and {steps} steps")
    return 0
