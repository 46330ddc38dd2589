"""`jupyter bcc schema [NAME]`: JSON Schemas of the protocol."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from notebook_bcc_ext.cli.parsing import Subparsers
from notebook_bcc_ext.protocol.catalogue import CATALOGUE, json_schema


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("schema", help="print a JSON Schema, or the names there are")
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.set_defaults(execute=_print_schema)


def all_schemas() -> dict[str, dict[str, Any]]:
    return {name: json_schema(name) for name in CATALOGUE}


def _print_schema(options: argparse.Namespace) -> int:
    schemas = all_schemas()
    if options.name is None:
        print("\n".join(sorted(schemas)))
        return 0
    if options.name not in schemas:
        names = ", ".join(sorted(schemas))
        print(
            f"jupyter bcc schema: no schema '{options.name}'; there are: {names}", file=sys.stderr
        )
        return 2
    print(json.dumps(schemas[options.name], indent=2, ensure_ascii=False))
    return 0
