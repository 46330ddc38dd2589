"""Schemathesis over our own description of the REST interface: nothing makes the server fail.

`BCC_FUZZ_EXAMPLES=100` asks for more examples of each operation.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.support.real_server import TOKEN, RealServer

EXAMPLES = os.environ.get("BCC_FUZZ_EXAMPLES", "8")


@pytest.mark.timeout(900)
async def test_no_request_makes_the_server_fail(tmp_path: Path) -> None:
    async with RealServer(tmp_path) as server:
        base = str(server.client.base_url).rstrip("/")
        described = await server.ask("GET", "openapi.json")
        document = tmp_path / "openapi.json"
        document.write_bytes(described.content)
        command = [
            str(Path(sys.executable).with_name("schemathesis")), "run", str(document),
            "--url", base, "--header", f"Authorization: token {TOKEN}",
            "--checks", "not_a_server_error", "--max-examples", EXAMPLES,
            "--exclude-path-regex", "/live$", "--request-timeout", "60",
            "--phases", "examples,coverage,fuzzing", "--no-color",
        ]  # fmt: skip
        fuzzing = await asyncio.create_subprocess_exec(
            *command,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await fuzzing.communicate()
        assert fuzzing.returncode == 0, said.decode()[-6000:]
        assert (await server.ask("GET", "status")).status_code == 200
        assert "Traceback" not in server.log, server.log[-4000:]
