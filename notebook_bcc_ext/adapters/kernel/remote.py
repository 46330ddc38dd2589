"""A kernel for one run on another Jupyter server or kernel gateway (P1, J9)."""

from __future__ import annotations

from typing import Any

from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import GatewayKernelManager
from tornado.web import HTTPError

from notebook_bcc_ext.adapters.kernel.gateway import GatewayChannels
from notebook_bcc_ext.adapters.kernel.sockets import KernelChannels, Receiver
from notebook_bcc_ext.adapters.kernel.source import Kernel, kernel_of
from notebook_bcc_ext.errors import KernelError, KernelGoneError


class RemoteKernelSource:
    """Started there and shut down with the run. One address per process: jupyter_server's gateway
    client, which carries the connection, is a singleton."""

    def __init__(self, url: str, token: str | None = None, kernel_name: str = "python3") -> None:
        self._url = url
        self._token = token
        self._kernel_name = kernel_name
        self._manager: Any = None

    def prefer(self, kernel_id: str) -> None:
        """A headless run ends its kernel, and is not taken up."""

    async def start(self) -> Kernel:
        running = await self.find()
        if running is not None and await self.is_there(running):
            return running
        client = GatewayClient.instance()
        client.url = self._url
        if self._token is not None:
            client.auth_token = self._token
        manager = GatewayKernelManager()  # type: ignore[no-untyped-call]
        try:
            await manager.start_kernel(kernel_name=self._kernel_name)
        except (HTTPError, OSError) as error:
            msg = f"no kernel could be started at {self._url}: {error}"
            raise KernelError(msg) from error
        self._manager = manager
        return kernel_of(manager)

    async def find(self) -> Kernel | None:
        return None if self._manager is None else kernel_of(self._manager)

    async def is_there(self, kernel: Kernel) -> bool:
        try:
            return bool(await kernel.manager.is_alive())
        except (HTTPError, OSError):
            # A server out of reach for a moment is not a dead kernel.
            return True

    def open(self, kernel: Kernel, receive: Receiver) -> KernelChannels:
        return GatewayChannels(kernel.kernel_id, receive)

    async def interrupt(self, kernel: Kernel) -> None:
        try:
            await kernel.manager.interrupt_kernel()
        except (HTTPError, OSError, RuntimeError) as error:
            msg = f"the kernel at {self._url} cannot be interrupted: {error}"
            raise KernelGoneError(msg) from error

    def last_words(self) -> str:
        return ""

    def mark_used(self, kernel: Kernel) -> None:
        """Its own server looks after it."""

    async def close(self) -> None:
        manager, self._manager = self._manager, None
        if manager is None:
            return
        try:
            await manager.shutdown_kernel(now=True)
        except (HTTPError, OSError) as error:
            msg = f"the kernel at {self._url} could not be shut down: {error}"
            raise KernelError(msg) from error
