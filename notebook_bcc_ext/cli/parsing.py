"""What the subcommands share about argument parsing."""

from __future__ import annotations

import argparse
from typing import IO, Any

from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.printable import printable


class Parser(argparse.ArgumentParser):
    """Repeats arguments, which may be names of files that others made, in what it complains of."""

    def _print_message(self, message: str, file: IO[str] | None = None) -> None:  # type: ignore[override]
        super()._print_message(printable(message), file)


def assignment(text: str) -> tuple[str, Any]:
    """`K=V` of an option; V is JSON where it can be, else text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=value")
    try:
        return name, decode_json(value.encode())
    except ValueError:
        return name, value
