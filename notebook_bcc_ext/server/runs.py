"""`runs`: start one, look at it, steer it (J7)."""

from __future__ import annotations

from notebook_bcc_ext.hosting.records import call_fields
from notebook_bcc_ext.protocol.browser.runs import Command, RunRequest
from notebook_bcc_ext.server.access import for_readers, for_workers
from notebook_bcc_ext.server.handlers import BccHandler

MAX_PAGE = 1_000


class RunsHandler(BccHandler):
    @for_readers
    async def get(self) -> None:
        manager = await self.manager()
        # Another server of this folder may have ended meanwhile.
        await manager.take_up()
        views = ",".join(view.model_dump_json() for view in await manager.views())
        self.finish(f'{{"runs": [{views}]}}')

    @for_workers
    async def post(self) -> None:
        request = self.body(RunRequest)
        manager = await self.manager()
        run = await manager.create(request)
        self.finish_json(run.view(), status=201)


class RunHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        self.finish_json(manager.get(run_id).view())


class CommandsHandler(BccHandler):
    @for_workers
    async def post(self, run_id: str) -> None:
        command = self.body(Command)
        manager = await self.manager()
        self.finish_json(await manager.command(run_id, command, self.user_name))


class TransitionsHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        found = await manager.transitions(run_id, *self.page(MAX_PAGE))
        self.finish_data({"transitions": found})


class ActivityHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        self.finish_data(manager.activity(run_id, *self.page(MAX_PAGE)))


class ObservationHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        self.finish_data({"observation": await manager.observation(run_id)})


class CallsHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        calls = await manager.calls(run_id, *self.page(MAX_PAGE))
        self.finish_data({"calls": [call_fields(call) for call in calls]})


class RecordHandler(BccHandler):
    @for_readers
    async def get(self, run_id: str) -> None:
        manager = await self.manager()
        self.finish_json(await manager.record_head(run_id))
