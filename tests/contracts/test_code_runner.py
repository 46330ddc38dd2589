"""CodeRunner: how cells run and end, on a kernel of our own and in a notebook's session."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from tests.support.code_runners import SOURCES, Notebook, runner_on, text_of

pytestmark = pytest.mark.contract


@pytest.fixture(params=SOURCES)
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on(request.param, request) as started:
        yield started


async def kernel_pid(runner: KernelRunner) -> int:
    kernel = await runner.source.find()
    assert kernel is not None
    assert isinstance(kernel.process, int)
    return kernel.process


async def test_cells_share_one_kernel_and_count_up(runner: KernelRunner) -> None:
    notebook = Notebook()
    first = await notebook.run(runner, "x = 20; print('é 中文 🎈')", "a")
    second = await notebook.run(runner, "x + 1", "b")
    assert runner.language == "python"
    assert (first.status, second.status) == ("ok", "ok")
    assert text_of(first) == "é 中文 🎈\n"
    assert second.outputs[0]["output_type"] == "execute_result"
    assert second.outputs[0]["data"] == {"text/plain": "21"}
    assert second.execution_count is not None
    assert first.execution_count == second.execution_count - 1


async def test_every_kind_of_output(runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(
        runner,
        """
import sys
from IPython.display import HTML, Image, display
print("out", flush=True); print("err", file=sys.stderr, flush=True)
display(HTML("<b>bold</b>"))
display(Image(data=b"\\x89PNG\\r\\n\\x1a\\n", format="png"))
display({"application/vnd.jupyter.widget-view+json": {"model_id": "m", "version_major": 2}},
        raw=True)
"value"
""",
    )
    kinds = [output["output_type"] for output in result.outputs]
    assert sorted(kinds) == sorted(["stream"] * 2 + ["display_data"] * 3 + ["execute_result"])
    shown = [output.get("data", {}) for output in result.outputs]
    assert any("text/html" in data for data in shown)
    assert any("image/png" in data for data in shown)
    widget = "application/vnd.jupyter.widget-view+json"
    assert any(data.get(widget, {}).get("model_id") == "m" for data in shown)


async def test_terminal_text_is_worked_off(runner: KernelRunner) -> None:
    code = "import time\nfor i in range(30):\n  print(f'\\r{i} %', end='', flush=True)"
    result = await Notebook().run(runner, code + "\nprint('\\nab\\bc')")
    assert text_of(result) == "29 %\nac\n"


async def test_clear_output(runner: KernelRunner) -> None:
    code = "from IPython.display import clear_output\n"
    code += "for i in range(20):\n  clear_output(wait=True); print(i)"
    result = await Notebook().run(runner, code)
    assert text_of(result) == "19\n"
    code = "print('gone', flush=True)\nclear_output()"
    assert (await Notebook().run(runner, code)).outputs == []


async def test_a_display_of_an_earlier_cell_is_updated(runner: KernelRunner) -> None:
    notebook = Notebook()
    await notebook.run(runner, "print('above')\nh = display('old', display_id='d1')", "first")
    await notebook.run(runner, "h.update('new')", "second")
    assert [o.get("data") for o in notebook.cells["first"]] == [None, {"text/plain": "'new'"}]
    assert notebook.cells["second"] == []
    assert notebook.revisions["first"] == sorted(set(notebook.revisions["first"]))


async def test_an_error_is_output_and_outcome(runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(runner, "print('before')\n{}['missing']")
    assert result.status == "error"
    assert result.error is not None
    assert (result.error.name, result.error.message) == ("KeyError", "'missing'")
    assert "KeyError" in result.error.traceback
    assert [o["output_type"] for o in result.outputs] == ["stream", "error"]
    assert (await notebook.run(runner, "1", "next")).status == "ok"


async def test_a_syntax_error_is_an_error(runner: KernelRunner) -> None:
    result = await Notebook().run(runner, "def broken(:")
    assert result.status == "error"
    assert result.error is not None
    assert result.error.name == "SyntaxError"


async def test_input_is_refused_with_a_remedy(runner: KernelRunner) -> None:
    result = await Notebook().run(runner, "input('name? ')")
    assert result.status == "error"
    assert result.error is not None
    assert result.error.name == "StdinNotImplementedError"
    assert "put the value in the code" in result.error.message


async def test_a_flood_loses_nothing_and_is_reported_in_few_steps(runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(runner, "for i in range(20_000): print(i, flush=i % 10 == 0)")
    assert result.status == "ok"
    assert text_of(result).split() == [str(i) for i in range(20_000)]
    assert notebook.reports < 1_000


async def test_displays_are_kept_up_to_the_limit(runner: KernelRunner) -> None:
    result = await Notebook().run(runner, "for i in range(5_000): display(i)\nprint('end')")
    assert result.status == "ok"
    shown = [o["data"]["text/plain"] for o in result.outputs if "data" in o]
    assert shown == [str(i) for i in range(2_000)]
    assert result.notice is not None
    assert "2000 outputs" in result.notice
    assert "2000 outputs" in text_of(result, "stderr")


async def test_a_huge_print_is_cut_with_a_notice(runner: KernelRunner) -> None:
    result = await Notebook().run(runner, "print('é' * 30_000_000)")
    assert result.status == "ok"
    kept = text_of(result).encode()
    assert 900_000 < len(kept) <= 1_000_000
    assert "more than 1 MB" in text_of(result, "stderr")
    assert (await Notebook().run(runner, "print('fine')")).outputs[0]["text"] == "fine\n"


async def test_output_after_the_end_goes_to_its_own_cell(runner: KernelRunner) -> None:
    notebook = Notebook()
    code = """
import threading, time
def late():
    time.sleep(1)
    print("from the thread", flush=True)
threading.Thread(target=late).start()
"""
    assert (await notebook.run(runner, code, "first")).outputs == []
    # Reading variables must not draw the thread's output away from the cell.
    await runner.variables()
    await runner.present(["late"])
    await notebook.until_shown("first")
    assert notebook.cells["first"][0]["text"].startswith("from the thread")


async def test_interrupt(runner: KernelRunner) -> None:
    notebook = Notebook()
    code = "import time\nprint('go', flush=True)\ntime.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown()
    await runner.interrupt()
    result = await asyncio.wait_for(running, 20)
    assert result.status == "interrupted"
    assert (await notebook.run(runner, "'alive'", "next")).status == "ok"


async def test_interrupting_nothing_does_nothing(runner: KernelRunner) -> None:
    await runner.interrupt()
    assert (await Notebook().run(runner, "1")).status == "ok"


async def test_a_cancelled_run_leaves_the_runner_usable(runner: KernelRunner) -> None:
    notebook = Notebook()
    code = "import time\nprint('go', flush=True)\ntime.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code))
    await notebook.until_shown()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    result = await asyncio.wait_for(notebook.run(runner, "'alive'", "next"), 20)
    assert result.status == "ok"


# The pause lets the kernel's output thread send the words before it dies with the rest.
DEADLY = """
import os, time
print("last words", flush=True)
time.sleep(0.5)
os._exit(1)
"""


async def test_a_kernel_that_dies_is_gone_and_the_next_run_has_a_new_one(
    runner: KernelRunner,
) -> None:
    notebook = Notebook()
    await notebook.run(runner, "x = 1")
    result = await notebook.run(runner, DEADLY)
    assert result.status == "gone"
    assert result.notice is not None
    assert text_of(result) == "last words\n"
    again = await notebook.run(runner, "'x' in globals()", "next")
    assert again.status == "ok"
    assert again.outputs[0]["data"] == {"text/plain": "False"}


async def test_a_restart_in_the_middle_is_gone_and_code_runs_once(
    runner: KernelRunner, tmp_path_factory: pytest.TempPathFactory
) -> None:
    notebook = Notebook()
    marks = tmp_path_factory.mktemp("marks") / "runs"
    code = f"open({str(marks)!r}, 'a').write('x')\nprint('go', flush=True)\n"
    running = asyncio.create_task(notebook.run(runner, code + "import time; time.sleep(100)"))
    await notebook.until_shown()
    kernel = await runner.source.find()
    assert kernel is not None
    await kernel.manager.restart_kernel(now=True)
    result = await asyncio.wait_for(running, 20)
    assert result.status == "gone"
    again = await notebook.run(runner, "'code' in globals()", "next")
    assert (again.status, again.execution_count) == ("ok", 1)
    assert marks.read_text() == "x"


@pytest.fixture(params=SOURCES)
def impatient_runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on(request.param, request, cell_timeout=1.0) as started:
        yield started


async def test_a_cell_that_takes_too_long_is_stopped(impatient_runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(impatient_runner, "print('go')\nimport time; time.sleep(100)")
    assert result.status == "timeout"
    assert result.notice is not None
    assert "longer than 1 s" in result.notice
    assert (await notebook.run(impatient_runner, "1", "next")).status == "ok"


async def test_a_stopped_kernel_times_out(impatient_runner: KernelRunner) -> None:
    notebook = Notebook()
    pid = await kernel_pid(impatient_runner)
    os.kill(pid, signal.SIGSTOP)
    try:
        result = await asyncio.wait_for(notebook.run(impatient_runner, "1"), 30)
        variables = await asyncio.wait_for(impatient_runner.variables(), 30)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert result.status == "timeout"
    assert variables.notice is not None
