"""Every URL of the extension, in one list."""

from __future__ import annotations

from jupyter_server.base.handlers import JupyterHandler

from notebook_bcc_ext.server import runs
from notebook_bcc_ext.server.live import LiveHandler
from notebook_bcc_ext.server.notebooks import CheckHandler, PullHandler, SaveHandler
from notebook_bcc_ext.server.openapi import OpenApiHandler
from notebook_bcc_ext.server.planner_checks import PlannerChecksHandler
from notebook_bcc_ext.server.playbooks import PlaybooksHandler
from notebook_bcc_ext.server.settings import SettingsHandler
from notebook_bcc_ext.server.states import StatesHandler
from notebook_bcc_ext.server.status import StatusHandler

API = r"/notebook-bcc/api"

RUN = rf"{API}/runs/([0-9A-Za-z-]+)"

ROUTES: list[tuple[str, type[JupyterHandler]]] = [
    (rf"{API}/status", StatusHandler),
    (rf"{API}/live", LiveHandler),
    (rf"{API}/runs", runs.RunsHandler),
    (RUN, runs.RunHandler),
    (rf"{RUN}/commands", runs.CommandsHandler),
    (rf"{RUN}/transitions", runs.TransitionsHandler),
    (rf"{RUN}/activity", runs.ActivityHandler),
    (rf"{RUN}/observation", runs.ObservationHandler),
    (rf"{RUN}/calls", runs.CallsHandler),
    (rf"{RUN}/record", runs.RecordHandler),
    (rf"{API}/notebooks/check", CheckHandler),
    (rf"{API}/notebooks/pull", PullHandler),
    (rf"{API}/notebooks/save", SaveHandler),
    (rf"{API}/playbooks", PlaybooksHandler),
    (rf"{API}/planner-checks", PlannerChecksHandler),
    (rf"{API}/states", StatesHandler),
    (rf"{API}/settings", SettingsHandler),
    (rf"{API}/openapi.json", OpenApiHandler),
]

OpenApiHandler.routes = tuple(ROUTES)
