"""`openapi.json`: the REST interface, made from the routes and the models (J7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from jupyter_server.base.handlers import JupyterHandler
from pydantic import BaseModel, RootModel
from pydantic.json_schema import models_json_schema
from tornado.websocket import WebSocketHandler

from notebook_bcc_ext import __version__
from notebook_bcc_ext.protocol.browser.notebooks import CheckRequest, PullRequest, SaveRequest
from notebook_bcc_ext.protocol.browser.records import RecordHead
from notebook_bcc_ext.protocol.browser.runs import Command, RunRequest, RunView
from notebook_bcc_ext.server.access import for_users
from notebook_bcc_ext.server.handlers import BccHandler
from notebook_bcc_ext.server.notebooks import CheckHandler, PullHandler, SaveHandler
from notebook_bcc_ext.server.planner_checks import Address, PlannerChecksHandler
from notebook_bcc_ext.server.playbooks import PlaybooksHandler
from notebook_bcc_ext.server.runs import (
    ActivityHandler,
    CallsHandler,
    CommandsHandler,
    ObservationHandler,
    RecordHandler,
    RunHandler,
    RunsHandler,
    TransitionsHandler,
)
from notebook_bcc_ext.server.settings import SettingsHandler
from notebook_bcc_ext.server.states import StatesHandler
from notebook_bcc_ext.server.status import Status, StatusHandler

Json = dict[str, Any]
Route = tuple[str, type[JupyterHandler]]

METHODS = ("get", "post", "put", "patch", "delete")
_GROUP = re.compile(r"\([^()]*\)")
_REFERENCE = "#/components/schemas/{model}"
_JSON = "application/json"
_ANY: Json = {"type": "object"}


class Changes(RootModel[dict[str, Any]]):
    """Settings by name; null takes a value back."""


@dataclass(frozen=True)
class Operation:
    """What the document says of one method of one handler."""

    summary: str
    request: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    status: int = 200
    query: tuple[str, ...] = ()


_PAGE = ("after", "limit")

OPERATIONS: dict[tuple[type[JupyterHandler], str], Operation] = {
    (StatusHandler, "get"): Operation("Version and state", answer=Status),
    (RunsHandler, "get"): Operation("All runs, newest first"),
    (RunsHandler, "post"): Operation("Start a run", RunRequest, RunView, status=201),
    (RunHandler, "get"): Operation("One run", answer=RunView),
    (CommandsHandler, "post"): Operation("Steer a run", Command, RunView),
    (TransitionsHandler, "get"): Operation("Its transitions", query=_PAGE),
    (ActivityHandler, "get"): Operation("Its tree of what was done", query=_PAGE),
    (ObservationHandler, "get"): Operation("What the planner would be told now"),
    (CallsHandler, "get"): Operation("Its planner calls", query=_PAGE),
    (RecordHandler, "get"): Operation("Its record, without what is paged", answer=RecordHead),
    (CheckHandler, "post"): Operation("Whether a tab's notebook is up to date", CheckRequest),
    (PullHandler, "post"): Operation("A notebook as it is, merged with its log", PullRequest),
    (SaveHandler, "post"): Operation("Save a tab's notebook, merged", SaveRequest),
    (PlaybooksHandler, "get"): Operation(
        "What the embedded planner plays", query=("language", "notebook")
    ),
    (PlannerChecksHandler, "post"): Operation("Whether a planner service answers", Address),
    (StatesHandler, "get"): Operation("The state machine"),
    (SettingsHandler, "get"): Operation("Settings in force, and where each comes from"),
    (SettingsHandler, "patch"): Operation("Change settings", Changes),
}


class OpenApiHandler(BccHandler):
    routes: ClassVar[tuple[Route, ...]] = ()
    """Set where the routes are listed."""

    @for_users
    async def get(self) -> None:
        self.finish_data(document(self.routes))


OPERATIONS[OpenApiHandler, "get"] = Operation("This document")


@cache
def document(routes: tuple[Route, ...]) -> Json:
    rest = [
        (path, handler) for path, handler in routes if not issubclass(handler, WebSocketHandler)
    ]
    described = {path_template(path): _path_item(path, handler) for path, handler in rest}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Notebook-BCC", "version": __version__},
        "paths": described,
        "components": {
            "schemas": {**_schemas(), "Error": _error_schema()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def path_template(pattern: str) -> str:
    return _GROUP.sub("{run_id}", pattern)


def _path_item(pattern: str, handler: type[JupyterHandler]) -> Json:
    parameters = [_parameter("run_id", "path")] if _GROUP.search(pattern) else []
    return {
        method: _operation(OPERATIONS[handler, method], parameters)
        for method in METHODS
        if method in vars(handler)
    }


def _operation(operation: Operation, parameters: list[Json]) -> Json:
    answer = _reference(operation.answer) if operation.answer else _ANY
    described: Json = {
        "summary": operation.summary,
        "parameters": [*parameters, *(_parameter(name, "query") for name in operation.query)],
        "responses": {
            str(operation.status): {"description": "done", "content": {_JSON: {"schema": answer}}},
            "default": {
                "description": "refused, with the reason",
                "content": {_JSON: {"schema": {"$ref": _REFERENCE.format(model="Error")}}},
            },
        },
    }
    if operation.request is not None:
        content = {_JSON: {"schema": _reference(operation.request)}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _parameter(name: str, where: str) -> Json:
    return {
        "name": name,
        "in": where,
        "required": where == "path",
        "schema": {"type": "string"},
    }


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _schemas() -> Json:
    models = {
        model
        for operation in OPERATIONS.values()
        for model in (operation.request, operation.answer)
        if model is not None
    }
    wanted: Any = [(model, "validation") for model in sorted(models, key=lambda m: m.__name__)]
    _, schema = models_json_schema(wanted, ref_template=_REFERENCE)
    definitions: Json = schema.get("$defs", {})
    return definitions


def _error_schema() -> Json:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["message"],
        "properties": {
            "error": text,
            "message": text,
            "allowed": {"type": "array", "items": text},
        },
    }
