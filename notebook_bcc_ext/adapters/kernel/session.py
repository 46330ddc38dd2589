"""The kernel of a notebook's session in a Jupyter server, local or behind a gateway."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from jupyter_client.kernelspec import NoSuchKernel
from jupyter_core.utils import ensure_async
from jupyter_server.gateway.managers import GatewayKernelManager, GatewayMappingKernelManager
from tornado.web import HTTPError

from notebook_bcc_ext.adapters.kernel.gateway import GatewayChannels
from notebook_bcc_ext.adapters.kernel.sockets import KernelChannels, KernelSockets, Receiver
from notebook_bcc_ext.adapters.kernel.source import Kernel, kernel_of
from notebook_bcc_ext.adapters.short_tasks import in_short_task
from notebook_bcc_ext.errors import KernelError, KernelGoneError

# The server looks every three seconds whether a kernel died.
_REVIVAL_PAUSE = 0.25
_REVIVAL_LOOKS = 40


class SessionKernelSource:
    """The kernel of the notebook's own session, the one the user sees.

    Looked up by path every time, because the user may have chosen another kernel; `path` follows
    a renamed notebook. The kernel is the user's: it is never shut down here.
    """

    def __init__(self, session_manager: Any, kernel_manager: Any, path: str) -> None:
        self._sessions = session_manager
        self._kernels = kernel_manager
        self._creating = asyncio.Lock()
        self._preferred: str | None = None
        self.path = path

    def prefer(self, kernel_id: str) -> None:
        self._preferred = kernel_id

    async def start(self) -> Kernel:
        async with self._creating:
            running = await self.find()
            if running is not None and not await self.is_there(running):
                running = await self._revived(running)
            return running or await self._create()

    async def find(self) -> Kernel | None:
        try:
            session = await ensure_async(
                self._sessions.get_session(path=self.path, type="notebook")
            )
            kernel_id = session["kernel"]["id"]
            manager = self._kernels.get_kernel(kernel_id)
        except (HTTPError, KeyError, TypeError):
            return None
        await _until_launched(manager)
        return kernel_of(manager, kernel_id)

    async def is_there(self, kernel: Kernel) -> bool:
        if kernel.kernel_id not in self._kernels:
            return False
        if self._kernels.get_kernel(kernel.kernel_id) is not kernel.manager:
            return False
        try:
            alive = await ensure_async(kernel.manager.is_alive())
        except (HTTPError, OSError):
            # A gateway out of reach for a moment is not a dead kernel.
            return True
        return bool(alive) and kernel_of(kernel.manager, kernel.kernel_id) == kernel

    def open(self, kernel: Kernel, receive: Receiver) -> KernelChannels:
        # The ZMQ ports of a gateway's manager lead nowhere.
        if isinstance(kernel.manager, GatewayKernelManager):
            return GatewayChannels(kernel.kernel_id, receive)
        return KernelSockets(kernel.manager, receive)

    async def interrupt(self, kernel: Kernel) -> None:
        try:
            await ensure_async(self._kernels.interrupt_kernel(kernel.kernel_id))
        except (HTTPError, KeyError, RuntimeError) as error:
            msg = f"the kernel of {self.path} cannot be interrupted: {error}"
            raise KernelGoneError(msg) from error

    def last_words(self) -> str:
        return ""

    def mark_used(self, kernel: Kernel) -> None:
        """For the culler. `notify_connect` would do it too, but it makes the server stop
        buffering the output of the user's own cells while the browser is offline."""
        now = datetime.now(UTC)
        kernel.manager.last_activity = now
        self._kernels.last_kernel_activity = now

    async def close(self) -> None:
        """The session stays with the user."""

    async def _revived(self, dead: Kernel) -> Kernel | None:
        """The server restarts kernels that died, and lets go of those that die again and again."""
        for _ in range(_REVIVAL_LOOKS):
            await asyncio.sleep(_REVIVAL_PAUSE)
            running = await self.find()
            if running is None or await self.is_there(running):
                return running
        try:
            await ensure_async(self._kernels.restart_kernel(dead.kernel_id))
        except (HTTPError, KeyError, RuntimeError, OSError) as error:
            msg = f"the kernel of {self.path} died and cannot be restarted: {error}"
            raise KernelGoneError(msg) from error
        return await self.find()

    async def _create(self) -> Kernel:
        name = await self._kernel_name()
        try:
            created = ensure_async(
                self._sessions.create_session(
                    path=self.path,
                    name=self.path.rpartition("/")[2],
                    type="notebook",
                    kernel_name=name,
                    kernel_id=await self._survivor(),
                )
            )
            session = await in_short_task(created)
            kernel_id = session["kernel"]["id"]
            manager = self._kernels.get_kernel(kernel_id)
        except (HTTPError, KeyError, NoSuchKernel, OSError, RuntimeError) as error:
            msg = f"no kernel could be started for {self.path}: {error}"
            raise KernelError(msg) from error
        await _until_launched(manager)
        return kernel_of(manager, kernel_id)

    async def _survivor(self) -> str | None:
        """The preferred kernel, when it outlived its server behind a gateway. A server that was
        started anew does not know of it until it is asked to use it."""
        wanted, kernels = self._preferred, self._kernels
        behind_gateway: bool = isinstance(kernels, GatewayMappingKernelManager)
        if wanted is None or not behind_gateway:
            return None
        await kernels.start_kernel(kernel_id=wanted)
        if kernels.get_kernel(wanted).has_kernel:
            return wanted
        kernels.remove_kernel(wanted)
        return None

    async def _kernel_name(self) -> str | None:
        """The kernelspec the notebook names, when it is installed here; else the default."""
        contents = self._sessions.contents_manager
        try:
            found = ensure_async(contents.get(self.path, content=True, type="notebook"))
            model = await in_short_task(found)
            name = model["content"]["metadata"]["kernelspec"]["name"]
            await ensure_async(self._kernels.kernel_spec_manager.get_kernel_spec(name))
        except (HTTPError, KeyError, TypeError, NoSuchKernel):
            return None
        return str(name)


async def _until_launched(manager: Any) -> None:
    """With pending kernels a manager exists before its ports do."""
    ready = getattr(manager, "ready", None)
    # A gateway's manager exists only once its kernel does, and never says so.
    if ready is None or isinstance(manager, GatewayKernelManager):
        return
    if not isinstance(ready, asyncio.Future):
        ready = asyncio.wrap_future(ready)
    try:
        await asyncio.shield(ready)
    except (RuntimeError, OSError, NoSuchKernel) as error:
        msg = f"the kernel did not start: {error}"
        raise KernelGoneError(msg) from error
