"""Which HTTP status each of our errors is answered with."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from notebook_bcc_ext import errors
from notebook_bcc_ext.planners.conditions import ConditionError
from notebook_bcc_ext.planners.files import PlaybookFileError
from notebook_bcc_ext.planners.rendering import RenderingError
from notebook_bcc_ext.planners.source import PlaybookError

# The most specific class that is listed wins; whatever is not listed is a fault of ours (500).
STATUSES: dict[type[errors.BccError], HTTPStatus] = {
    errors.ProtocolError: HTTPStatus.BAD_REQUEST,
    errors.TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.SettingsError: HTTPStatus.BAD_REQUEST,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.IllegalTransitionError: HTTPStatus.CONFLICT,
    errors.IllegalCommandError: HTTPStatus.CONFLICT,
    errors.RunFailedError: HTTPStatus.CONFLICT,
    errors.ForeignChangeError: HTTPStatus.CONFLICT,
    errors.NotebookError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RecordError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ConditionError: HTTPStatus.UNPROCESSABLE_ENTITY,
    PlaybookFileError: HTTPStatus.UNPROCESSABLE_ENTITY,
    PlaybookError: HTTPStatus.UNPROCESSABLE_ENTITY,
    RenderingError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RequirementsError: HTTPStatus.FAILED_DEPENDENCY,
    errors.KernelError: HTTPStatus.FAILED_DEPENDENCY,
    errors.KernelTimeoutError: HTTPStatus.GATEWAY_TIMEOUT,
    errors.PlannerError: HTTPStatus.BAD_GATEWAY,
    errors.PlannerUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
}


def status_of(error: errors.BccError) -> HTTPStatus:
    for cls in type(error).__mro__:
        if cls in STATUSES:
            return STATUSES[cls]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def error_body(error: errors.BccError) -> dict[str, Any]:
    body: dict[str, Any] = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, errors.IllegalTransitionError | errors.IllegalCommandError):
        body["allowed"] = list(error.allowed)
    return body
