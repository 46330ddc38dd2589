"""The one base of all REST handlers: JSON out, our errors as HTTP statuses."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, TypeVar

from jupyter_server.base.handlers import APIHandler
from pydantic import BaseModel, ValidationError

from notebook_bcc_ext.errors import BccError, ProtocolError, TooLargeError
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.hosting.settings import SettingsService
from notebook_bcc_ext.protocol.base import explain
from notebook_bcc_ext.protocol.nesting import MAX_DEPTH
from notebook_bcc_ext.protocol.plain import json_text, model_text
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.printable import on_one_line
from notebook_bcc_ext.server.errors import error_body, status_of
from notebook_bcc_ext.server.host import Host
from notebook_bcc_ext.settings.names import MIB

AUTH_RESOURCE = "notebook_bcc"
HOST_SETTING = "notebook_bcc_host"

M = TypeVar("M", bound=BaseModel)


class BccHandler(APIHandler):
    # What an authorizer sees; `@authorized` reads it from here.
    auth_resource = AUTH_RESOURCE
    max_body_bytes: int | None = 4 * MIB
    """None: only Jupyter's own limit, as for its own saves."""
    most_depth = MAX_DEPTH

    @property
    def host(self) -> Host:
        host: Host = self.settings[HOST_SETTING]
        return host

    async def manager(self) -> RunManager:
        """The runs of this server; waits for the store to open, raises when it cannot."""
        return await self.host.manager()

    @property
    def settings_service(self) -> SettingsService:
        return self.host.settings

    @property
    def user_name(self) -> str:
        user: Any = self.current_user
        return str(getattr(user, "display_name", None) or getattr(user, "username", ""))

    def body(self, model: type[M]) -> M:
        """The request's body as that model; a wrong one is a clear 400."""
        try:
            return model.model_validate(self.json_object())
        except ValidationError as error:
            raise explain(error, model.__name__) from None

    def json_object(self) -> dict[str, Any]:
        try:
            value = decode_json(self._raw_body(), self.most_depth)
        except ValueError as error:
            raise ProtocolError(f"the body must be a JSON object: {error}") from None
        if not isinstance(value, dict):
            raise ProtocolError("the body must be a JSON object")
        return value

    def _raw_body(self) -> bytes:
        body, most = self.request.body, self.max_body_bytes
        if most is not None and len(body) > most:
            raise TooLargeError(f"the body has {len(body):,} bytes; at most {most:,} are allowed")
        return body

    def page(self, most: int) -> tuple[int, int]:
        """`?after=N&limit=M`, within bounds."""
        return self._number("after", 0, 2**53), self._number("limit", most, most)

    def _number(self, name: str, default: int, most: int) -> int:
        text = self.get_query_argument(name, str(default))
        if not text.isascii() or not text.isdigit() or len(text) > len(str(most)):
            raise ProtocolError(f"{name} must be a number from 0 to {most}, not '{text[:40]}'")
        return min(int(text), most)

    def finish_json(self, body: BaseModel, status: int = 200) -> None:
        self.set_status(status)
        self.finish(model_text(body))

    def finish_data(self, body: dict[str, Any]) -> None:
        self.finish(json_text(body))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = _error_of(kwargs.get("exc_info"))
        if error is None:
            super().write_error(status_code, **kwargs)
            return
        self.set_header("Content-Type", "application/json")
        self.set_status(status_of(error))
        self.finish(json.dumps(error_body(error)))

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        # An error of ours is an answer to the caller, not a fault with a traceback.
        if isinstance(value, BccError):
            words = on_one_line(f"{self.request.method} {self.request.path}: {value}")
            self.log.info("%s", words)
            return
        super().log_exception(typ, value, tb)


def _error_of(exc_info: Any) -> BccError | None:
    value = exc_info[1] if exc_info else None
    return value if isinstance(value, BccError) else None
