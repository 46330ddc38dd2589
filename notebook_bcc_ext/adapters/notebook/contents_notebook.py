"""A notebook behind the server's contents manager.

A change is appended to the operation log, and with that it is durable. The file follows: at most
every `flush_interval` seconds, or at once with `flush()` and `close()`; writing it happens off the
event loop and is paced (see `FlushPace`), so what a change costs does not grow with the notebook.

When the file cannot be written in the background, the run goes on into the log until its next
change, which tries the file again and raises what is wrong.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from notebook_bcc_ext.adapters.notebook.apply import log_position
from notebook_bcc_ext.adapters.notebook.contents_access import (
    ContentsAccess,
    FileStamp,
    MissingFileError,
)
from notebook_bcc_ext.adapters.notebook.file import FileState, NotebookFile, WhenMissing
from notebook_bcc_ext.adapters.notebook.late_flush import FIRST_FLUSH_AFTER_S, LateFlush
from notebook_bcc_ext.adapters.notebook.new_cells import NewCells
from notebook_bcc_ext.adapters.notebook.notices import NotebookNotices
from notebook_bcc_ext.adapters.notebook.posted_operations import PostedOperations
from notebook_bcc_ext.adapters.notebook.room_mirror import (
    SAVES_WITHIN_S,
    NoRooms,
    RoomMirror,
    Rooms,
)
from notebook_bcc_ext.adapters.notebook.run_cells import heading, removal, rewriting, titling
from notebook_bcc_ext.adapters.notebook.view import CurrentView, NotebookView, text_of_cell
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import LogState
from notebook_bcc_ext.errors import BccError, NotebookError, NotebookGoneError
from notebook_bcc_ext.ports import CellText, NewCell, Removed
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    ChangeOutputs,
    LoggedOp,
    NotebookOp,
    SetCellMetadata,
    SetExecution,
    SetWidgets,
)
from notebook_bcc_ext.protocol.planner.observation import NotebookSummary

Json = dict[str, Any]
Settle = Callable[[str, str], Awaitable[None]]
"""Has whoever edits the cell (path, cell id) save it first, where that can be had."""


class ContentsNotebook:
    """`NotebookDocument` by way of `get` and `save` of any contents manager."""

    def __init__(  # noqa: PLR0913  what it works with, and settings with defaults
        self,
        path: str,
        access: ContentsAccess,
        log: OperationLog,
        *,
        metadata: Json | None = None,
        rooms: Rooms | None = None,
        flush_interval: float = 2.0,
        keep_cells: int = 50,
        settle: Settle | None = None,
    ) -> None:
        """`metadata` (kernelspec, language_info) goes into a notebook that lacks it."""
        self._file = NotebookFile(path.strip("/"), access, log, keep_cells)
        self._access = access
        self._log = log
        self._posted = PostedOperations(log)
        self._room = RoomMirror(rooms or NoRooms(), log)
        self._metadata = metadata or {}
        self._settle_edits = settle
        self._state: LogState | None = None
        self._notices = NotebookNotices()
        self._current = CurrentView(self._notices)
        self._stamp: FileStamp | None = None
        self._new = NewCells()
        self._logged_seq = 0
        self._flushed_seq = 0
        self._late = LateFlush(self._flush_in_turn, self._is_behind, flush_interval)
        self._flush_lock = asyncio.Lock()
        self._saving = False
        self._failure: BccError | None = None
        self._told_gone = False
        self._unsubscribe: Callable[[], None] | None = None

    # -- opening and closing ------------------------------------------------------------------

    @property
    def path(self) -> str:
        return self._file.path

    @property
    def is_open(self) -> bool:
        return self._state is not None

    @property
    def log_id(self) -> str:
        return self._opened().log_id

    async def open(self, *, again: bool = False) -> None:
        if self._unsubscribe is None:
            self._unsubscribe = self._log.subscribe(self._on_logged)
        in_room = await self._room.is_live(self.path)
        with self._current.reading(), self._access.pace.spent():
            # Whoever comes again has been told, and has retried.
            missing: WhenMissing = ("restore" if self._told_gone else "refuse") if again else "make"
            self._told_gone = again
            opened = await self._access.run(
                lambda: self._file.open(self._metadata, write=not in_room, missing=missing)
            )
            self._state, file, notice = opened
            if notice:
                self._notices.add(notice)
            self._new.anchor_id = self._state.anchor_id
            self._current.adopt(file.view, file.seq)
        self._file_is_written(file)
        if in_room:
            self._logged_seq = max(self._logged_seq, self._state.head_seq)
            await self._flush_now()

    async def close(self) -> None:
        """Write the file and let go. Also after an error here the log has everything."""
        if self._state is None:
            return
        try:
            await self.flush()
            await self._log.drop_image(self._state.log_id)
        finally:
            self._stop()

    def _stop(self) -> None:
        self._room.close()
        self._late.stop()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._state = None

    def _opened(self) -> LogState:
        if self._state is None:
            raise NotebookError(f"{self.path} is not open")
        return self._state

    def _view(self) -> NotebookView:
        if self._current.view is None:
            raise NotebookError(f"{self.path} is not open")
        return self._current.view

    # -- reading ------------------------------------------------------------------------------

    def summary(self) -> NotebookSummary:
        return self._view().summary()

    def recent_cells(self, limit: int) -> list[Json]:
        return self._view().latest(limit)

    def notebook_metadata(self) -> Json:
        return self._view().metadata()

    def take_notices(self) -> list[str]:
        told = self._notices.take()
        return told if self._state is None else told + self._log.take_notices(self._state.log_id)

    async def text_of(self, cell_id: str) -> CellText | None:
        if cell_id in self._new.on_their_way:
            return self._new.on_their_way[cell_id]
        if self._settle_edits is not None:
            await self._settle_edits(self.path, cell_id)
        text = await self._current_text(cell_id)
        if text is not None:
            self._notices.found_source(cell_id, text.source)
        return text

    async def _current_text(self, cell_id: str) -> CellText | None:
        room = await self._room.up_to_date(self.path, self._opened().log_id)
        if room is not None:
            return room.text_of(cell_id)
        notebook = await self._read_what_others_saved()
        view = self._view()
        text = view.text_of(cell_id)
        if text is not None or cell_id not in view.ids:
            return text
        if notebook is None:
            notebook = await self._reread()
        cells = (cell for cell in notebook["cells"] if cell["id"] == cell_id)
        return next((text_of_cell(cell) for cell in cells), None)

    async def _read_what_others_saved(self) -> Json | None:
        # While we save, the file's date says nothing; what others had saved is in the view.
        if self._saving:
            return None
        try:
            stamp = await self._access.stamp(self.path)
        except MissingFileError:
            return await self._reread()
        return await self._reread() if stamp != self._stamp and not self._saving else None

    async def _reread(self) -> Json:
        state = self._opened()
        with self._current.reading():
            file, notebook = await self._access.run(lambda: self._file.reread(state))
            self._current.adopt(file.view, file.seq)
        self._stamp = file.stamp
        return notebook

    # -- writing ------------------------------------------------------------------------------

    async def ready(self) -> None:
        await self._retry_after_failure()
        if self._new.on_their_way:
            # A planner may send cells faster than a disk takes them.
            await self.stored()

    def insert(self, cell: NewCell) -> str:
        insertion = self._new.insertion(cell, self._view())
        cell_id = str(insertion.cell["id"])
        self._posted.post(self._opened().log_id, [insertion], cell_id)
        self._new.sent(insertion)
        return cell_id

    async def set_source(self, cell_id: str, source: str) -> bool:
        text = await self.text_of(cell_id)
        if text is None or not text.untouched:
            return False
        await self._change(*rewriting(cell_id, text, source))
        return True

    async def set_metadata(self, cell_id: str, changes: Json) -> None:
        await self._change(SetCellMetadata(cell_id=cell_id, metadata=changes))

    async def set_title(self, title: str, mark: Json) -> None:
        await self.stored()  # The heading may be on its way.
        room = await self._room.up_to_date(self.path, self._opened().log_id)
        if room is None:
            await self._read_what_others_saved()
        view = self._view()
        part = view.parts.get(mark["run"])
        shown = view.metadata().get("title") if room is None else room.title
        if part is None:
            await self.ready()
            self.insert(heading(title, mark))
        text = await self.text_of(part.heading_id) if part and part.heading_id else None
        new_heading = partial(self._new.insertion, heading(title, mark), view)
        await self._change(*titling(title, shown, part, text, new_heading))

    async def start_execution(self, cell_id: str) -> None:
        running = SetExecution(cell_id=cell_id, state="running")
        await self._change(ChangeOutputs(cell_id=cell_id, change="clear"), running)

    def post_outputs(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        """Does not wait, keeps the order."""
        self._posted.post(self._opened().log_id, changes)

    def finish_execution(self, cell_id: str, execution_count: int | None) -> None:
        end = SetExecution(cell_id=cell_id, state="idle", execution_count=execution_count)
        self._posted.post(self._opened().log_id, [end])

    async def remove_cells(self, run_id: str, after: int, until: int) -> Removed:
        await self.stored()
        if self._settle_edits is not None:
            for cell_id in list(self._view().ids):
                await self._settle_edits(self.path, cell_id)
        room = await self._room.up_to_date(self.path, self._opened().log_id)
        cells = (await self._reread())["cells"] if room is None else room.cells()
        ops, anchor_id, removed = removal(cells, run_id, after, until)
        if ops:
            await self._change(*ops, anchor_id=anchor_id)
            self._new.anchor_id = anchor_id
        return removed

    async def _change(self, *ops: NotebookOp, anchor_id: str | None = None) -> None:
        await self._retry_after_failure()
        if ops:
            self.post_again()
            await self._log.append(self._opened().log_id, ops, anchor_id=anchor_id)
            # Stored before it, in the same queue; here an error of theirs comes to light.
            await self._posted.durable()

    def post_again(self) -> None:
        if self._state is not None:
            self._posted.again(self._state.log_id)

    async def stored(self) -> None:
        self.post_again()
        await self._posted.durable()

    def _on_logged(self, log_id: str, logged: list[LoggedOp]) -> None:
        if self._state is None or log_id != self._state.log_id or not logged:
            return
        self._current.logged(logged)
        self._new.logged(logged)
        self._logged_seq = logged[-1].seq
        self._room.wake(self.path, log_id)
        self._late.soon()

    # -- the file -----------------------------------------------------------------------------

    async def flush(self) -> None:
        await self.stored()
        wanted, patience = self._logged_seq, time.monotonic() + SAVES_WITHIN_S
        await self._flush_now()
        while self._flushed_seq < wanted and time.monotonic() < patience:
            await asyncio.sleep(FIRST_FLUSH_AFTER_S)
            await self._flush_now()

    async def recreate(self) -> None:
        """Make the file again after somebody deleted it; the person has asked for it."""
        state = self._opened()
        async with self._flush_lock:
            with self._current.reading():
                file = await self._access.run(lambda: self._file.recreate(state))
                self._current.adopt(file.view, file.seq)
            self._file_is_written(file)

    async def follow_rename(self, new_path: str) -> None:
        """The notebook has moved; go on writing there."""
        async with self._flush_lock:
            self._file.path = new_path.strip("/")
            await self._log.move(self._opened().log_id, self._file.place)
            self._failure = None

    async def _retry_after_failure(self) -> None:
        if self._failure is None:
            return
        try:
            await self._flush_now()
        except NotebookGoneError:
            if not self._told_gone:
                # The run stops here, and the person chooses; whoever comes again has retried.
                self._told_gone = True
                raise
            await self.recreate()

    async def _flush_now(self) -> None:
        async with self._flush_lock:
            if self._flushed_seq >= self._logged_seq and self._failure is None:
                return
            if await self._room.is_live(self.path):
                await self._room.up_to_date(self.path, self._opened().log_id)
                await self._see_what_the_room_saved()
                return
            state, loop = self._opened(), asyncio.get_running_loop()

            def before_save(view: NotebookView, seq: int) -> None:
                loop.call_soon_threadsafe(self._while_saving, view, seq)

            try:
                with self._current.reading(), self._access.pace.spent():
                    file = await self._access.run(lambda: self._file.flush(state, before_save))
            except BccError as error:
                self._failure = error
                raise
            finally:
                self._saving = False
                self._late.flushed_at = time.monotonic()
            self._file_is_written(file)

    async def _see_what_the_room_saved(self) -> None:
        """The file follows at the room's own pace, and says how far it has come."""
        notebook = await self._read_what_others_saved()
        if notebook is not None:
            log_id, seq = log_position(notebook)
            self._flushed_seq = seq if log_id == self._opened().log_id else 0
            await self._log.record_flush(self._opened().log_id, self._flushed_seq)
            self._failure = None
        self._late.flushed_at = time.monotonic()

    def _while_saving(self, view: NotebookView, seq: int) -> None:
        self._saving = True
        self._current.adopt(view, seq)

    def _is_behind(self) -> bool:
        return self._flushed_seq < self._logged_seq and self._state is not None

    async def _flush_in_turn(self) -> None:
        try:
            async with self._access.pace.turn():
                await self._flush_now()
        except BccError as error:
            # Kept for the next change, which cannot be missed; nobody awaits what is done late.
            self._failure = error
            raise

    def _file_is_written(self, file: FileState) -> None:
        if file.had_foreign:
            self._notices.found_foreign(self.path)
        self._stamp = file.stamp
        self._failure = None
        self._told_gone = False
        self._flushed_seq = file.seq
        self._logged_seq = max(self._logged_seq, file.seq)
