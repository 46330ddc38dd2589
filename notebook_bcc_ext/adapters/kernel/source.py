"""Where the kernel comes from, and a kernel of our own. `kernel_session` has the notebook's."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import dataclass
from typing import IO, Any, Protocol

from jupyter_client.ioloop.manager import AsyncIOLoopKernelManager
from jupyter_client.kernelspec import NoSuchKernel

from notebook_bcc_ext.adapters.kernel.sockets import KernelChannels, KernelSockets, Receiver
from notebook_bcc_ext.errors import KernelError

_SHUTDOWN_SECONDS = 10.0
# The path of a socket has about a hundred characters at most, on some systems.
_LONGEST_SOCKET_FOLDER = 80
_LAST_WORDS = 2_000


@dataclass(frozen=True)
class Kernel:
    """One life of a kernel: after a restart it is another one."""

    manager: Any
    kernel_id: str
    process: object
    """What tells one life from the next; the process id for local kernels."""


class KernelSource(Protocol):
    def prefer(self, kernel_id: str) -> None:
        """Use that kernel if it still runs, before another one is started."""

    async def start(self) -> Kernel:
        """The kernel to use now; started when there is none."""

    async def find(self) -> Kernel | None:
        """The kernel to use now, if there is one."""

    async def is_there(self, kernel: Kernel) -> bool:
        """Whether it lives and is still the same."""

    def open(self, kernel: Kernel, receive: Receiver) -> KernelChannels:
        """A connection of our own to it."""

    async def interrupt(self, kernel: Kernel) -> None: ...

    def last_words(self) -> str:
        """What the kernel's process said last about itself, if that is known."""

    def mark_used(self, kernel: Kernel) -> None:
        """Keep it from being taken for idle."""

    async def close(self) -> None: ...


class OwnKernelSource:
    """A kernel for this run alone, shut down with it."""

    def __init__(
        self,
        kernel_name: str = "python3",
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self._kernel_name = kernel_name
        self._options: dict[str, Any] = {}
        if cwd is not None:
            self._options["cwd"] = cwd
        if env is not None:
            self._options["env"] = env
        self._manager: Any = None
        self._sockets: tempfile.TemporaryDirectory[str] | None = None
        self._said: IO[bytes] | None = None

    def prefer(self, kernel_id: str) -> None:
        """A kernel of our own ends with its process."""

    async def start(self) -> Kernel:
        running = await self.find()
        if running is not None:
            return running
        await self.close()
        # A kernel that restarts by itself would hide that all variables are lost.
        manager = AsyncIOLoopKernelManager(kernel_name=self._kernel_name, autorestart=False)
        # Kept before it is started, so that a start that is cancelled leaves no process behind.
        self._manager = manager
        try:
            self._use_private_sockets(manager)
            # Warnings and tracebacks of the kernel's own are not for the person's terminal.
            # What their code prints comes as output of the cell.
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the kernel
            await manager.start_kernel(stderr=self._said, **self._options)
        except NoSuchKernel as error:
            msg = (
                f"there is no kernel named '{self._kernel_name}': install it or choose another "
                "(jupyter kernelspec list)"
            )
            raise KernelError(msg) from error
        except OSError as error:
            msg = f"the kernel '{self._kernel_name}' cannot be started: {error}"
            raise KernelError(msg) from error
        return kernel_of(manager)

    def _use_private_sockets(self, manager: Any) -> None:
        """Sockets in a folder of ours, which nobody else on the machine can listen to, instead of
        TCP ports. Only where the kernel is sure to know them."""
        if os.name != "posix" or manager.kernel_spec.language != "python":
            return
        sockets = tempfile.TemporaryDirectory(prefix="bcc-", ignore_cleanup_errors=True)
        if len(sockets.name) > _LONGEST_SOCKET_FOLDER:
            sockets.cleanup()
            return
        self._sockets = sockets
        manager.transport, manager.ip = "ipc", f"{sockets.name}/kernel"

    async def find(self) -> Kernel | None:
        if self._manager is None or not await self._manager.is_alive():
            return None
        return kernel_of(self._manager)

    async def is_there(self, kernel: Kernel) -> bool:
        return kernel == await self.find()

    def open(self, kernel: Kernel, receive: Receiver) -> KernelChannels:
        return KernelSockets(kernel.manager, receive)

    async def interrupt(self, kernel: Kernel) -> None:
        await kernel.manager.interrupt_kernel()

    def last_words(self) -> str:
        if self._said is None:
            return ""
        # The kernel writes to the same file, at the same position: only its end is read.
        end = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, end - _LAST_WORDS))
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def mark_used(self, kernel: Kernel) -> None:
        """Nobody else looks after this kernel."""

    async def close(self) -> None:
        manager, self._manager = self._manager, None
        if manager is None:
            return
        try:
            # Not at once: what the user's code has buffered must still reach its files.
            at_once = not manager.has_kernel
            async with asyncio.timeout(_SHUTDOWN_SECONDS):
                await manager.shutdown_kernel(now=at_once)
        except (TimeoutError, RuntimeError, OSError) as error:
            msg = f"the kernel did not shut down: {error!r}"
            raise KernelError(msg) from error
        finally:
            if self._sockets is not None:
                self._sockets.cleanup()
                self._sockets = None
            if self._said is not None:
                self._said.close()
                self._said = None


def kernel_of(manager: Any, kernel_id: str | None = None) -> Kernel:
    process = getattr(getattr(manager, "provisioner", None), "pid", None)
    return Kernel(manager, str(kernel_id or manager.kernel_id), process)
