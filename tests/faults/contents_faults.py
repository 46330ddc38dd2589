"""The notebook cannot be written, or somebody else does things to it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import nbformat

from tests.faults.lab import Lab, Outcome, fault, lab, planner
from tests.support.planner_answers import RUN, Stream, add, say

DISK_BYTES = 600_000
STOPPED = ("failed|paused", "error|stage_completed")
"""With the next change, or at the latest before the run says that it is done."""
END = {"action": say("end")}
PATIENT: dict[str, Any] = {"idle_timeout": 60, "total_timeout": 120}
"""The planner waits for the fault here; that must not be what stops the run."""


async def _cannot_save(home: Path, how: str) -> Outcome:
    """From the second step on; when it can be saved again, a retry loses nothing."""
    async with planner() as scripted, lab(home, contents=True, **PATIENT) as at:
        resume = asyncio.Event()
        lines = [{"action": say(f"part {n}")} for n in range(3)]
        stream = Stream(lines[0], resume, *lines[1:], 4.0, END)
        scripted.on("generating", stream, step="s2")
        scripted.on("generating", Stream(*lines, END), step="s2")
        run_id = await at.start(scripted.url)
        await _until_written(at, "part 0")
        fault_file = at.server.notebooks / "fault.txt"
        fault_file.write_text(how)
        resume.set()
        outcome = await at.outcome(run_id)
        await at.still_stands()
        fault_file.unlink()
        await at.server.command(run_id, "retry")
        await at.server.until(run_id, "done")
        assert [s for s in (await at.sources()) if s.startswith("part")] == [
            "part 0",
            "part 1",
            "part 2",
        ]
        return outcome


async def _until_written(at: Lab, text: str) -> None:
    while not at.file.exists() or text not in at.file.read_text():  # noqa: ASYNC110  a file
        await asyncio.sleep(0.05)


@fault("contents manager fails to save", *STOPPED, "cannot be saved: the storage service")
async def fails(home: Path) -> Outcome:
    return await _cannot_save(home, "fails")


@fault("notebook is read-only", *STOPPED, "cannot be saved: run.ipynb is read-only")
async def read_only(home: Path) -> Outcome:
    return await _cannot_save(home, "read-only")


@fault("storage says it is full", *STOPPED, "No space left on device")
async def says_full(home: Path) -> Outcome:
    return await _cannot_save(home, "full")


@fault("disk is full", *STOPPED, "No space left on device")
async def disk_full(home: Path) -> Outcome:
    """A real one: a small file system for the notebooks, filled by the run itself."""
    disk = home / "disk"
    disk.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:  # noqa: ASYNC221
        # Not allowed here: the next best thing is a storage that says so.
        return await says_full(home)
    try:
        big = [item for n in range(8) for item in (add(f"print('{n}' * 200_000)"), RUN, 2.5)]
        async with planner() as scripted, lab(home, notebooks=disk, **PATIENT) as at:
            lines = [{"action": item} if isinstance(item, dict) else item for item in big]
            scripted.on("generating", Stream(*lines, END), step="s1")
            run_id = await at.start(scripted.url)
            outcome = await at.outcome(run_id)
            await at.still_stands()
            return outcome
    finally:
        subprocess.run(["umount", str(disk)], check=False, capture_output=True)  # noqa: ASYNC221, S607


async def _meddle(home: Path, meddle: Any, *expected: str) -> Outcome:
    """Somebody does something to the file in the middle of the second step."""
    async with planner() as scripted, lab(home, **PATIENT) as at:
        resume = asyncio.Event()
        stream = Stream({"action": say("two")}, resume, {"action": say("three")}, 4.0, END)
        scripted.on("generating", stream, step="s2")
        run_id = await at.start(scripted.url)
        await _until_written(at, "two")
        await asyncio.sleep(0.3)
        meddle(at.file)
        resume.set()
        outcome = await at.outcome(run_id)
        await at.still_stands()
        for text in expected:
            assert text in await at.sources()
        return outcome


@fault("somebody else edits the file", "done", "workflow_completed", "was changed by another")
async def conflicting(home: Path) -> Outcome:
    def edit(file: Path) -> None:
        notebook = nbformat.read(file, as_version=4)
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell("somebody's own"))
        nbformat.write(notebook, file)

    return await _meddle(home, edit, "somebody's own", "one", "two", "three", "end")


@fault("notebook is deleted", *STOPPED, "was deleted or moved")
async def deleted(home: Path) -> Outcome:
    return await _meddle(home, Path.unlink)


@fault("notebook is replaced", *STOPPED, "was replaced by another notebook")
async def replaced(home: Path) -> Outcome:
    def replace(file: Path) -> None:
        ours = {"notebook_bcc": {"log_id": "of another", "applied_seq": 3}}
        other = {"cells": [], "metadata": ours, "nbformat": 4, "nbformat_minor": 5}
        file.write_text(json.dumps(other))

    outcome = await _meddle(home, replace)
    file = home / "notebooks" / "run.ipynb"
    assert json.loads(file.read_text())["cells"] == [], "the other notebook was overwritten"
    return outcome


@fault("notebook is replaced by rubbish", *STOPPED, "cannot be read")
async def rubbish(home: Path) -> Outcome:
    async with planner() as scripted, lab(home, **PATIENT) as at:
        resume = asyncio.Event()
        stream = Stream({"action": say("two")}, resume, {"action": say("three")}, 4.0, END)
        scripted.on("generating", stream, step="s2")
        run_id = await at.start(scripted.url)
        await _until_written(at, "two")
        await asyncio.sleep(0.3)
        at.file.write_text("this is no notebook")
        resume.set()
        outcome = await at.outcome(run_id)
        assert at.file.read_text() == "this is no notebook"
        at.file.unlink()
        await at.still_stands()
        return outcome
