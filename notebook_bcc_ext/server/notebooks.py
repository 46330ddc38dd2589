"""`notebooks/…`: an open tab checks, reads and saves its notebook, merged with the log."""

from __future__ import annotations

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from tornado.web import HTTPError, authenticated

from notebook_bcc_ext.adapters.contents_access import MissingFileError
from notebook_bcc_ext.adapters.merged_saves import Base
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.protocol.notebooks import (
    CheckRequest,
    PullRequest,
    SaveRequest,
)
from notebook_bcc_ext.server.handlers import BccHandler
from notebook_bcc_ext.server.notebook_states import state_of

CONTENTS = "contents"


class NotebookHandler(BccHandler):
    """Who may use our API still needs the permission for contents."""

    async def require_contents(self, action: str) -> None:
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, action, CONTENTS)
        )
        if not allowed:
            raise HTTPError(403, f"no permission to {action} contents")


class CheckHandler(NotebookHandler):
    @authenticated
    @authorized
    async def post(self) -> None:
        await self.require_contents("read")
        request = self.body(CheckRequest)
        saves = (await self.host.workplace()).saves
        path = request.path.strip("/")
        try:
            found = await saves.check(path, request.base_hash)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_json(state_of(path, found))


class PullHandler(NotebookHandler):
    @authenticated
    @authorized
    async def post(self) -> None:
        await self.require_contents("read")
        request = self.body(PullRequest)
        saves = (await self.host.workplace()).saves
        path = request.path.strip("/")
        try:
            found = await saves.pull(path)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_json(state_of(path, found))


class SaveHandler(NotebookHandler):
    max_body_bytes = None

    @authenticated
    @authorized
    async def post(self) -> None:
        await self.require_contents("write")
        request = self.body(SaveRequest)
        saves = (await self.host.workplace()).saves
        path = request.path.strip("/")
        base = Base(request.base_hash, request.log_id, request.applied_seq)
        try:
            saved = await saves.save(path, request.content, base)
        except MissingFileError as error:
            raise NotFoundError(str(error)) from None
        self.finish_json(state_of(path, saved))
