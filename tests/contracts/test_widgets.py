"""Widgets of a run's cells: what `Output` catches is in the notebook, with the widgets' state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter

from notebook_bcc_ext.adapters.kernel.outputs import OutputLimits
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.notebook.apply import EditableNotebook, empty_notebook
from notebook_bcc_ext.adapters.store.operation_text import refuse_deep
from notebook_bcc_ext.observation.output_text import text_of_outputs
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    WIDGET_STATE,
    ChangeOutputs,
    DeleteCell,
    InsertCell,
    SetWidgets,
)
from tests.support.code_runners import SOURCES, runner_on

pytestmark = pytest.mark.contract

Json = dict[str, Any]
VIEW = "application/vnd.jupyter.widget-view+json"
MAKE = """
import ipywidgets as w
from IPython.display import clear_output
out = w.Output()
display(out)
"""


class Report:
    """A notebook that hears what a runner reports, as the file does."""

    def __init__(self) -> None:
        self.notebook = empty_notebook({})
        self.widget_reports: list[SetWidgets] = []
        self.heard = 0
        self._editable = EditableNotebook(self.notebook)

    def hear(self, changes: Sequence[ChangeOutputs | SetWidgets]) -> None:
        self.heard += 1
        for change in changes:
            if isinstance(change, SetWidgets):
                self.widget_reports.append(change)
            self._editable.change(change)

    async def run(self, runner: KernelRunner, code: str, cell_id: str = "cell") -> Any:
        cell = {"id": cell_id, "cell_type": "code", "source": code, "metadata": {}}
        self._editable.change(DeleteCell(cell_id=cell_id))
        new = {**cell, "outputs": [], "execution_count": None}
        self._editable.change(InsertCell(cell=new, after_id="end"))
        result = await runner.run(code, cell_id, self.hear)
        self._editable.finish()
        return result

    @property
    def state(self) -> Json:
        return dict(self.notebook["metadata"]["widgets"][WIDGET_STATE]["state"])

    def shown(self, cell_id: str = "cell") -> list[Json]:
        """What the first `Output` that the cell shows contains."""
        (cell,) = [cell for cell in self.notebook["cells"] if cell["id"] == cell_id]
        views = [o["data"][VIEW] for o in cell["outputs"] if VIEW in o.get("data", {})]
        return list(self.state[views[0]["model_id"]]["state"]["outputs"])

    def text(self, cell_id: str = "cell") -> str:
        return text_of_outputs(self.shown(cell_id))

    def beside(self, cell_id: str = "cell") -> list[Json]:
        """What is in the cell beside its widgets."""
        (cell,) = [cell for cell in self.notebook["cells"] if cell["id"] == cell_id]
        return [o for o in cell["outputs"] if VIEW not in o.get("data", {})]


@pytest.fixture
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on(getattr(request, "param", "own"), request) as started:
        yield started


@pytest.mark.parametrize("runner", SOURCES, indirect=True)
async def test_b9_widgets_output_is_caught_saved_and_rendered(runner: KernelRunner) -> None:
    report = Report()
    code = MAKE + "import pandas as pd\nprint('before')\nwith out:\n    print('in the widget')\n"
    code += "    display(pd.DataFrame({'fee': [4711]}))\nprint('after')"
    result = await report.run(runner, code)
    assert (result.status, result.notice) == ("ok", None)
    assert text_of_outputs(report.beside()) == "before\nafter"
    printed, table = report.shown()
    assert printed == {"output_type": "stream", "name": "stdout", "text": "in the widget\n"}
    assert "4711" in table["data"]["text/html"]
    # The planner reads what the person sees.
    assert [o["output_type"] for o in result.caught] == ["stream", "display_data"]

    notebook = nbformat.from_dict(report.notebook)
    nbformat.validate(notebook)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "in the widget" in page.partition("widget-state+json")[2]
    entry = report.notebook["metadata"]["widgets"][WIDGET_STATE]
    assert (entry["version_major"], entry["version_minor"]) == (2, 0)
    # All that the view refers to is there, so that it can be drawn.
    layout = next(m for m in entry["state"].values() if m["model_name"] == "OutputModel")
    assert layout["state"]["layout"].removeprefix("IPY_MODEL_") in entry["state"]
    assert layout["model_module"] == "@jupyter-widgets/output"


async def test_b9_widgets_clear_append_and_display_updates(runner: KernelRunner) -> None:
    report = Report()
    code = MAKE + "with out:\n    print('gone')\n    clear_output()\n    print('kept')\n"
    await report.run(runner, code + "out.append_stdout('added\\n')\nout.append_stderr('warned')")
    assert report.text() == "kept\nadded\nwarned"
    await report.run(runner, "with out:\n    clear_output(wait=True)\n    print('fresh')", "next")
    assert report.text() == "fresh"
    await report.run(runner, "with out:\n    h = display('old', display_id=True)", "show")
    await report.run(runner, "h.update('new')", "update")
    assert report.text() == "fresh\n'new'"
    await report.run(runner, "out.outputs = ()", "empty")
    assert report.shown() == []
    assert [report.beside(each) for each in ("next", "show", "update", "empty")] == [[]] * 4


async def test_b9_widgets_an_error_in_an_output_does_not_fail_the_cell(
    runner: KernelRunner,
) -> None:
    report = Report()
    result = await report.run(runner, MAKE + "with out:\n    1 / 0\nprint('went on')")
    assert (result.status, result.error) == ("ok", None)
    assert text_of_outputs(report.beside()) == "went on"
    assert report.shown()[0]["ename"] == "ZeroDivisionError"
    assert "ZeroDivisionError" in text_of_outputs(result.caught)
    after = await report.run(runner, "with out:\n    print('fine')\nraise KeyError('x')", "next")
    assert (after.status, after.error.name) == ("error", "KeyError")


async def test_b9_widgets_nested_outputs_each_have_their_own(runner: KernelRunner) -> None:
    report = Report()
    code = MAKE + "inner = w.Output()\nwith out:\n    print('a')\n    display(inner)\n"
    code += "    with inner:\n        print('b')\n        with out: print('c')\n    print('d')\n"
    await report.run(runner, code + "print('e')")
    outer = report.shown()
    inner = next(o["data"][VIEW]["model_id"] for o in outer if VIEW in o.get("data", {}))
    assert text_of_outputs(report.state[inner]["state"]["outputs"]).split() == ["b", "c"]
    assert [o["text"] for o in outer if "text" in o] == ["a\n", "d\n"]
    assert text_of_outputs(report.beside()) == "e"


async def test_b9_widgets_a_later_cell_writes_into_it_and_the_kernel_knows(
    runner: KernelRunner,
) -> None:
    report = Report()
    await report.run(runner, MAKE + "slider = w.IntSlider(3)\nwith out: print('first')")
    later = await report.run(runner, "with out: print('second')", "later")
    assert report.text() == "first\nsecond"
    assert (report.beside("later"), text_of_outputs(later.caught)) == ([], "second")
    # Only what changed is written, once a cell.
    assert [len(each.models) > 1 for each in report.widget_reports] == [True, False]
    known = await report.run(runner, "print(out.outputs[0]['text'], end='')", "known")
    assert text_of_outputs(known.outputs) == "first\nsecond"
    # What the kernel repeats of our own words is no change.
    assert len(report.widget_reports) == 2


async def test_b9_widgets_closed_ones_go_and_buffers_stay(runner: KernelRunner) -> None:
    report = Report()
    await report.run(runner, MAKE + "picture = w.Image(value=b'1234')\ndisplay(picture)")
    (kept,) = [m for m in report.state.values() if m["model_name"] == "ImageModel"]
    assert kept["buffers"] == [{"path": ["value"], "data": "MTIzNA==", "encoding": "base64"}]
    await report.run(runner, "picture.close()", "close")
    assert not [m for m in report.state.values() if m["model_name"] == "ImageModel"]


async def test_b9_widgets_of_the_person_stay_and_are_not_caught(runner: KernelRunner) -> None:
    report = Report()
    theirs = {"model_name": "M", "model_module": "m", "model_module_version": "1", "state": {}}
    kept = {WIDGET_STATE: {"state": {"theirs": theirs}, "version_major": 2, "version_minor": 1}}
    report.notebook["metadata"]["widgets"] = {**kept, "other": 1}
    await report.run(runner, MAKE + "with out: print('x')")
    assert report.state["theirs"] == theirs
    assert report.notebook["metadata"]["widgets"]["other"] == 1
    assert report.notebook["metadata"]["widgets"][WIDGET_STATE]["version_minor"] == 1


@pytest.mark.parametrize("who", ["the run", "the person"])
async def test_b9_widgets_an_interrupt_in_an_output_is_still_one(
    runner: KernelRunner, who: str
) -> None:
    report = Report()
    code = MAKE + "import time\nwith out:\n    time.sleep(100)\nx = 1"
    running = asyncio.create_task(report.run(runner, code))
    for _ in range(400):
        if report.heard:
            break
        await asyncio.sleep(0.025)
    kernel = await runner.source.find()
    assert kernel is not None
    await (runner.interrupt() if who == "the run" else runner.source.interrupt(kernel))
    result = await asyncio.wait_for(running, 20)
    assert result.status == "interrupted"


@pytest.fixture
def narrow_runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    limits = OutputLimits(max_widget_bytes=5_000)
    with runner_on("own", request, output_limits=limits) as started:
        yield started


async def test_b9_widgets_too_much_state_is_left_out_and_nothing_printed_is_lost(
    narrow_runner: KernelRunner,
) -> None:
    report = Report()
    result = await report.run(narrow_runner, MAKE + "display(w.HTML(value='x' * 9_000))")
    assert "left out" in (result.notice or "")
    assert "HTMLModel" not in [model["model_name"] for model in report.state.values()]
    code = "with out:\n    for i in range(20): print(str(i) * 500, flush=True)"
    assert (await report.run(narrow_runner, code, "more")).notice is None
    caught, in_cell = text_of_outputs(report.shown()), text_of_outputs(report.beside("more"))
    lines = [*caught.splitlines(), *in_cell.splitlines()]
    assert lines == [str(i) * 500 for i in range(20)]
    assert caught


async def test_b9_widgets_unshaped_messages_and_metadata_disturb_nobody(
    narrow_runner: KernelRunner,
) -> None:
    report = Report()
    report.notebook["metadata"]["widgets"] = "of another kind"
    code = """
from comm import create_comm
for data in ("text", [1], {"state": 3}, {"state": {"outputs": 4}, "buffer_paths": [5, [], [{}]]}):
    comm = create_comm(target_name="jupyter.widget", data=data, buffers=[b"1"] * 3)
    comm.send({"method": "update", "state": {"msg_id": 7}, "buffer_paths": "x"}, buffers=[b"1"])
model = {"_model_module": "@jupyter-widgets/output", "_model_name": "OutputModel"}
for outputs in (None, 3, [1, {"output_type": "stream"}]):
    create_comm(target_name="jupyter.widget", data={"state": {**model, "outputs": outputs}})
print("fine")
"""
    result = await report.run(narrow_runner, code)
    assert (result.status, text_of_outputs(result.outputs)) == ("ok", "fine")
    assert report.notebook["metadata"]["widgets"] == "of another kind"


async def test_widgets_state_that_could_not_be_stored_takes_no_other_along(
    narrow_runner: KernelRunner,
) -> None:
    report = Report()
    code = (
        MAKE
        + """
from comm import create_comm
def nested(depth):
    value = 'bottom'
    for _ in range(depth):
        value = [value]
    return value
model = {'_model_module': 'any', '_model_name': 'Deep', 'value': nested(160)}
create_comm(target_name='jupyter.widget', data={'state': model, 'buffer_paths': []})
with out:
    display({'application/json': nested(160), 'text/plain': 'x'}, raw=True)
    print('caught')
"""
    )
    result = await report.run(narrow_runner, code)
    assert "nested more than" in (result.notice or "")
    names = [model["model_name"] for model in report.state.values()]
    assert "OutputModel" in names
    assert "Deep" not in names
    assert "caught" in text_of_outputs(report.shown())
    for told in report.widget_reports:
        refuse_deep(told)
