"""Runs that are recorded, and their replays, as people make them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from tests.support.real_server import RealServer

Json = dict[str, Any]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


async def bcc(folder: Path, *arguments: str, settings: Mapping[str, str] | None = None) -> Ended:
    """`jupyter bcc …` in that folder, with a store of its own."""
    _make(folder)
    own = {"JUPYTER_DATA_DIR": str(folder / "data"), "BCC_RETRY_WAIT": "0.01"}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "notebook_bcc_ext.cli.main",
        *arguments,
        cwd=folder,
        env={**os.environ, **own, **(settings or {})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    ended = Ended(process.returncode or 0, out.decode(), err.decode())
    assert "Traceback" not in ended.err, ended.err
    return ended


async def replay(
    folder: Path,
    record: Json | Path,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
) -> Ended:
    """Into `again.ipynb`."""
    file = record if isinstance(record, Path) else folder / "exported.json"
    if not isinstance(record, Path):
        _make(folder)
        file.write_text(json.dumps(record), encoding="utf-8")
    command = ("replay", str(file), "--notebook", "again.ipynb", *arguments)
    return await bcc(folder, *command, settings=settings)


def _make(folder: Path) -> None:
    folder.mkdir(exist_ok=True)


async def exported(server: RealServer, run_id: str) -> Json:
    """What the sidebar's export has in it (`src/runs/record.ts`)."""
    record = await server.get(f"runs/{run_id}/record")
    for name in ("transitions", "calls"):
        record[name] = await _pages(server, f"runs/{run_id}/{name}", name, "number")
    activity = f"runs/{run_id}/activity"
    record["activity"] = await _pages(server, activity, "nodes", "revision")
    return record


async def _pages(server: RealServer, path: str, name: str, number: str) -> list[Json]:
    found: list[Json] = []
    while more := (await server.get(f"{path}?after={found[-1][number] if found else 0}"))[name]:
        found += more
    return found


def sources(notebook: Path) -> list[str]:
    content = nbformat.read(notebook, as_version=4)
    nbformat.validate(content)
    return [cell.source for cell in content.cells]
