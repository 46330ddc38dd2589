"""A Jupyter server with the extension, in a process of its own: to be killed, stopped, overrun.

    async with RealServer(home) as server:
        run = await server.start_run({"notebook": "run.ipynb", "planner": {…}})
        server.kill()
        await server.start()

Its folders (notebooks, configuration, data, run store) lie below `home` and outlive it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import httpx

Json = dict[str, Any]

TOKEN = "only-for-this-test"
START_SECONDS = 240.0
STOP_SECONDS = 30.0
POLL_SECONDS = 0.03
OTHER_EXTENSIONS = (
    "jupyterlab",
    "jupyter_lsp",
    "jupyter_server_fileid",
    "jupyter_server_terminals",
    "jupyter_server_ydoc",
    "notebook_shim",
)
"""Left out: they have no part in this, and starting them takes time."""
RUN_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")


class RealServer:
    def __init__(
        self,
        home: Path,
        *,
        notebooks: Path | None = None,
        store: Path | None = None,
        options: Mapping[str, object] | None = None,
        environment: Mapping[str, str] | None = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        self.home = home
        self.notebooks = notebooks or home / "notebooks"
        self.store = store or home / "runs.db"
        self.log_file = home / "server.log"
        self._options = {"retry_wait": 0.05, **(options or {})}
        self._environment = dict(environment or {})
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._client: httpx.AsyncClient | None = None

    # -- life -------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        await self.stop()
        self.home.mkdir(parents=True, exist_ok=True)
        self.notebooks.mkdir(parents=True, exist_ok=True)
        while not await self._start_on(_free_port()):
            # Somebody else took the port between our look and the server's.
            await self.stop()

    async def _start_on(self, port: int) -> bool:
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: ASYNC220  it returns at once
                self._command(port), stdout=output, stderr=output, env=self._env(), cwd=self.home
            )
        self._client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"token {TOKEN}"},
            timeout=60.0,
        )
        return await self._until_it_answers()

    def _command(self, port: int) -> list[str]:
        extensions = {"notebook_bcc_ext": True, **dict.fromkeys(OTHER_EXTENSIONS, False)}
        return [
            sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root",
            f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.root_dir={self.notebooks}", f"--IdentityProvider.token={TOKEN}",
            f"--ServerApp.jpserver_extensions={extensions!r}",
            f"--NotebookBccApp.store_path={self.store}",
            f"--NotebookBccApp.options={self._options!r}",
            *self._arguments,
        ]  # fmt: skip

    def _env(self) -> dict[str, str]:
        folders = {name: str(self.home / name.lower()) for name in RUN_FOLDERS}
        return {**os.environ, **folders, **self._environment}

    async def _until_it_answers(self) -> bool:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            with suppress(httpx.HTTPError):
                if (await self.client.get("/api")).status_code == httpx.codes.OK:
                    return True
            await asyncio.sleep(POLL_SECONDS)
        said = self.log_file.read_text()[-3000:]
        if "is not available" in said:
            return False
        raise RuntimeError(f"the server did not start: {said}")

    def kill(self) -> None:
        """As the system does when memory runs out: no chance to tidy up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    async def stop(self) -> None:
        """As Ctrl-C does. A process that is gone already stays gone."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.poll() is None:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    @property
    def client(self) -> httpx.AsyncClient:
        assert self._client is not None
        return self._client

    @property
    def url(self) -> str:
        return str(self.client.base_url)

    # -- what a page would ask --------------------------------------------------------------

    async def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        """Below the extension's API, unless the path begins with a slash."""
        url = path if path.startswith("/") else f"/notebook-bcc/api/{path}"
        content = None if body is None else json.dumps(body)
        return await self.client.request(method, url, content=content)

    async def get(self, path: str) -> Json:
        response = await self.ask("GET", path)
        response.raise_for_status()
        found: Json = response.json()
        return found

    async def start_run(self, request: Json) -> Json:
        response = await self.ask("POST", "runs", request)
        assert response.status_code == httpx.codes.CREATED, response.text
        view: Json = response.json()
        return view

    async def view(self, run_id: str) -> Json:
        return await self.get(f"runs/{run_id}")

    async def command(self, run_id: str, command: str, **fields: object) -> httpx.Response:
        return await self.ask("POST", f"runs/{run_id}/commands", {"command": command, **fields})

    async def until(self, run_id: str, *statuses: str, seconds: float = 60.0) -> Json:
        """The run's view, as soon as it is in one of those statuses."""
        deadline = time.monotonic() + seconds
        while True:
            view = await self.view(run_id)
            if view["status"] in statuses:
                return view
            if time.monotonic() > deadline:
                raise TimeoutError(f"the run is {view['status']} in {view['state']}: {view}")
            await asyncio.sleep(POLL_SECONDS)

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
