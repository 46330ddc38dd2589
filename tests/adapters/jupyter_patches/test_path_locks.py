"""Locks per path around a contents manager."""

from __future__ import annotations

import asyncio
import threading

import nbformat
import pytest

from notebook_bcc_ext.adapters.jupyter_patches.path_locks import PathLocks, install_path_locks
from notebook_bcc_ext.adapters.notebook.apply import empty_notebook
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from tests.support.notebook_worlds import MANAGERS


@pytest.fixture
def make_manager(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    root = tmp_path / "root"
    root.mkdir()
    return lambda kind: MANAGERS[kind](root)


async def test_one_at_a_time_in_order():
    locks = PathLocks()
    seen = []

    async def work(number):
        async with locks.hold("a"):
            seen.append(number)
            await asyncio.sleep(0)
            seen.append(number)

    await asyncio.gather(*(work(number) for number in range(5)))
    assert seen == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert locks._locks == {}


async def test_a_call_chain_may_enter_again():
    locks = PathLocks()
    async with locks.hold("a"), locks.hold("/a/"):
        with locks.hold_blocking("a"):
            pass


async def test_a_task_started_inside_does_not_own_the_lock_later():
    locks = PathLocks()
    released = asyncio.Event()

    async def later():
        await released.wait()
        async with locks.hold("a"):
            pass

    async with locks.hold("a"):
        task = asyncio.create_task(later())
        await asyncio.sleep(0)
    async with locks.hold("a"):
        released.set()
        for _ in range(5):
            await asyncio.sleep(0)
        assert not task.done()
    await task


async def test_who_is_cancelled_while_waiting_blocks_nobody():
    locks = PathLocks()

    async def enter():
        async with locks.hold("a"):
            pass

    async with locks.hold("a"):
        first, second = asyncio.create_task(enter()), asyncio.create_task(enter())
        await asyncio.sleep(0)
        first.cancel()
    await second
    # Cancelled when the lock had already been handed over.
    async with locks.hold("a"):
        third = asyncio.create_task(enter())
        await asyncio.sleep(0)
    third.cancel()
    await asyncio.gather(third, return_exceptions=True)
    await enter()
    assert locks._locks == {}


async def test_threads_and_tasks_take_turns():
    locks = PathLocks()
    entered = threading.Event()

    def in_thread():
        with locks.hold_blocking("a"):
            entered.set()

    async with locks.hold("a"):
        waiting = asyncio.get_running_loop().run_in_executor(None, in_thread)
        await asyncio.sleep(0)
        assert not entered.is_set()
    await waiting
    assert entered.is_set()


async def test_two_paths_in_either_order_do_not_deadlock():
    locks = PathLocks()

    async def both(*paths):
        async with locks.hold(*paths):
            await asyncio.sleep(0)

    await asyncio.wait_for(
        asyncio.gather(*(both(*pair) for pair in [("a", "b"), ("b", "a")] * 10)), 30
    )


async def test_installing_twice_gives_the_same_locks(make_manager):
    manager = make_manager("files")
    locks = install_path_locks(manager)
    get = manager.get
    assert install_path_locks(manager) is locks
    assert manager.get is get


async def test_a_reader_never_meets_half_a_file(make_manager, tmp_path):
    """Without the locks this destroys the notebook within a few rounds."""
    manager = make_manager("async files")
    install_path_locks(manager)
    cells = [
        {"id": f"c{n}", "cell_type": "markdown", "metadata": {}, "source": "text " * 50}
        for n in range(100)
    ]
    model = {"type": "notebook", "format": "json", "content": empty_notebook({}) | {"cells": cells}}
    await manager.save(dict(model), "a.ipynb")

    async def read():
        for _ in range(10):
            got = await manager.get("a.ipynb")
            assert len(got["content"]["cells"]) == 100

    async def write():
        for _ in range(10):
            await manager.save(dict(model), "/a.ipynb")

    await asyncio.gather(read(), read(), write())
    names = {file.name for file in (tmp_path / "root").iterdir()}
    assert names <= {"a.ipynb", ".ipynb_checkpoints"}
    nbformat.validate(nbformat.read(tmp_path / "root" / "a.ipynb", as_version=4))


@pytest.mark.parametrize("kind", ["files", "async files"])
async def test_a_held_path_holds_up_content_but_not_dates(make_manager, kind):
    manager = make_manager(kind)
    locks = ContentsAccess(manager).locks
    model = {"type": "notebook", "format": "json", "content": empty_notebook({})}

    def call(method, *args, **kwargs):
        """On a thread of its own, as plain managers block."""
        result = method(*args, **kwargs)
        return asyncio.run(result) if asyncio.iscoroutine(result) else result

    await asyncio.to_thread(call, manager.save, dict(model), "a.ipynb")
    async with locks.hold("a.ipynb"):
        await asyncio.to_thread(call, manager.get, "a.ipynb", content=False)
        # From a thread of another context: it does not inherit what we hold.
        loop = asyncio.get_running_loop()
        waiting = [
            loop.run_in_executor(None, lambda: call(manager.get, "a.ipynb")),
            loop.run_in_executor(None, lambda: call(manager.save, dict(model), "a.ipynb")),
        ]
        await asyncio.to_thread(call, manager.save, dict(model), "b.ipynb")
        assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)
    for method, args in [
        (manager.create_checkpoint, ("a.ipynb",)),
        (manager.rename, ("a.ipynb", "c.ipynb")),
        (manager.get, ("c.ipynb",)),
    ]:
        await asyncio.to_thread(call, method, *args)
