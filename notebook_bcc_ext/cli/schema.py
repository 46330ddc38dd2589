"""`jupyter bcc schema [NAME]`: JSON Schemas of the protocol and of playbooks."""

from __future__ import annotations

import argparse
from typing import Any

from notebook_bcc_ext.cli.output import complain, say, say_json
from notebook_bcc_ext.protocol.planner.catalogue import CATALOGUE, json_schema

PLAYBOOK = "playbook"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME")


def execute(options: argparse.Namespace) -> int:
    names = sorted([*CATALOGUE, PLAYBOOK])
    if options.name is None:
        say("\n".join(names))
        return 0
    if options.name not in names:
        there = ", ".join(names)
        complain(f"jupyter bcc schema: no schema '{options.name}'; there are: {there}")
        return 2
    say_json(_playbook() if options.name == PLAYBOOK else json_schema(options.name), indent=2)
    return 0


def _playbook() -> dict[str, Any]:
    # Imported late: the names and the protocol's schemas need nothing of playbooks.
    from notebook_bcc_ext.planners.library import playbook_schema  # noqa: PLC0415

    return playbook_schema()
