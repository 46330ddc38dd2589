"""The way to a kernel behind a gateway: its WebSocket, with the server's own gateway settings."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from datetime import UTC, datetime
from typing import Any, cast

from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.services.kernels.connection.base import (
    deserialize_msg_from_ws_v1,
    serialize_msg_to_ws_v1,
)
from jupyter_server.utils import url_path_join
from tornado.escape import url_escape
from tornado.httpclient import HTTPError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from notebook_bcc_ext.adapters.kernel.sockets import Channel, KernelMessage, Receiver, read_message

Json = dict[str, Any]

log = logging.getLogger(__name__)

_BINARY_PROTOCOL = "v1.kernel.websocket.jupyter.org"
_MESSAGE_LIMIT = 200_000_000
_FIRST_RECONNECT_SECONDS = 0.5
_LONGEST_RECONNECT_SECONDS = 10.0


class GatewayChannels:
    """All channels over one WebSocket. Requests wait until it is open; a lost connection is
    opened again under the same session id, for which the gateway keeps what was sent meanwhile."""

    def __init__(self, kernel_id: str, receive: Receiver) -> None:
        self.session_id = uuid.uuid4().hex
        self._kernel_id = kernel_id
        self._receive = receive
        self._outbox: list[tuple[Channel, Json]] = []
        self._socket: WebSocketClientConnection | None = None
        self._talking = asyncio.create_task(self._talk())

    def send(self, channel: Channel, msg_type: str, content: Json, metadata: Json) -> str:
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": msg_type,
            "username": "notebook-bcc",
            "session": self.session_id,
            "date": datetime.now(UTC).isoformat(),
            "version": "5.3",
        }
        message = {
            "header": header,
            "parent_header": {},
            "metadata": metadata,
            "content": content,
        }
        self._outbox.append((channel, message))
        if self._socket is not None:
            self._flush(self._socket)
        return header["msg_id"]

    def close(self) -> None:
        self._talking.cancel()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def _talk(self) -> None:
        pause = _FIRST_RECONNECT_SECONDS
        while True:
            try:
                socket = await self._open()
            except (OSError, HTTPError) as error:
                log.warning("no connection to the gateway's kernel: %s", error)
            else:
                pause = _FIRST_RECONNECT_SECONDS
                await self._read(socket)
                self._socket = None
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_RECONNECT_SECONDS)

    async def _open(self) -> WebSocketClientConnection:
        client = GatewayClient.instance()
        address = url_path_join(
            client.ws_url or "", client.kernels_endpoint, url_escape(self._kernel_id), "channels"
        )
        arguments = client.load_connection_args()  # type: ignore[no-untyped-call]
        request = HTTPRequest(f"{address}?session_id={self.session_id}", **arguments)
        socket = await websocket_connect(
            request, subprotocols=[_BINARY_PROTOCOL], max_message_size=_MESSAGE_LIMIT
        )
        # Otherwise small requests wait for the acknowledgement of earlier ones.
        if socket.protocol is not None:
            socket.protocol.set_nodelay(True)
        self._socket = socket
        self._flush(socket)
        return socket

    async def _read(self, socket: WebSocketClientConnection) -> None:
        while (data := await socket.read_message()) is not None:
            try:
                message = _parse(data)
            except (ValueError, KeyError, TypeError, IndexError) as error:
                log.warning("a malformed message from the gateway was ignored: %s", error)
                continue
            if message is not None:
                self._receive(message)

    def _flush(self, socket: WebSocketClientConnection) -> None:
        waiting, self._outbox = self._outbox, []
        binary = socket.selected_subprotocol == _BINARY_PROTOCOL
        for channel, message in waiting:
            if binary:
                data = serialize_msg_to_ws_v1(message, channel, _pack)  # type: ignore[no-untyped-call]
                socket.write_message(data, binary=True)
            else:
                socket.write_message(json.dumps({**message, "channel": channel, "buffers": []}))


def _pack(part: Json) -> bytes:
    return json.dumps(part).encode()


def _parse(data: str | bytes) -> KernelMessage | None:
    if isinstance(data, bytes):
        channel, frames = deserialize_msg_from_ws_v1(data)  # type: ignore[no-untyped-call]
        header, parent, _, content, *buffers = frames
    else:
        # Gateways without the binary protocol wrap everything in one JSON text.
        whole = json.loads(data)
        channel = whole["channel"]
        header, parent, content = (
            _pack(whole[part]) for part in ("header", "parent_header", "content")
        )
        buffers = []
    if channel not in {"shell", "control", "iopub"}:
        return None
    return read_message(
        cast("Channel", channel), header, parent, content, json.loads, buffers=buffers
    )
