"""Renames and deletions, as the contents manager reports them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from notebook_bcc_ext.adapters.notebook.paths import normal_path

CONTENTS_EVENTS = "https://events.jupyter.org/jupyter_server/contents_service/v1"

MovedListener = Callable[[str, str | None], Awaitable[None]]


def follow_moves(serverapp: Any, on_moved: MovedListener) -> Callable[[], None]:
    """Call back with the old and the new path (None: deleted); a function to stop it."""

    async def listen(logger: Any, schema_id: str, data: dict[str, Any]) -> None:  # noqa: ARG001
        path = normal_path(str(data["path"]))
        match data["action"]:
            case "rename":
                await on_moved(normal_path(str(data.get("source_path", ""))), path)
            case "delete":
                await on_moved(path, None)
            case _:
                pass

    logger = serverapp.event_logger
    logger.add_listener(schema_id=CONTENTS_EVENTS, listener=listen)

    def stop() -> None:
        logger.remove_listener(schema_id=CONTENTS_EVENTS, listener=listen)

    return stop
