"""What the subcommands share about argument parsing."""

from __future__ import annotations

import argparse
import json
from typing import Any, TypeAlias

# The class is generic for type checkers only, hence the quotes.
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def assignment(text: str) -> tuple[str, Any]:
    """`K=V` of an option; V is JSON where it can be, else text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
