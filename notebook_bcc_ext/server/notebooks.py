"""`notebooks/…`: an open tab checks, reads and saves its notebook, merged with the log."""

from __future__ import annotations

from notebook_bcc_ext.adapters.jupyter_patches.merged_saves import Base
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
from notebook_bcc_ext.server.notebook_states import state_of


class NotebookHandler(BccHandler):
    def finish_state(self, state: NotebookState) -> None:
        """Not by pydantic, which writes less deep than Jupyter does."""
        body = state.model_dump(mode="json", exclude={"content"})
        self.finish_data({**body, "content": state.content})


class CheckHandler(NotebookHandler):
    @for_readers
    async def post(self) -> None:
        request = self.body(CheckRequest)
        workplace = await self.host.workplace()
        path = await workplace.access.allowed(request.path)
        try:
            found = await workplace.saves.check(path, request.base_hash)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_state(state_of(path, found))


class PullHandler(NotebookHandler):
    @for_readers
    async def post(self) -> None:
        request = self.body(PullRequest)
        workplace = await self.host.workplace()
        path = await workplace.access.allowed(request.path)
        try:
            found = await workplace.saves.pull(path)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_state(state_of(path, found))


class SaveHandler(NotebookHandler):
    max_body_bytes = None
    most_depth = NOTEBOOK_DEPTH

    @for_writers
    async def post(self) -> None:
        request = self.body(SaveRequest)
        workplace = await self.host.workplace()
        path = await workplace.access.allowed(request.path)
        base = Base(request.base_hash, request.log_id, request.applied_seq)
        try:
            saved = await workplace.saves.save(path, request.content, base)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_state(state_of(path, saved))
