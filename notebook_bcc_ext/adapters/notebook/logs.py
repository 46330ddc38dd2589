"""Which log a notebook goes on with: its own, never that of one that was deleted or replaced.

A notebook carries the id of its log. One without may still be the same (a tab that was opened
before its first run saves it; a tool stripped the metadata), or another one in the same place. It
is taken for the same while a run is at work in it, or where it has cells in common with what is
known; else the log is retired: what somebody deleted does not come back. The same holds for a file
that is older than the last flush into it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from notebook_bcc_ext.adapters.notebook.apply import log_position
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess, MissingFileError
from notebook_bcc_ext.adapters.notebook.shape import fault_of
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.errors import NotebookError

Json = dict[str, Any]
logger = logging.getLogger(__name__)


class NotebookLogs:
    """Coroutines for `ContentsAccess.run`, under the lock of the path."""

    def __init__(self, access: ContentsAccess, log: OperationLog) -> None:
        self._access = access
        self._log = log
        self.is_in_use: Callable[[str], bool] = lambda _: False
        """Whether a run that is not at rest works in the notebook (its path)."""

    async def at(self, path: str) -> LogState | None:
        return await self._log.find(place=self._access.place(path))

    async def of_file(self, path: str) -> LogState | None:
        """For somebody who is about to read the file."""
        state = await self.at(path)
        if state is None or self.is_in_use(path):
            return state
        try:
            content: Json = (await self._access.get(path))["content"]
        except MissingFileError:
            await self._give_up(state, path, "was deleted")
            return None
        except NotebookError:
            return state
        return await self.of_content(path, content, state)

    async def of_content(self, path: str, content: Json, state: LogState) -> LogState | None:
        """The same for a file that has been read."""
        claimed, seq = log_position(content)
        if state.head_seq == 0 or self.is_in_use(path):
            return state
        if claimed == state.log_id:
            return await self._unless_put_back(path, seq, state)
        if claimed is None and await self.has_cells_of(state, content):
            return state
        await self._give_up(state, path, "was replaced by another notebook")
        return None

    async def of_save(self, path: str, content: Json, state: LogState) -> LogState | None:
        """For content that somebody saves at the path without having asked us."""
        claimed, seq = log_position(content)
        if claimed == state.log_id:
            return await self._unless_put_back(path, seq, state)
        exists = await self._access.exists(path)
        if self.is_in_use(path):
            if exists:
                return state
            await self._log.put_aside(state)
            return None
        if not exists:
            await self._give_up(state, path, "was deleted")
            return None
        if claimed is None and await self._continues(path, content, state):
            return state
        await self._give_up(state, path, "is being replaced by another notebook")
        return None

    async def deleted(self, path: str) -> None:
        """The notebook, or a folder with all in it, was deleted."""
        for state in await self._log.within(self._access.place(path)):
            inside = self._access.path_of(state.place)
            if inside is None:
                continue
            async with self._access.locks.hold(inside):
                # Somebody may have put another one there before we heard of it.
                if await self._access.exists(inside):
                    continue
                if self.is_in_use(inside):
                    await self._log.put_aside(state)
                else:
                    await self._give_up(state, inside, "was deleted")

    async def has_cells_of(self, state: LogState, content: Json) -> bool:
        return bool(await self._log.inserted(state.log_id) & ids_of(content))

    async def _continues(self, path: str, content: Json, state: LogState) -> bool:
        """Whether it comes from somebody who had this very notebook open before its first run."""
        try:
            file: Json = (await self._access.get(path))["content"]
        except NotebookError:
            return True
        if fault_of(file) is not None or log_position(file)[0] != state.log_id:
            return False
        is_blank_tab = bool(content["cells"]) and not any(map(_has_text, content["cells"]))
        return is_blank_tab or bool(ids_of(file) & ids_of(content))

    async def _unless_put_back(self, path: str, seq: int, state: LogState) -> LogState | None:
        """None where the file is an older version of itself, as `git checkout` leaves it: what came
        later was taken out on purpose. The file is read again for that: it has what others flushed
        before the log says so."""
        if seq >= state.flushed_seq or self.is_in_use(path):
            return state
        try:
            file: Json = (await self._access.get(path))["content"]
        except NotebookError:
            return state
        if fault_of(file) is not None or not is_put_back(file, state):
            return state
        await self._give_up(state, path, "was put back to an older version")
        return None

    async def _give_up(self, state: LogState, path: str, why: str) -> None:
        logger.info("%s %s: the log of its runs is retired", path, why)
        await self._log.retire(state.log_id)


def is_put_back(file: Json, state: LogState) -> bool:
    """Whether a file lacks some of what it once had: a flush is in the file first."""
    claimed, seq = log_position(file)
    return claimed == state.log_id and seq < state.flushed_seq


def ids_of(notebook: Json) -> set[str]:
    return {str(cell["id"]) for cell in notebook["cells"] if cell.get("id")}


def _has_text(cell: Json) -> bool:
    return bool("".join(cell["source"]).strip() or cell.get("outputs"))
