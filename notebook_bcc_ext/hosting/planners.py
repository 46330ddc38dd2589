"""Which planner a run talks to: a service over HTTP, or the embedded one over the same wire.

What either is made of is imported with the first run: httpx alone takes longer to import than most
of the server extension, and a server may well end without a run.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from notebook_bcc_ext.engine.inputs import initial_variables
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.ports import CallListener, Planner
from notebook_bcc_ext.protocol.browser.runs import EmbeddedPlanner as EmbeddedChoice
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import Settings


def planner_for(
    request: RunRequest,
    settings: Settings,
    library: PlaybookLibrary,
    on_call: CallListener,
    *,
    first_call_number: int = 1,
) -> Planner:
    from notebook_bcc_ext.adapters.planner.factory import make_planner

    choice = request.planner
    if isinstance(choice, EmbeddedChoice):
        from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
        from notebook_bcc_ext.planners.transport import BASE_URL, EmbeddedTransport

        library.get(choice.playbook)  # an unknown or broken one is told now, not in mid-run
        embedded = EmbeddedPlanner(library, choice.playbook, said=initial_variables(request))
        local = settings.model_copy(
            update={
                "dslc_base_url": BASE_URL,
                "dialect": "v2",
                "planner_token": None,
                "planner_headers": {},
                "planner_userinfo": None,
            }
        )
        transport = EmbeddedTransport(embedded)
        return make_planner(local, on_call, transport, first_call_number=first_call_number)
    # The address is in the settings already: resolving them decided which credentials go there.
    return make_planner(settings, on_call, first_call_number=first_call_number)
