"""`GET states`: the transition table, for whoever draws it. The browser keeps no copy."""

from __future__ import annotations

from notebook_bcc_ext.fsm import TRANSITIONS
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.server.access import for_users
from notebook_bcc_ext.server.handlers import BccHandler


class StatesHandler(BccHandler):
    @for_users
    async def get(self) -> None:
        rows = [
            {"from": state, "event": event, "to": target, "owner": owner}
            for (state, event), (target, owner) in TRANSITIONS.items()
        ]
        self.finish_data({"states": list(State), "transitions": rows})
