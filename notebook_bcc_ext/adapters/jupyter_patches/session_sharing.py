"""One session per notebook, also when two ask for it at the same moment.

jupyter_server looks whether a notebook has a session and creates one when it has none. A session
exists only once its kernel has started, so a browser that opens a notebook while a run starts in
it would get a second kernel: the person would look at one, and the run would use the other.
"""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_core.utils import ensure_async

_MARK = "_notebook_bcc_shares_sessions"


def share_sessions(session_manager: Any) -> None:
    """Whoever comes second for a notebook waits for the first, and gets the same session."""
    if getattr(session_manager, _MARK, False):
        return
    create = session_manager.create_session
    locks: dict[str, asyncio.Lock] = {}

    async def create_once(
        path: str | None = None,
        name: str | None = None,
        type: str | None = None,  # noqa: A002  the name is jupyter_server's
        kernel_name: str | None = None,
        kernel_id: str | None = None,
        **more: Any,
    ) -> Any:
        def create_new() -> Any:
            return ensure_async(create(path, name, type, kernel_name, kernel_id, **more))

        if path is None or type != "notebook" or kernel_id is not None:
            return await create_new()
        lock = locks.setdefault(path, asyncio.Lock())
        try:
            async with lock:
                if await ensure_async(session_manager.session_exists(path=path)):
                    return await ensure_async(session_manager.get_session(path=path))
                return await create_new()
        finally:
            if not lock.locked():
                locks.pop(path, None)

    session_manager.create_session = create_once
    setattr(session_manager, _MARK, True)
