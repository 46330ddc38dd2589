"""`notebooks/…`: an open tab checks, reads and saves its notebook, merged with the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import Base, MergedSaves, SavedNotebook
from notebook_bcc_ext.adapters.notebook.contents_access import MissingFileError
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.protocol.browser.notebooks import (
    CheckRequest,
    NotebookState,
    PullRequest,
    SaveRequest,
)
from notebook_bcc_ext.protocol.nesting import NOTEBOOK_DEPTH
from notebook_bcc_ext.server.access import for_readers, for_writers
from notebook_bcc_ext.server.handlers import BccHandler


class NotebookHandler(BccHandler):
    async def finish_with(
        self, path: str, work: Callable[[MergedSaves, str], Awaitable[SavedNotebook]]
    ) -> None:
        """Answer with the state of the notebook that the work leaves."""
        workplace = await self.host.workplace()
        allowed = await workplace.access.allowed(path)
        try:
            found = await work(workplace.saves, allowed)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        state = NotebookState(
            path=allowed,
            hash=found.stamp.token,
            has_hash=bool(found.stamp.hash),
            last_modified=found.stamp.modified_at,
            log_id=found.log_id,
            seq=found.seq,
            current=found.current,
            content=found.content,
        )
        # Not by pydantic, which writes less deep than Jupyter does.
        body = state.model_dump(mode="json", exclude={"content"})
        self.finish_data({**body, "content": state.content})


class CheckHandler(NotebookHandler):
    @for_readers
    async def post(self) -> None:
        request = self.body(CheckRequest)
        await self.finish_with(
            request.path, lambda saves, path: saves.check(path, request.base_hash)
        )


class PullHandler(NotebookHandler):
    @for_readers
    async def post(self) -> None:
        await self.finish_with(self.body(PullRequest).path, MergedSaves.pull)


class SaveHandler(NotebookHandler):
    max_body_bytes = None
    most_depth = NOTEBOOK_DEPTH

    @for_writers
    async def post(self) -> None:
        request = self.body(SaveRequest)
        base = Base(request.base_hash, request.log_id, request.applied_seq)
        await self.finish_with(
            request.path, lambda saves, path: saves.save(path, request.content, base)
        )
