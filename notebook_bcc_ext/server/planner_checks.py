"""`POST planner-checks`: does a planner service answer at this address? Starts nothing."""

from __future__ import annotations

from pydantic import BaseModel

from notebook_bcc_ext.protocol.browser.runs import HttpPlannerAddress, RunRequest
from notebook_bcc_ext.server.access import for_users
from notebook_bcc_ext.server.handlers import BccHandler


class Address(BaseModel):
    url: str


class PlannerChecksHandler(BccHandler):
    @for_users
    async def post(self) -> None:
        # Imported late: a server may well end without a planner service having been asked.
        from notebook_bcc_ext.adapters.planner.probe import probe  # noqa: PLC0415

        address = HttpPlannerAddress(kind="http", url=self.body(Address).url)
        request = RunRequest(notebook="-", planner=address)
        answer = await probe(self.settings_service.of_run(request))
        self.finish_data({**vars(answer), "ok": answer.ok})
