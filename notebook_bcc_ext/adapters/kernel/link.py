"""One connection to one life of a kernel, with everything that is forgotten when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from notebook_bcc_ext.adapters.kernel.sockets import Channel, KernelMessage, Receiver
from notebook_bcc_ext.adapters.kernel.source import Kernel, KernelSource
from notebook_bcc_ext.errors import KernelGoneError, KernelTimeoutError

Json = dict[str, Any]

# Requests that cannot change a variable, whoever sends them.
_HARMLESS_REQUESTS = frozenset(
    {
        *("kernel_info_request", "complete_request", "inspect_request", "history_request"),
        *("is_complete_request", "comm_info_request", "debug_request", "interrupt_request"),
        *("usage_request", "connect_request", ""),
    }
)
_FIRST_HELLO_WAIT = 0.05
_LONGEST_HELLO_WAIT = 0.5
_IOPUB_PATIENCE = 5.0
# Kernels that answer kernel_info on the shell channel only are asked there too, a little later.
_SHELL_HELLO_AFTER = 1.0


class KernelLink:
    """Sends requests, awaits replies, and notices what others do and when the kernel is gone."""

    def __init__(
        self,
        kernel: Kernel,
        source: KernelSource,
        on_iopub: Receiver,
        on_gone: Callable[[], None],
    ) -> None:
        self.kernel = kernel
        self._source = source
        self.language = ""
        self.gone: str | None = None
        self.others_are_running = False
        self.others_ran = True
        """Whether somebody else may have changed variables since this was last reset."""
        self._on_iopub = on_iopub
        self._on_gone = on_gone
        self._replies: dict[str, Receiver] = {}
        self._asking: set[asyncio.Future[Json | None]] = set()
        self._kernel_session: str | None = None
        self._heard_iopub = asyncio.Event()
        self._channels = source.open(kernel, self._receive)

    @property
    def session_id(self) -> str:
        return self._channels.session_id

    # -- opening and closing ----------------------------------------------------------------

    async def hello(self, seconds: float) -> None:
        """Wait until the kernel answers and its output reaches us."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        patience = _FIRST_HELLO_WAIT
        answered: asyncio.Future[KernelMessage] = loop.create_future()

        def take(message: KernelMessage) -> None:
            if not answered.done():
                answered.set_result(message)

        while True:
            if self.gone is not None:
                raise KernelGoneError(self.gone)
            waited = loop.time() - began
            if waited > seconds and not answered.done():
                msg = f"the kernel did not answer within {seconds:g} s"
                raise KernelTimeoutError(msg)
            if answered.done() and (self._heard_iopub.is_set() or waited > _IOPUB_PATIENCE):
                break
            # Asked again each time: some kernels drop what comes while they start.
            self.send("control", "kernel_info_request", {}, take)
            if waited > _SHELL_HELLO_AFTER:
                self.send("shell", "kernel_info_request", {}, take)
            both = asyncio.gather(asyncio.shield(answered), self._heard_iopub.wait())
            try:
                async with asyncio.timeout(patience):
                    await both
            except TimeoutError:
                patience = min(patience * 1.5, _LONGEST_HELLO_WAIT)
                if not await self._source.is_there(self.kernel):
                    words = self._source.last_words()
                    msg = "the kernel ended while it was starting" + (words and f": {words}")
                    raise KernelGoneError(msg) from None
        self._learn(answered.result())

    def _learn(self, info: KernelMessage) -> None:
        self.language = str((info.content.get("language_info") or {}).get("name", ""))
        # Kernels that echo their client's session cannot be told apart by it.
        if info.session and info.session != self._channels.session_id:
            self._kernel_session = info.session

    def close(self) -> None:
        self._channels.close()
        self._replies.clear()
        for reply in self._asking:
            if not reply.done():
                reply.set_result(None)

    def mark_gone(self, reason: str) -> None:
        if self.gone is None:
            self.gone = reason
            self.close()
            self._on_gone()

    # -- requests ---------------------------------------------------------------------------

    def send(
        self,
        channel: Channel,
        msg_type: str,
        content: Json,
        on_reply: Receiver,
        metadata: Json | None = None,
    ) -> str:
        request_id = self._channels.send(channel, msg_type, content, metadata or {})
        self._replies[request_id] = on_reply
        return request_id

    def tell(self, channel: Channel, msg_type: str, content: Json) -> None:
        """What no reply comes to."""
        self._channels.send(channel, msg_type, content, {})

    async def ask(
        self, channel: Channel, msg_type: str, content: Json, seconds: float
    ) -> Json | None:
        """The content of the reply, or None when there is none in time."""
        if self.gone is not None:
            return None
        reply: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()

        def take(message: KernelMessage) -> None:
            if not reply.done():
                reply.set_result(message.content)

        request_id = self.send(channel, msg_type, content, take)
        self._asking.add(reply)
        try:
            async with asyncio.timeout(seconds):
                return await reply
        except TimeoutError:
            return None
        finally:
            self._asking.discard(reply)
            self._replies.pop(request_id, None)

    # -- messages ---------------------------------------------------------------------------

    def _receive(self, message: KernelMessage) -> None:
        if message.channel != "iopub":
            handler = self._replies.pop(message.parent_id, None)
            if handler is not None:
                handler(message)
            return
        self._heard_iopub.set()
        if self._is_of_another_life(message):
            self.mark_gone("the kernel was restarted")
            return
        if message.msg_type == "shutdown_reply":
            restart = bool(message.content.get("restart"))
            self.mark_gone(f"the kernel was {'restarted' if restart else 'shut down'}")
            return
        if message.msg_type == "status":
            self._note_others(message)
        self._on_iopub(message)

    def _is_of_another_life(self, message: KernelMessage) -> bool:
        return (
            message.msg_type == "status"
            and self._kernel_session is not None
            and message.session != self._kernel_session
        )

    def _note_others(self, message: KernelMessage) -> None:
        if message.parent_session == self._channels.session_id:
            return
        if message.parent_type in _HARMLESS_REQUESTS:
            return
        self.others_are_running = message.content.get("execution_state") == "busy"
        self.others_ran = True
