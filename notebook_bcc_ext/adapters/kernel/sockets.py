"""Our own ZMQ connection to a kernel.

Not `AsyncKernelClient`: two clients of one kernel manager share a ZMQ identity, and then the
kernel answers only one of them. A session of our own has an identity of its own, so neither the
user's browser nor another run is disturbed.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, Protocol

import zmq
from jupyter_client.session import DELIM, Session
from zmq.eventloop.zmqstream import ZMQStream

Json = dict[str, Any]
Channel = Literal["shell", "control", "iopub"]
Buffer = bytes | memoryview

log = logging.getLogger(__name__)

# Larger messages are not parsed whole: a 100 MB print would hold the event loop for a second.
_LARGE_CONTENT = 10_000_000
_LARGE_TEXT = 2_000_000
_STREAM_START = re.compile(rb'\{"name":\s*"(stdout|stderr)",\s*"text":\s*"')


@dataclass(frozen=True)
class KernelMessage:
    channel: Channel
    msg_type: str
    session: str
    parent_id: str
    parent_session: str
    parent_type: str
    content: Json = field(default_factory=dict)
    left_out: int = 0
    """Bytes of a content that was too large to read; a stream then has its beginning only."""
    buffers: Sequence[Buffer] = ()


Receiver = Callable[[KernelMessage], None]


class KernelChannels(Protocol):
    """A way to a kernel: sends requests, hands every answer to whoever opened it."""

    @property
    def session_id(self) -> str: ...

    def send(self, channel: Channel, msg_type: str, content: Json, metadata: Json) -> str:
        """Send a request; its id, by which answers name their parent."""

    def close(self) -> None: ...


class KernelSockets:
    """Shell, control and iopub of one kernel. `receive` gets every message, in order per socket."""

    def __init__(self, manager: Any, receive: Receiver) -> None:
        base = manager.session
        self._session = Session(
            config=base.config, key=base.key, signature_scheme=base.signature_scheme
        )
        identity = self._session.bsession
        self._receive = receive
        self._streams: dict[Channel, ZMQStream] = {
            "shell": _as_stream(manager.connect_shell(identity=identity)),
            "control": _as_stream(manager.connect_control(identity=identity)),
            "iopub": _as_stream(manager.connect_iopub(identity=identity)),
        }
        # ZMQ drops what exceeds its queue, the `idle` message too. Our own limits bound memory.
        self._streams["iopub"].socket.setsockopt(zmq.RCVHWM, 0)
        for channel, stream in self._streams.items():
            # Not copied: only what is used of a message is.
            stream.on_recv(self._reader(channel), copy=False)

    @property
    def session_id(self) -> str:
        return self._session.session

    def send(self, channel: Channel, msg_type: str, content: Json, metadata: Json) -> str:
        message = self._session.msg(msg_type, content, metadata=metadata)
        self._session.send(self._streams[channel], message)
        return str(message["header"]["msg_id"])

    def close(self) -> None:
        """Linger 0, because a queued request must never reach the kernel's successor."""
        for stream in self._streams.values():
            if not stream.closed():
                stream.on_recv(None)
                stream.close(linger=0)

    def _reader(self, channel: Channel) -> Callable[[list[zmq.Frame]], None]:
        def read(frames: list[zmq.Frame]) -> None:
            try:
                message = self._parse(channel, frames)
            except (ValueError, KeyError, TypeError, StopIteration) as error:
                log.warning("a malformed message from the kernel was ignored: %s", error)
                return
            self._receive(message)

        return read

    def _parse(self, channel: Channel, frames: list[zmq.Frame]) -> KernelMessage:
        """Without Session.deserialize, which parses dates nobody needs, at twice the cost."""
        parts = iter(frames)
        while next(parts).bytes != DELIM:
            pass
        signature, header, parent, metadata = (part.bytes for part in islice(parts, 4))
        content = next(parts).buffer
        # Signing a huge message anew would take as long as parsing it.
        if len(content) <= _LARGE_CONTENT and self._session.auth is not None:
            expected = self._session.sign([header, parent, metadata, bytes(content)])
            if not hmac.compare_digest(signature, expected):
                msg = "its signature is wrong"
                raise ValueError(msg)
        buffers = [part.buffer for part in parts]
        return read_message(channel, header, parent, content, self._session.unpack, buffers=buffers)


def read_message(  # noqa: PLR0913  the parts of a message, and how to unpack them
    channel: Channel,
    header: bytes,
    parent: bytes,
    content: Buffer,
    unpack: Callable[[bytes], Any],
    *,
    buffers: Sequence[Buffer] = (),
) -> KernelMessage:
    head: Json = unpack(header)
    # Kernels send `{}` or null for a message that answers nothing.
    asked: Json = unpack(parent) or {}
    msg_type = str(head["msg_type"])
    most = _LARGE_TEXT if msg_type == "stream" else _LARGE_CONTENT
    left_out = len(content) if len(content) > most else 0
    body: Any
    if not left_out:
        try:
            body = unpack(bytes(content))
        except RecursionError:
            left_out, body = len(content), {}
    else:
        body = _beginning_of_stream(bytes(content[:most])) if msg_type == "stream" else {}
    return KernelMessage(
        channel=channel,
        msg_type=msg_type,
        session=str(head.get("session", "")),
        parent_id=str(asked.get("msg_id", "")),
        parent_session=str(asked.get("session", "")),
        parent_type=str(asked.get("msg_type", "")),
        content=body,
        left_out=left_out,
        buffers=buffers,
    )


def _as_stream(connected: Any) -> ZMQStream:
    """Server kernel managers give ZMQStreams, plain ones a socket."""
    if isinstance(connected, ZMQStream):
        return connected
    return ZMQStream(zmq.Socket.shadow(connected.underlying))


def _beginning_of_stream(content: bytes) -> Json:
    """The start of a huge stream message, read without parsing the rest."""
    opening = _STREAM_START.match(content)
    if opening is None:
        return {}
    text = content[opening.end() :].decode(errors="ignore")
    # The cut may fall into an escape such as \u00e9: step back until the string is whole.
    for shorter in range(8):
        try:
            return {
                "name": opening.group(1).decode(),
                "text": json.loads(f'"{text[: len(text) - shorter]}"', strict=False),
            }
        except ValueError:
            continue
    return {}
