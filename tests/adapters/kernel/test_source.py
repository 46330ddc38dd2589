"""Kernels of our own, and kernels that are not there, do not answer or speak another language."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import pytest
from jupyter_client.ioloop.manager import AsyncIOLoopKernelManager

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.errors import KernelError, KernelTimeoutError
from tests.support.code_runners import Notebook, text_of


async def test_a_kernel_of_our_own_ends_with_the_run(tmp_path: Any) -> None:
    source = OwnKernelSource(cwd=str(tmp_path), env={**os.environ, "OF_THE_RUN": "yes"})
    runner = KernelRunner(source)
    code = "import os; print(os.getcwd(), os.environ['OF_THE_RUN'])"
    result = await Notebook().run(runner, code)
    assert text_of(result) == f"{tmp_path} yes\n"
    kernel = await source.find()
    assert kernel is not None
    await runner.close()
    assert await source.find() is None
    assert not await kernel.manager.is_alive()
    await runner.close()


async def test_closing_ends_a_running_cell() -> None:
    notebook = Notebook()
    runner = KernelRunner(OwnKernelSource())
    code = "print('go', flush=True)\nimport time; time.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown()
    await runner.close()
    assert (await asyncio.wait_for(running, 20)).status == "gone"


async def test_a_cancelled_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    start_kernel = AsyncIOLoopKernelManager.start_kernel

    async def noted(manager: Any, **options: Any) -> None:
        started.append(manager)
        await start_kernel(manager, **options)

    monkeypatch.setattr(AsyncIOLoopKernelManager, "start_kernel", noted)
    runner = KernelRunner(OwnKernelSource())
    starting = asyncio.create_task(runner.start())
    while not started or not started[0].has_kernel:  # noqa: ASYNC110 - nothing signals it
        await asyncio.sleep(0.01)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await runner.close()
    assert not await started[0].is_alive()


async def test_an_unknown_kernel_is_named() -> None:
    runner = KernelRunner(OwnKernelSource("no-such-kernel"))
    with pytest.raises(KernelError, match="no kernel named 'no-such-kernel'"):
        await runner.start()
    await runner.close()


async def test_a_kernel_that_never_answers_is_given_up(jp_environ: Any, jp_kernel_dir: Any) -> None:
    silent = jp_kernel_dir / "silent"
    silent.mkdir()
    spec = '{"argv": ["sleep", "60"], "display_name": "silent", "language": "none"}'
    (silent / "kernel.json").write_text(spec)
    runner = KernelRunner(OwnKernelSource("silent"), start_timeout=2)
    with pytest.raises(KernelTimeoutError, match="did not answer within 2 s"):
        await runner.start()
    result = await Notebook().run(runner, "1")
    assert (result.status, result.notice) == ("gone", "the kernel did not answer within 2 s")
    await runner.close()


async def test_a_kernel_that_cannot_start_says_why(
    jp_environ: Any, jp_kernel_dir: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = jp_kernel_dir / "broken"
    broken.mkdir()
    argv = ["python3", "-c", "import no_such_module_of_the_kernel"]
    spec = {"argv": argv, "display_name": "broken", "language": "python"}
    (broken / "kernel.json").write_text(json.dumps(spec))
    runner = KernelRunner(OwnKernelSource("broken"))
    with pytest.raises(KernelError, match="No module named 'no_such_module_of_the_kernel'"):
        await runner.start()
    await runner.close()
    assert "Traceback" not in capfd.readouterr().err


async def test_other_languages_run_without_variables(
    jp_environ: Any, echo_kernel_spec: Any
) -> None:
    runner = KernelRunner(OwnKernelSource("echo"))
    result = await Notebook().run(runner, "hello")
    assert (result.status, text_of(result)) == ("ok", "hello")
    assert runner.language == "echo"
    variables = await runner.variables()
    assert (variables.values, variables.notice) == ({}, "variables of a echo kernel cannot be read")
    with pytest.raises(KernelError, match="echo"):
        await runner.present(["x"])
    await runner.close()


STOPPED_READER = """
import asyncio, json, sys
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource

async def main():
    runner = KernelRunner(OwnKernelSource())
    try:
        result = await runner.run(sys.argv[1], "cell", lambda changes: None)
    finally:
        await runner.close()
    shown = [o["data"]["text/plain"] for o in result.outputs if "data" in o]
    print(json.dumps([result.status, shown, result.notice]))

asyncio.run(main())
"""
FLOOD = """
import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
for i in range(4_000): display(i)
os.kill(os.getppid(), signal.SIGCONT)
"""


async def test_outputs_wait_for_a_reader_that_gets_no_time() -> None:
    """Neither outputs are lost, nor the news that the cell has ended."""
    reader = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STOPPED_READER, FLOOD, stdout=asyncio.subprocess.PIPE
    )
    try:
        said, _ = await reader.communicate()
    finally:
        if reader.returncode is None:
            reader.kill()
    status, shown, notice = json.loads(said)
    assert (status, shown) == ("ok", [str(i) for i in range(2_000)])
    assert notice == "Output cut: the cell gave more than 2000 outputs."
