"""A server's heart in a process of its own, to be killed: takes up what it finds, or begins.

    python -m tests.chaos.worker FOLDER PLANNER_URL

It answers as a careful person would: proposals are confirmed, code that may have run is not run
again, and the kernel is not rebuilt. Exits with 0 when the run is done.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.hosting.headless import FolderWorkplace
from notebook_bcc_ext.hosting.manager import RunManager
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.protocol.runs import Command, CommandName, RunRequest
from notebook_bcc_ext.protocol.settings import Settings

POLL_SECONDS = 0.02


async def main(folder: Path, url: str) -> int:
    storage = await Storage.open(folder / "runs.db")
    settings = Settings.model_validate({"dslc_base_url": url, "retry_wait": 0.05})
    workplace = FolderWorkplace(folder, storage)
    manager = RunManager(storage, workplace, lambda _: settings, PlaybookLibrary())
    await manager.take_up()
    earlier = manager.views()
    address = {"kind": "http", "url": url}
    request = RunRequest.model_validate({"notebook": "run.ipynb", "planner": address})
    # A run that was done when the process was killed is done.
    run = manager.get(earlier[0].id) if earlier else manager.create(request)
    print("ready", flush=True)
    while run.status not in ("done", "failed", "cancelled"):
        await answer(run)
        await asyncio.sleep(POLL_SECONDS)
    await run.finished()
    print(run.status, run.world.memory.error, flush=True)
    await manager.close()
    return 0 if run.status == "done" else 1


async def answer(run: Run) -> None:
    pending = run.world.questions.pending
    if pending is not None:
        command: CommandName = "confirm" if pending.kind in ("workflow", "steps") else "reject"
        await run.command(Command(command=command, proposal_id=pending.id), "worker")
    elif "resume" in run.allowed_commands:
        await run.command(Command(command="resume"), "worker")
    elif "retry" in run.allowed_commands:
        await run.command(Command(command="retry"), "worker")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2])))
