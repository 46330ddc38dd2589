"""A variable out of the environment, for child processes and for whoever looks at this process."""

from __future__ import annotations

import ctypes
import os
from collections.abc import MutableMapping


def take_out(environment: MutableMapping[str, str], name: str) -> None:
    if environment is os.environ and name in environment:
        _overwrite(name)
    environment.pop(name, None)


def _overwrite(name: str) -> None:
    """`/proc/<pid>/environ`, which a kernel can read, shows what a process was started with,
    whatever it has taken out of its environment since."""
    if os.name != "posix":
        return
    find = ctypes.CDLL(None).getenv
    find.restype = ctypes.c_void_p
    place = find(os.fsencode(name))
    if place:
        ctypes.memset(place, 0, len(ctypes.string_at(place)))
