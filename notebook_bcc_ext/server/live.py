"""The WebSocket `live`: the server's side of the sidebar and of open notebooks."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from pydantic import TypeAdapter, ValidationError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from notebook_bcc_ext import __version__
from notebook_bcc_ext.adapters.notebook.paths import normal_path
from notebook_bcc_ext.errors import NotebookPathError, StoreError
from notebook_bcc_ext.hosting.broadcast import Subscription
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.protocol.browser.live import (
    Ack,
    Attach,
    ClientMessage,
    Detach,
    Edited,
    Hello,
    Settled,
)
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.server.access import may_read_notebooks
from notebook_bcc_ext.server.handlers import AUTH_RESOURCE, HOST_SETTING
from notebook_bcc_ext.server.host import Host
from notebook_bcc_ext.server.live_notebooks import LiveNotebooks, Tab

MAX_MESSAGE_BYTES = 16_384
MESSAGES_PER_SECOND = 100
MESSAGES_AT_ONCE = 1_000
MAX_NOTEBOOKS = 200
_TOO_MUCH = 1008

Message = Attach | Ack | Edited | Settled | Detach
_MESSAGE: TypeAdapter[Message] = TypeAdapter(ClientMessage)


class Allowance:
    """So many messages a second on average, with some at once when the page was busy."""

    def __init__(self) -> None:
        self._left = float(MESSAGES_AT_ONCE)
        self._at = time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        gained = (now - self._at) * MESSAGES_PER_SECOND
        self._left = min(MESSAGES_AT_ONCE, self._left + gained) - 1
        self._at = now
        return self._left >= 0


_closing: set[asyncio.Task[None]] = set()


def _in_background(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.get_running_loop().create_task(work)
    # The loop itself keeps tasks only weakly.
    _closing.add(task)
    task.add_done_callback(_closing.discard)


class LiveHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """One connected browser.

    `WebSocketMixin` brings the origin check and the ping heartbeat of Jupyter's own sockets.
    """

    auth_resource = AUTH_RESOURCE
    _manager: RunManager | None = None
    _notebooks: LiveNotebooks | None = None
    _subscription: Subscription | None = None

    def set_default_headers(self) -> None:
        """Jupyter's headers are for pages; on a WebSocket they mean nothing."""

    @property
    def max_message_size(self) -> int:
        return MAX_MESSAGE_BYTES

    @ws_authenticated
    @authorized
    @may_read_notebooks
    async def get(self, *args: Any, **kwargs: Any) -> None:
        await super().get(*args, **kwargs)

    async def open(self, *args: str, **kwargs: str) -> None:
        super().open(*args, **kwargs)
        self._tabs: dict[str, Tab] = {}
        self._allowance = Allowance()
        host: Host = self.settings[HOST_SETTING]
        try:
            manager = await host.manager()
            notebooks = await host.notebooks()
        except StoreError as error:
            # The page stays connected: it shows this, and is to be reloaded when it is cured.
            trouble = Hello(version=__version__, state=State.IDLE, runs=[], trouble=str(error))
            await self.send(trouble.model_dump_json())
            return
        self._manager, self._notebooks = manager, notebooks
        self._subscription = manager.broadcaster.subscribe(self)
        hello = Hello(
            version=__version__,
            state=manager.state,
            runs=await manager.views(),
            trouble=manager.storage.notice,
        )
        await self.send(hello.model_dump_json())
        self._subscription.begin()

    async def send(self, message: str) -> None:
        """Returns when the socket has taken it: a slow browser holds up nobody else."""
        with contextlib.suppress(WebSocketClosedError):
            await self.write_message(message)

    def on_close(self) -> None:
        super().on_close()
        if self._manager is not None and self._subscription is not None:
            _in_background(self._manager.broadcaster.unsubscribe(self._subscription))
        if self._notebooks is not None:
            for tab in self._tabs.values():
                _in_background(self._notebooks.detach(tab))
            self._tabs.clear()

    async def on_message(self, message: str | bytes) -> None:
        if not self._allowance.take():
            self.close(_TOO_MUCH, "too many messages")
            return
        try:
            parsed = _MESSAGE.validate_json(message)
        except ValidationError:
            # A newer page may say more than this server understands.
            self.log.debug("notebook-bcc: ignored %d bytes from the browser", len(message))
            return
        if self._notebooks is not None:
            await self._obey(parsed, self._notebooks)

    async def _obey(self, told: Message, notebooks: LiveNotebooks) -> None:
        message = told.model_copy(update={"path": normal_path(told.path)})
        tab = self._tabs.get(message.path)
        if isinstance(message, Attach):
            await self._attach(message, tab, notebooks)
            return
        if tab is None:
            return
        match message:
            case Ack():
                notebooks.acknowledge(tab, message.seq)
            case Edited():
                tab.edited(message.cell_ids)
            case Settled():
                tab.settled(message.cell_id)
            case Detach():
                del self._tabs[message.path]
                await notebooks.detach(tab)

    async def _attach(self, message: Attach, known: Tab | None, notebooks: LiveNotebooks) -> None:
        try:
            await notebooks.access.allowed(message.path)
        except NotebookPathError as error:
            self.log.info("notebook-bcc: a tab was not attached: %s", error)
            return
        if known is not None:
            await notebooks.detach(known)
        elif len(self._tabs) >= MAX_NOTEBOOKS:
            self.close(_TOO_MUCH, "too many notebooks")
            return
        if self.ws_connection is not None:
            self._tabs[message.path] = notebooks.attach(self, message)
