"""X4: a server with a run in any state ends as promptly as one without."""

from __future__ import annotations

import asyncio
import json
import signal
import sys

import nbformat
import pytest

from tests.support.planner_answers import RUN, Hang, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

# Twenty times what it takes: a process that waits for its threads does so for ever.
END_SECONDS = 20.0
SILENT_KERNEL = {
    "argv": [sys.executable, "-c", "import time; time.sleep(600)", "{connection_file}"],
    "display_name": "silent",
    "language": "python",
}
STATES = {
    "starting": "a kernel that does not answer",
    "executing": "a cell that runs",
    "waiting": "a question",
    "paused": "paused by its limit",
    "planning": "a planning call under way",
    "generating": "a stream under way",
    "failed": "a cell failed",
    "done": "all is done",
}


async def brought_to(state, server, planner):
    """Returns when a run of that server is in that state."""
    planner.workflow({"a": ["s1"]})
    actions = [say("one"), add("1 + 1"), RUN]
    fields = {}
    match state:
        case "starting":
            give_kernel(server)
        case "executing":
            actions = [add("import time; time.sleep(600)"), RUN]
        case "waiting":
            fields["approval"] = "behaviors"
        case "planning":
            planner.on("planning", Hang(), state="STEP_RUNNING")
        case "generating":
            planner.on("generating", Hang())
        case "failed":
            actions = [add("1 / 0"), RUN]
        case _:
            pass
    planner.step("s1", behaviors=[actions])
    request = {"notebook": "run.ipynb", "planner": {"kind": "http", "url": planner.url}, **fields}
    run = await server.start_run(request)
    wanted = {"starting": "kernel", "executing": "cell"}.get(state, state)
    async with asyncio.timeout(60):
        while True:
            view = await server.view(run["id"])
            doing = view["doing"]["what"] if view["doing"] else None
            if wanted in (view["status"], doing):
                return
            await asyncio.sleep(0.05)


def give_kernel(server):
    folder = server.home / "jupyter_data_dir" / "kernels" / "silent"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(SILENT_KERNEL))
    kernelspec = {"name": "silent", "display_name": "silent"}
    nbformat.write(
        nbformat.v4.new_notebook(metadata={"kernelspec": kernelspec}),
        server.notebooks / "run.ipynb",
    )


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("state", STATES)
async def test_d2_the_server_ends_when_it_is_told_to(tmp_path, state, end):
    options = {"max_execution_steps": 1} if state == "paused" else {}
    server = RealServer(tmp_path, options=options, arguments=("--ServerApp.answer_yes=True",))
    async with ScriptedPlanner() as planner, server:
        await brought_to(state, server, planner)
        server.process.send_signal(end)
        await asyncio.to_thread(server.process.wait, END_SECONDS)
