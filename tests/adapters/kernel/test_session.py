"""The kernel of a notebook's session: shared with the user, followed, never taken away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.asynchronous.client import AsyncKernelClient

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.session import SessionKernelSource
from tests.support.code_runners import NOTEBOOK, Notebook, runner_on, text_of


@pytest.fixture
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on("session", request) as started:
        yield started


def source_of(runner: KernelRunner) -> SessionKernelSource:
    assert isinstance(runner.source, SessionKernelSource)
    return runner.source


@asynccontextmanager
async def the_user(runner: KernelRunner) -> AsyncIterator[AsyncKernelClient]:
    """Somebody else at the same kernel, like the browser."""
    kernel = await runner.source.find()
    assert kernel is not None
    client = AsyncKernelClient()
    client.load_connection_info(kernel.manager.get_connection_info())
    client.start_channels(hb=False)
    await client.wait_for_ready(timeout=30)
    try:
        yield client
    finally:
        client.stop_channels()


class UsersCell:
    """A cell of the user that runs until it is let go, however slow the machine is."""

    def __init__(self, runner: KernelRunner, user: AsyncKernelClient, release: Path) -> None:
        self._runner, self._user, self._release = runner, user, release

    async def begins(self, then: str) -> None:
        wait = (
            "import pathlib, time\n"
            f"while not pathlib.Path({str(self._release)!r}).exists(): time.sleep(0.02)\n"
        )
        self._user.execute(wait + then)
        link = self._runner._link
        assert link is not None
        for _ in range(800):
            if link.others_are_running:
                return
            await asyncio.sleep(0.025)
        pytest.fail(f"the user's cell did not start (our link to the kernel: {link.gone or 'up'})")

    def is_let_go(self) -> None:
        self._release.touch()

    async def is_let_go_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.is_let_go()


async def test_the_running_session_is_used(runner: KernelRunner, jp_serverapp: Any) -> None:
    sessions = await jp_serverapp.session_manager.list_sessions()
    assert [session["path"] for session in sessions] == [NOTEBOOK]
    source = SessionKernelSource(
        jp_serverapp.session_manager, jp_serverapp.kernel_manager, NOTEBOOK
    )
    second = KernelRunner(source)
    await Notebook().run(runner, "x = 1")
    assert (await Notebook().run(second, "x")).outputs[0]["data"] == {"text/plain": "1"}
    assert (await second.variables()).values == {"x": 1}
    await second.close()
    assert (await Notebook().run(runner, "x")).status == "ok"
    assert len(await jp_serverapp.session_manager.list_sessions()) == 1


async def test_the_notebooks_kernelspec_is_started(
    jp_serverapp: Any, jp_root_dir: Any, jp_asyncio_loop: Any
) -> None:
    notebook = {"cells": [], "nbformat": 4, "nbformat_minor": 5}
    known = {"kernelspec": {"name": "python3", "display_name": "P"}}
    unknown = {"kernelspec": {"name": "no-such-kernel", "display_name": "N"}}
    (jp_root_dir / "known.ipynb").write_text(json.dumps({**notebook, "metadata": known}))
    (jp_root_dir / "unknown.ipynb").write_text(json.dumps({**notebook, "metadata": unknown}))
    for path in ("known.ipynb", "unknown.ipynb"):
        source = SessionKernelSource(
            jp_serverapp.session_manager, jp_serverapp.kernel_manager, path
        )
        kernel = await source.start()
        assert kernel.manager.kernel_name == "python3"


async def test_a_renamed_notebook_keeps_its_kernel(runner: KernelRunner, jp_serverapp: Any) -> None:
    await Notebook().run(runner, "x = 1")
    sessions = jp_serverapp.session_manager
    session = await sessions.get_session(path=NOTEBOOK)
    await sessions.update_session(session["id"], path="renamed.ipynb", name="renamed.ipynb")
    source_of(runner).path = "renamed.ipynb"
    assert (await Notebook().run(runner, "x")).outputs[0]["data"] == {"text/plain": "1"}
    assert len(await sessions.list_sessions()) == 1


async def test_another_kernel_chosen_by_the_user_is_followed(
    runner: KernelRunner, jp_serverapp: Any
) -> None:
    await Notebook().run(runner, "x = 1")
    sessions, kernels = jp_serverapp.session_manager, jp_serverapp.kernel_manager
    session = await sessions.get_session(path=NOTEBOOK)
    chosen = await kernels.start_kernel()
    await sessions.update_session(session["id"], kernel_id=chosen)
    await kernels.shutdown_kernel(session["kernel"]["id"], now=True)
    result = await Notebook().run(runner, "'x' in globals()")
    assert result.outputs[0]["data"] == {"text/plain": "False"}
    kernel = await runner.source.find()
    assert kernel is not None
    assert kernel.kernel_id == chosen


async def test_a_kernel_shut_down_by_the_user_ends_the_cell(
    runner: KernelRunner, jp_serverapp: Any
) -> None:
    notebook = Notebook()
    code = "print('go', flush=True)\nimport time; time.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown("cell")
    session = await jp_serverapp.session_manager.get_session(path=NOTEBOOK)
    await jp_serverapp.session_manager.delete_session(session["id"])
    assert (await asyncio.wait_for(running, 20)).status == "gone"
    # Looking at variables must not bring a kernel back that the user shut down.
    variables = await runner.variables()
    assert (variables.values, variables.notice) == ({}, "the notebook has no running kernel")
    assert jp_serverapp.kernel_manager.list_kernel_ids() == []


async def test_our_cell_waits_for_the_users_and_takes_only_its_own_output(
    runner: KernelRunner, tmp_path: Path
) -> None:
    notebook = Notebook()
    async with the_user(runner) as user:
        cell = UsersCell(runner, user, tmp_path / "go")
        await cell.begins("for i in range(3): print('user', i)\nu = 1")
        ours = asyncio.create_task(notebook.run(runner, "print('ours')"))
        await cell.is_let_go_after(0.5)
        result = await ours
        assert (result.status, text_of(result)) == ("ok", "ours\n")
        await user.execute_interactive("shared = [1, 2]", timeout=20, output_hook=lambda _: None)
    variables = await runner.variables()
    assert (variables.values["shared"], variables.values["u"]) == ([1, 2], 1)


async def test_a_failing_cell_of_the_user_does_not_take_ours_along(
    runner: KernelRunner, tmp_path: Path
) -> None:
    async with the_user(runner) as user:
        cell = UsersCell(runner, user, tmp_path / "go")
        await cell.begins("1 / 0")
        ours = asyncio.create_task(Notebook().run(runner, "print('ours')"))
        await cell.is_let_go_after(0.5)
        result = await ours
    assert (result.status, text_of(result)) == ("ok", "ours\n")


async def test_an_interrupt_spares_the_users_cell(runner: KernelRunner, tmp_path: Path) -> None:
    notebook = Notebook()
    async with the_user(runner) as user:
        cell = UsersCell(runner, user, tmp_path / "go")
        await cell.begins("user_is_done = True")
        ours = asyncio.create_task(notebook.run(runner, "import time; time.sleep(100)"))
        await asyncio.sleep(0.2)
        await runner.interrupt()
        cell.is_let_go()
        assert (await asyncio.wait_for(ours, 20)).status == "interrupted"
    assert (await runner.variables()).values["user_is_done"] is True


async def test_variables_while_the_users_cell_is_running(
    runner: KernelRunner, jp_serverapp: Any, tmp_path: Path
) -> None:
    await Notebook().run(runner, "x = 1")
    async with the_user(runner) as user:
        cell = UsersCell(runner, user, tmp_path / "go")
        await cell.begins("y = 2")
        assert (await runner.variables()).values["x"] == 1
        await asyncio.sleep(0.2)
        # The server must still see that the kernel is working.
        session = await jp_serverapp.session_manager.get_session(path=NOTEBOOK)
        assert session["kernel"]["execution_state"] == "busy"
        cell.is_let_go()


async def test_c3_what_a_run_displays_only_that_run_updates(runner: KernelRunner) -> None:
    notebook, later = Notebook(), Notebook()
    await notebook.run(runner, "handle = display('old', display_id='d')", "ours")
    async with the_user(runner) as user:
        await user.execute_interactive("handle.update('theirs')", timeout=20, output_hook=print)
    second = KernelRunner(runner.source)
    await later.run(second, "again = display('second', display_id='d'); again.update('2')", "other")
    assert later.cells["other"][0]["data"] == {"text/plain": "'2'"}
    # All of that has passed by when a later cell of ours is through.
    await notebook.run(runner, "print('later')", "next")
    assert notebook.cells["ours"][0]["data"] == {"text/plain": "'old'"}
    await notebook.run(runner, "handle.update('new')", "update")
    assert notebook.cells["ours"][0]["data"] == {"text/plain": "'new'"}


async def test_the_kernel_is_marked_as_used_when_its_run_says_so(runner: KernelRunner) -> None:
    kernel = await runner.source.find()
    assert kernel is not None
    kernel.manager.last_activity = datetime.now(UTC) - timedelta(hours=1)
    runner.mark_used()
    assert datetime.now(UTC) - kernel.manager.last_activity < timedelta(minutes=1)
