"""Calls into Jupyter from a task that lives as long as a run.

AnyIO, which contents managers and shared documents use, starts threads that end with the task that
asked for them, and Python does not end before they do. On Ctrl-C without a terminal, which is how
JupyterHub stops a server, Jupyter ends without ending tasks: a run would keep the process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def in_short_task(work: Coroutine[Any, Any, T]) -> T:
    return await asyncio.get_running_loop().create_task(work)
