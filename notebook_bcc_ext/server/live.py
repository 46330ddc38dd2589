"""The WebSocket `live`: the server's side of the sidebar."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from notebook_bcc_ext import __version__
from notebook_bcc_ext.hosting.broadcast import Subscription
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.protocol.live import Hello
from notebook_bcc_ext.server.handlers import AUTH_RESOURCE, HOST_SETTING
from notebook_bcc_ext.server.host import Host


class LiveHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """One connected browser.

    `WebSocketMixin` brings the origin check and the ping heartbeat of Jupyter's own sockets.
    """

    auth_resource = AUTH_RESOURCE
    _manager: RunManager | None = None
    _subscription: Subscription | None = None

    def set_default_headers(self) -> None:
        """Jupyter's headers are for pages; on a WebSocket they mean nothing."""

    @ws_authenticated
    @authorized
    async def get(self, *args: Any, **kwargs: Any) -> None:
        await super().get(*args, **kwargs)

    async def open(self, *args: str, **kwargs: str) -> None:
        super().open(*args, **kwargs)
        host: Host = self.settings[HOST_SETTING]
        manager = await host.manager()
        hello = Hello(version=__version__, state=manager.state, runs=manager.views())
        await self.send(hello.model_dump_json())
        self._manager = manager
        self._subscription = manager.broadcaster.subscribe(self)

    async def send(self, message: str) -> None:
        """Returns when the socket has taken it: a slow browser holds up nobody else."""
        with contextlib.suppress(WebSocketClosedError):
            await self.write_message(message)

    def on_close(self) -> None:
        super().on_close()
        if self._manager is not None and self._subscription is not None:
            closing = self._manager.broadcaster.unsubscribe(self._subscription)
            asyncio.get_running_loop().create_task(closing)

    def on_message(self, message: str | bytes) -> None:
        # Commands go over REST; nothing that a browser sends here has a meaning so far.
        self.log.debug("notebook-bcc: ignored %d bytes from the browser", len(message))
