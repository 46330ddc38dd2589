"""A notebook's kernel behind a gateway; a second Jupyter server plays the gateway."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.gateway.gateway_client import GatewayClient

from notebook_bcc_ext.adapters.kernel.remote import RemoteKernelSource
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.errors import KernelError
from tests.support.code_runners import Notebook, runner_on, text_of

TOKEN = "only-for-this-test"


@pytest.fixture(scope="module")
def gateway_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("gateway")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = home / "log"
    command = [sys.executable, "-m", "jupyter_server", f"--port={port}", "--no-browser"]
    command += [f"--IdentityProvider.token={TOKEN}", "--allow-root", f"--ServerApp.root_dir={home}"]
    directories = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = {**os.environ, **{name: str(home / name) for name in directories}}
    with log.open("w") as output:
        server = subprocess.Popen(command, stderr=output, stdout=output, env=environment)
    try:
        wait_for(f"{url}/api/kernelspecs?token={TOKEN}", log)
        yield url
    finally:
        # Only now: the tests' own servers need it to end their kernels.
        GatewayClient.clear_instance()
        server.terminate()
        server.wait(30)


def wait_for(url: str, log: Path) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - loopback
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"the gateway did not start: {log.read_text()[-2000:]}")


@pytest.fixture
def jp_server_config(gateway_url: str) -> dict[str, Any]:
    GatewayClient.clear_instance()
    return {"GatewayClient": {"url": gateway_url, "auth_token": TOKEN}}


@pytest.fixture
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on("session", request) as started:
        yield started


async def test_cells_run_and_variables_are_read(runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(runner, "x = 1; print('é 中文'); display(x)")
    assert (result.status, text_of(result)) == ("ok", "é 中文\n")
    assert (await runner.variables()).values == {"x": 1}
    failed = await notebook.run(runner, "y = 2; 1 / 0", "next")
    assert failed.status == "error"
    assert (await runner.variables()).values == {"x": 1, "y": 2}
    await runner.promote("y", "z")
    assert await runner.present(["x", "y", "z"]) == {"x", "z"}


async def test_interrupt_and_restart(runner: KernelRunner) -> None:
    notebook = Notebook()
    code = "print('go', flush=True)\nimport time; time.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown()
    await runner.interrupt()
    assert (await asyncio.wait_for(running, 20)).status == "interrupted"
    running = asyncio.create_task(notebook.run(runner, code, "second"))
    await notebook.until_shown("second")
    kernel = await runner.source.find()
    assert kernel is not None
    await kernel.manager.restart_kernel()
    # A server may interrupt the cell before it ends the kernel; then that is heard first.
    assert (await asyncio.wait_for(running, 30)).status in ("gone", "interrupted")
    again = await notebook.run(runner, "'x' in globals()", "third")
    assert (again.status, again.execution_count) == ("ok", 1)


async def test_a_lost_connection_is_opened_again(runner: KernelRunner) -> None:
    notebook = Notebook()
    code = "print('go', flush=True)\nimport time; time.sleep(3)\nprint('end')"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown()
    link: Any = runner._link
    link._channels._socket.close()
    result = await asyncio.wait_for(running, 40)
    assert (result.status, text_of(result)) == ("ok", "go\nend\n")


async def test_a_headless_run_uses_the_kernels_of_another_server(
    gateway_url: str, tmp_path: Path, jp_asyncio_loop: asyncio.AbstractEventLoop
) -> None:
    GatewayClient.clear_instance()
    source = RemoteKernelSource(gateway_url, TOKEN)
    runner = KernelRunner(source)
    await runner.start()
    notebook = Notebook()
    result = await notebook.run(runner, "import os; x = 2; print(os.getcwd())")
    assert result.status == "ok"
    assert text_of(result)
    assert (await runner.variables()).values == {"x": 2}
    kernel = await source.find()
    assert kernel is not None
    await runner.close()
    assert await kernel.manager.refresh_model() is None


async def test_a_server_out_of_reach_is_named(
    gateway_url: str, jp_asyncio_loop: asyncio.AbstractEventLoop
) -> None:
    GatewayClient.clear_instance()
    runner = KernelRunner(RemoteKernelSource("http://127.0.0.1:9", TOKEN), start_timeout=20)
    with pytest.raises(KernelError, match=r"http://127\.0\.0\.1:9"):
        await runner.start()
    await runner.close()
