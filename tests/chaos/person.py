"""The person at the page: resumes, confirms, and now and then lets code run once more."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import httpx

from tests.chaos.story import Answers
from tests.support.real_server import RealServer

Json = dict[str, Any]

LOOK_EVERY_SECONDS = 0.02
SAYS_YES_TO_RUN_AGAIN = 0.25
ASKED_TO_DECIDE = ("workflow", "steps")


class Person:
    def __init__(
        self, server: RealServer, run_id: str, answers: Answers, chance: random.Random
    ) -> None:
        self._server = server
        self._run_id = run_id
        self._answers = answers
        self._chance = chance
        self.sees: Json = {}
        """The view of the run as last seen."""
        self._answered: str | None = None
        self.hesitates = False
        """Looks at a proposal without answering it."""

    async def see_it_through(self) -> None:
        """Answer what is asked until the run is done."""
        while True:
            view = self.sees = await self._server.view(self._run_id)
            if view["status"] == "done":
                return
            if view["status"] in ("failed", "cancelled"):
                raise RuntimeError(f"the run did not get done: {view['error']}")
            await self._act(view)
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    async def _act(self, view: Json) -> None:
        pending = view["pending"]
        if pending is not None:
            if not self.hesitates:
                await self.answer(pending)
            elif pending["kind"] in ASKED_TO_DECIDE and pending["id"] != self._answered:
                self._answers.open_proposal = pending["id"]
        elif "resume" in view["allowed_commands"]:
            await self._say("resume")
        elif "retry" in view["allowed_commands"]:
            await self._say("retry")

    async def answer(self, pending: Json) -> None:
        yes = pending["kind"] in ASKED_TO_DECIDE or self._lets_run_again(pending)
        self._answered, self._answers.open_proposal = pending["id"], None
        await self._say("confirm" if yes else "reject", proposal_id=pending["id"])

    def _lets_run_again(self, pending: Json) -> bool:
        content = pending["content"]
        cells = content["cell_ids"] if pending["kind"] == "rebuild" else [content["codecell_id"]]
        if pending["kind"] == "code":
            self._answers.asked_about.update(cells)
        yes = self._chance.random() < SAYS_YES_TO_RUN_AGAIN
        if yes:
            # Counted before it is said: the answer may be the last thing the server hears.
            self._answers.may_run_again.update(cells)
        return yes

    async def _say(self, command: str, **fields: object) -> None:
        answer = await self._server.command(self._run_id, command, **fields)
        # 409: the run went on meanwhile, and the next look shows where to.
        if answer.status_code not in (httpx.codes.OK, httpx.codes.CONFLICT):
            raise RuntimeError(f"{command}: {answer.status_code} {answer.text}")
