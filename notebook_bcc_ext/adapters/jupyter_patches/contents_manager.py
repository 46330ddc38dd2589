"""A contents manager that may be called from several threads, one call at a time on each path.

Made for one thread, it has two parts that belong to it:

- Its signature store is an SQLite connection bound to the thread that made it; here it moves to a
  thread of its own that everybody asks.
- Its events are handed to listeners as tasks on the running loop; from a worker they are passed to
  the server's loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nbformat.sign import SignatureStore, SQLiteSignatureStore

from notebook_bcc_ext.adapters.jupyter_patches.path_locks import PathLocks, install_path_locks
from notebook_bcc_ext.adapters.jupyter_patches.piecewise_saving import save_in_pieces


def patch_contents(
    manager: Any, *, one_for_all: bool, threads_of: asyncio.AbstractEventLoop | None
) -> PathLocks:
    """Lock its paths; with the loop of its server, also let worker threads call it.

    Doing it twice changes nothing: the same locks come back.
    """
    locks = install_path_locks(manager, one_for_all=one_for_all)
    if threads_of is not None:
        _share_signatures(manager)
        _emit_on_loop(manager, threads_of)
        save_in_pieces(manager)
    return locks


def _share_signatures(manager: Any) -> None:
    notary, _ = manager.notary, manager.checkpoints  # Both are made on first use: make them here.
    if isinstance(notary.store, SQLiteSignatureStore):
        make_store = notary.store_factory
        notary.store.close()  # type: ignore[no-untyped-call]
        notary.store_factory = lambda: _SignatureThread(make_store)
        notary.store = notary.store_factory()


class _SignatureThread(SignatureStore):
    """A signature store that lives in a thread of its own."""

    def __init__(self, make_store: Callable[[], SignatureStore]) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="notebook-bcc-signatures")
        self._store = self._thread.submit(make_store).result()

    def store_signature(self, digest: str, algorithm: str) -> None:
        self._thread.submit(self._store.store_signature, digest, algorithm).result()

    def check_signature(self, digest: str, algorithm: str) -> bool:
        return bool(self._thread.submit(self._store.check_signature, digest, algorithm).result())

    def remove_signature(self, digest: str, algorithm: str) -> None:
        self._thread.submit(self._store.remove_signature, digest, algorithm).result()

    def close(self) -> None:
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()


def _emit_on_loop(manager: Any, loop: asyncio.AbstractEventLoop) -> None:
    emit = manager.emit
    if hasattr(emit, "notebook_bcc"):
        return
    home = threading.get_ident()

    def emit_on_loop(data: dict[str, Any]) -> None:
        if threading.get_ident() == home:
            emit(data=data)
        else:
            # The loop may close while a last flush is under way: then nobody listens any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: emit(data=data))

    emit_on_loop.notebook_bcc = True  # type: ignore[attr-defined]
    manager.emit = emit_on_loop
