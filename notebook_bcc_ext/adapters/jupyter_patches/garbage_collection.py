"""Keeps Python's garbage collector from holding up the event loop.

A full collection looks at every object there is, and lets no thread run meanwhile. The modules of a
Jupyter server alone are some hundred thousand objects, which takes a tenth of a second each time;
but they live as long as the process, so nothing is ever found among them.
"""

from __future__ import annotations

import functools
import gc


@functools.cache
def leave_modules_alone() -> None:
    """What exists by now is never looked at again. Once per process, when all is imported."""
    gc.collect()
    gc.freeze()
