"""Reading and writing the notebook's file: get, replay, save, under the lock of its path.

Nothing is ever written from a stale copy: each write reads the file first and adds to it what the
log has since the position the file itself carries. So what a person or a program saved meanwhile
stays, and a write that was cut short is simply done again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import nbformat

from notebook_bcc_ext.adapters.notebook.apply import (
    empty_notebook,
    log_position,
    make_current,
    replay,
    set_log_position,
)
from notebook_bcc_ext.adapters.notebook.contents_access import (
    ContentsAccess,
    FileStamp,
    MissingFileError,
    UnreadableFileError,
)
from notebook_bcc_ext.adapters.notebook.logs import ids_of, is_put_back
from notebook_bcc_ext.adapters.notebook.shape import refuse_malformed
from notebook_bcc_ext.adapters.notebook.view import NotebookView
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.adapters.store.operation_text import pack_image
from notebook_bcc_ext.errors import ForeignChangeError, NotebookError, NotebookGoneError
from notebook_bcc_ext.protocol.browser.notebook_ops import LoggedOp

Json = dict[str, Any]
WhenMissing = Literal["make", "refuse", "restore"]
BeforeSave = Callable[[NotebookView, int], None]

log = logging.getLogger(__name__)
_NAMES_TRIED = 100
# A page of operations at a time: after a long pause there may be more of them than cells.
_OPERATIONS_AT_ONCE = 300


@dataclass(frozen=True)
class FileState:
    """The file after a read or write: what it says, up to which operation, and its stamp."""

    view: NotebookView
    seq: int
    stamp: FileStamp
    had_foreign: bool = False
    """Whether a write found changes of a program that does not go through this server."""


@dataclass
class NotebookFile:
    """One notebook's file. Every coroutine here is meant for `ContentsAccess.run`."""

    path: str
    access: ContentsAccess
    log: OperationLog
    keep_cells: int

    @property
    def place(self) -> str:
        return self.access.place(self.path)

    # -- opening ------------------------------------------------------------------------------

    async def open(
        self, metadata: Json, *, write: bool = True, missing: WhenMissing = "make"
    ) -> tuple[LogState, FileState, str | None]:
        """Find or make the notebook and its log, and bring the file up to the log.

        The last of the answers is a notice for the person, if there is something to say.
        `write` is False while somebody else writes the file, from a shared document.
        """
        async with self.access.locks.hold(self.path):
            notebook, before, notice = await self._load_or_make(missing)
            refuse_malformed(self.path, notebook)
            for key, value in metadata.items():
                notebook["metadata"].setdefault(key, value)
            state = await self._log_of(notebook, missing)
            upgraded = await self.access.compute(lambda: make_current(notebook))
            known_id, known_seq = log_position(notebook)
            if known_id != state.log_id:
                # The key was lost on the way (never saved yet, or a tool stripped it).
                known_seq = state.flushed_seq
            if known_seq > state.head_seq:
                await self.log.advance(state.log_id, known_seq)
            if upgraded:
                log.info("%s was brought to nbformat 4.5", self.path)
            if write or before is None:
                file = await self._write(notebook, state.log_id, known_seq, before=before)
            else:
                view = await self._view(notebook, state.anchor_id)
                file = FileState(view, known_seq, before)
            current = await self.log.find(log_id=state.log_id)
            return current or state, file, notice

    async def _load_or_make(
        self, missing: WhenMissing
    ) -> tuple[Json, FileStamp | None, str | None]:
        try:
            model = await self.access.get(self.path)
        except MissingFileError as error:
            if missing == "refuse":
                raise NotebookGoneError(
                    f"{self.path} was deleted or moved while the server was stopped. Put it back "
                    f"and retry; retry without it to make it again from what the run's log still "
                    f"has; or cancel the run."
                ) from error
            image = await self._image() if missing == "restore" else None
            return await self._from_image(image or empty_notebook({})), None, None
        except UnreadableFileError:
            image = await self._image()
            if image is None:
                raise
        else:
            await self._remove_half_a_save()
            return model["content"], FileStamp.of(model), None
        # The manager's own copy of the file, if it had one, did not help: repeat the last save.
        notebook = await self._from_image(image)
        notice = (
            f"{self.path} was cut short by an interrupted save. It was rebuilt from the "
            "operation log."
        )
        if not await self._is_half_a_save(self.path, image):
            notice += f" The damaged file is kept as {await self._set_aside()}."
        log.warning(notice)
        return notebook, None, notice

    async def _from_image(self, content: Json) -> Json:
        from_dict: Callable[[Json], Json] = nbformat.from_dict
        notebook = await self.access.compute(lambda: from_dict(content))
        # The save had signed this very content before it began to write.
        self.access.mark_trusted_cells(self.path, notebook)
        return notebook

    async def _image(self) -> Json | None:
        """What the last save was about to write, if it was cut short or is under way."""
        state = await self.log.find(place=self.place)
        found = None if state is None else await self.log.image(state.log_id)
        return None if found is None else found[1]

    async def _remove_half_a_save(self) -> None:
        """A file manager that meets half a file takes its own copy, and leaves the half."""
        half = f"{self.path}.invalid"
        if not await self.access.exists(half):
            return
        image = await self._image()
        if image is not None and await self._is_half_a_save(half, image):
            await self.access.delete(half)

    async def _is_half_a_save(self, path: str, image: Json) -> bool:
        """Whether the file is just the beginning of what we were about to write: then there is
        nothing in it to keep."""
        text = await self.access.text(path)
        if text is None:
            return False
        from_dict: Callable[[Json], Json] = nbformat.from_dict
        writes: Callable[[Json], str] = nbformat.writes
        whole = await self.access.compute(lambda: writes(from_dict(image)))
        return whole.startswith(text.rstrip("\ufffd"))

    async def _set_aside(self) -> str:
        for number in range(1, _NAMES_TRIED):
            aside = f"{self.path}.damaged-{number}"
            if not await self.access.exists(aside):
                await self.access.rename(self.path, aside)
                return aside
        raise NotebookError(
            f"{self.path} is damaged and could not be set aside: remove some of its "
            f"'.damaged' copies and try again"
        )

    async def _log_of(self, notebook: Json, missing: WhenMissing) -> LogState:
        """The log that this content belongs to. A copy gets one of its own."""
        claimed, seq = log_position(notebook)
        if claimed is None:
            return await self._log_here(notebook, missing)
        state = await self.log.find(log_id=claimed)
        if state is None:
            return await self.log.start(self.place)
        if state.place == self.place:
            # A new run in an older version of the file: what came later was taken out on purpose.
            put_back = missing == "make" and is_put_back(notebook, state)
            return await self.log.start(self.place) if put_back else state
        other_path = self.access.path_of(state.place)
        # The file itself carries all that was flushed: one that says less is an older copy.
        is_copy = seq < state.flushed_seq
        if is_copy or other_path is None or await self.access.exists(other_path):
            return await self.log.start(self.place)
        await self.log.move(claimed, self.place)
        return state

    async def _log_here(self, notebook: Json, missing: WhenMissing) -> LogState:
        """For content that names no log. A new notebook where an older one was deleted or
        replaced begins anew."""
        here = await self.log.find(place=self.place)
        if here is not None and await self.access.exists(self.path):
            if here.head_seq == 0 or await self.log.inserted(here.log_id) & ids_of(notebook):
                return here
            if missing == "refuse":
                raise _replaced(self.path)
        return await self.log.start(self.place)

    # -- during a run -------------------------------------------------------------------------

    async def flush(self, state: LogState, before_save: BeforeSave) -> FileState:
        """Bring the file up to the log.

        `before_save` gets what is about to be saved and its seq: what others had saved is known
        from then on, though the file is not yet complete.
        """
        async with self.access.locks.hold(self.path):
            notebook, seq, before = await self._read_ours(state)
            return await self._write(
                notebook, state.log_id, seq, before=before, before_save=before_save
            )

    async def reread(self, state: LogState) -> tuple[FileState, Json]:
        """The file as it is, with what the log has on top; nothing is written."""
        async with self.access.locks.hold(self.path):
            notebook, seq, stamp = await self._read_ours(state)
        seq, anchor_id = await self._replay(notebook, state.log_id, seq)
        return FileState(await self._view(notebook, anchor_id), seq, stamp), notebook

    async def recreate(self, state: LogState) -> FileState:
        """Make the file again after it was deleted, from the last save and the log."""
        async with self.access.locks.hold(self.path):
            if await self.access.exists(self.path):
                raise ForeignChangeError(
                    f"{self.path} exists again: it is not replaced; open it instead"
                )
            image = await self.log.image(state.log_id)
            if image is None:
                raise NotebookError(f"nothing is left to make {self.path} again from")
            # Its log may have been put aside when the file went.
            await self.log.move(state.log_id, self.place)
            seq, content = image
            notebook = await self._from_image(content)
            return await self._write(notebook, state.log_id, seq, before=None)

    async def _read_ours(self, state: LogState) -> tuple[Json, int, FileStamp]:
        try:
            model = await self.access.get(self.path)
        except MissingFileError as error:
            raise NotebookGoneError(
                f"{self.path} was deleted or moved by somebody else. It was not made again: "
                f"what the run wrote is kept in its log. Retry to make the file again, or "
                f"cancel the run."
            ) from error
        notebook: Json = model["content"]
        refuse_malformed(self.path, notebook)
        claimed, seq = log_position(notebook)
        now = await self.log.find(log_id=state.log_id)
        if claimed is None and now is not None and now.place == self.place:
            seq = now.flushed_seq
        elif claimed != state.log_id:
            raise _replaced(self.path)
        seq = seq if now is None else min(seq, now.head_seq)
        await self.access.compute(lambda: make_current(notebook))
        return notebook, seq, FileStamp.of(model)

    async def _flushed(self, log_id: str) -> int:
        state = await self.log.find(log_id=log_id)
        return 0 if state is None else state.flushed_seq

    async def _replay(self, notebook: Json, log_id: str, seq: int) -> tuple[int, str | None]:
        """Apply what the log has since; the seq of the notebook now, and its cell written last."""
        while True:
            # Before the operations: if none follow, this is the cell that goes with them.
            state = await self.log.find(log_id=log_id)
            ops = await self._ops_since(log_id, seq)
            if not ops:
                return seq, None if state is None else state.anchor_id
            seq = await self.access.compute(partial(replay, notebook, ops, seq))

    async def _ops_since(self, log_id: str, seq: int) -> list[LoggedOp]:
        ops = await self.log.since(log_id, seq, _OPERATIONS_AT_ONCE)
        if ops is None:
            # An older version was restored, from before what the log remembers: the person wants
            # that one, so only what no file has seen yet is added.
            flushed = await self._flushed(log_id)
            ops = await self.log.since(log_id, flushed, _OPERATIONS_AT_ONCE)
        return ops or []

    async def _write(
        self,
        notebook: Json,
        log_id: str,
        applied_seq: int,
        *,
        before: FileStamp | None,
        before_save: BeforeSave = lambda _view, _seq: None,
    ) -> FileState:
        seq, anchor_id = await self._replay(notebook, log_id, applied_seq)
        set_log_position(notebook, log_id, seq)
        image = await self.access.compute(lambda: pack_image(without_trust(notebook)))
        view = await self._view(notebook, anchor_id)
        before_save(view, seq)
        await self.log.store_image(log_id, seq, image)
        stamp = await self.access.save(self.path, notebook)
        had_foreign = self.access.states.flushed(self.path, before, stamp, seq)
        await self.log.record_flush(log_id, seq)
        return FileState(view, seq, stamp, had_foreign)

    async def _view(self, notebook: Json, anchor_id: str | None) -> NotebookView:
        return await self.access.compute(
            lambda: NotebookView(notebook, anchor_id, keep_cells=self.keep_cells)
        )


def _replaced(path: str) -> ForeignChangeError:
    return ForeignChangeError(
        f"{path} was replaced by another notebook, or another server writes it too. Nothing was "
        f"overwritten: stop one of them, then retry."
    )


def without_trust(notebook: Json) -> Json:
    """As the file has it: trust is a matter of signatures, never of what a file claims."""
    cells = [
        {**cell, "metadata": {k: v for k, v in cell["metadata"].items() if k != "trusted"}}
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}
