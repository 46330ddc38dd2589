"""The one way from the command line to the terminal.

What planners, data and file names say reaches it with nothing in it that steers a terminal.
"""

from __future__ import annotations

import json
import sys

from notebook_bcc_ext.protocol.printable import printable, printable_json


def say(text: str) -> None:
    print(printable(text), flush=True)


def say_json(value: object, *, indent: int | None = None) -> None:
    text = json.dumps(value, ensure_ascii=False, default=str, indent=indent)
    print(printable_json(text), flush=True)


def complain(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)
