"""CodeRunner: reading and renaming variables, in a kernel of our own and in a session's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.errors import KernelError
from tests.support.code_runners import SOURCES, Notebook, runner_on, text_of

pytestmark = pytest.mark.contract

HOSTILE = """
import time
class Meta(type):
    def __instancecheck__(cls, other): raise SystemExit
    @property
    def __name__(cls): raise SystemExit
class Hostile(metaclass=Meta):
    def __repr__(self): print("repr was called"); raise SystemExit
    __str__ = __len__ = __hash__ = __iter__ = __repr__
    def __eq__(self, other): raise KeyboardInterrupt
    def __getattribute__(self, name): print("attribute was read"); raise SystemExit
    @property
    def __class__(self): time.sleep(100)
class BadList(list):
    def __len__(self): raise SystemExit
hostile, bad_list, ok = Hostile(), BadList(), 1
"""


@pytest.fixture(params=SOURCES)
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on(request.param, request) as started:
        yield started


async def test_values_and_descriptions(runner: KernelRunner) -> None:
    code = """
import datetime, decimal, numpy as np, pandas as pd
from math import sin
number, ratio, text, nothing, yes = 1, 0.5, "é", None, True
nested = {"a": [1, 2.5, None, {"b": "c"}], "t": (1, 2)}
day = datetime.date(2024, 2, 29)
scalar = np.float64(2.5)
not_a_number = float("nan")
long_text, long_list, long_dict = "x" * 5000, list(range(1000)), dict.fromkeys(range(300))
some_bytes, some_set, huge = b"abc", {1, 2}, 10 ** 5000
array = np.zeros((3, 4))
frame = pd.DataFrame(np.zeros((1460, 79)))
column = frame[0]
_private = 1
def function(): pass
class Class: pass
instance = Class()
"""
    await Notebook().run(runner, code)
    assert dict((await runner.variables()).values) == {
        "number": 1,
        "ratio": 0.5,
        "text": "é",
        "nothing": None,
        "yes": True,
        "nested": {"a": [1, 2.5, None, {"b": "c"}], "t": [1, 2]},
        "day": "2024-02-29",
        "scalar": 2.5,
        "not_a_number": "nan",
        "long_text": "str(5000 characters)",
        "long_list": "list(1000)",
        "long_dict": "dict(300)",
        "some_bytes": "bytes(3)",
        "some_set": "set(2)",
        "huge": "int(16610 bits)",
        "array": "ndarray(3, 4) float64",
        "frame": "DataFrame(1460×79)",
        "column": "Series(1460) float64",
        "instance": "Class",
    }


async def test_hostile_objects_do_no_harm(runner: KernelRunner) -> None:
    notebook = Notebook()
    result = await notebook.run(runner, HOSTILE, "first")
    assert (result.status, result.outputs) == ("ok", [])
    values = (await runner.variables()).values
    assert values == {"hostile": "Hostile", "bad_list": "BadList", "ok": 1}
    strategies = {"hostile": "describe_only", "bad_list": "head_only"}
    assert set(await runner.summarize(strategies)) == {"hostile", "bad_list"}
    assert notebook.cells["first"] == []
    assert text_of(await notebook.run(runner, "print('alive')", "second")) == "alive\n"


async def test_reading_leaves_no_trace(runner: KernelRunner) -> None:
    notebook = Notebook()
    look = "import json; print(json.dumps([len(In), sorted(Out), sorted(dir()), _ih[-3:]]))"
    first = await notebook.run(runner, "41 + 1", "a")
    await notebook.run(runner, look, "b")
    before = await notebook.run(runner, look, "c")
    await runner.variables()
    await runner.present(["json", "nothing"])
    await runner.summarize({"json": "shape_only"})
    failed = await notebook.run(runner, "1 / 0", "d")
    await runner.variables()
    after = await notebook.run(runner, look, "e")
    counts = [first, before, failed, after]
    assert first.execution_count is not None
    expected = [first.execution_count + step for step in (0, 2, 3, 4)]
    assert [result.execution_count for result in counts] == expected
    inputs_before, outs_before, names_before, _ = json.loads(text_of(before))
    inputs_after, outs_after, names_after, history = json.loads(text_of(after))
    assert inputs_after == inputs_before + 2
    assert outs_after == outs_before
    # IPython numbers each input `_i<n>` itself.
    new_names = {name for name in set(names_after) - set(names_before) if name[:2] != "_i"}
    assert new_names == set()
    assert history == [look, "1 / 0", look]
    assert (await notebook.run(runner, "_", "f")).outputs[0]["data"]["text/plain"] == "42"


async def test_only_what_changed_is_told_and_deleted_names_go(runner: KernelRunner) -> None:
    notebook = Notebook()
    await notebook.run(runner, "a, b, c = 1, [1], 3")
    assert (await runner.variables()).values == {"a": 1, "b": [1], "c": 3}
    await notebook.run(runner, "b.append(2); del c")
    assert (await runner.variables()).values == {"a": 1, "b": [1, 2]}
    # A failed cell may have changed something too.
    await notebook.run(runner, "d = 4; raise ValueError")
    assert (await runner.variables()).values == {"a": 1, "b": [1, 2], "d": 4}


async def test_names_are_found_wherever_they_come_to_stand(runner: KernelRunner) -> None:
    async def after(*cells: str) -> dict[str, object]:
        for number, code in enumerate(cells):
            await runner.run(code, f"cell-{number}", lambda _: None)
        return dict((await runner.variables()).values)

    assert await after("a = 1", "b = 2; c = 3") == {"a": 1, "b": 2, "c": 3}
    assert await after("d = 4; del a; a = 5") == {"a": 5, "b": 2, "c": 3, "d": 4}
    assert await after("del b", "e = 6") == {"a": 5, "c": 3, "d": 4, "e": 6}
    assert await after("del c, a; f = 7", "a = 8") == {"a": 8, "d": 4, "e": 6, "f": 7}
    # Inputs are numbered anew, and the number of the newest comes again.
    reset = "get_ipython().run_line_magic('reset', '-f')"
    assert await after(reset, "g = 9", "h = 10", *["pass"] * 8) == {"g": 9, "h": 10}


async def test_a_cell_tells_which_names_exist_after_it(runner: KernelRunner) -> None:
    async def told(code: str, *names: str) -> set[str] | None:
        present = (await runner.run(code, "cell", lambda _: None, names)).present
        return None if present is None else set(present)

    assert await told("x = 1", "x", "y", "f") == {"x"}
    assert await told("def f(): pass", "x", "y", "f") == {"x", "f"}
    assert await told("del x") is None
    assert await told("1/0", "f") is None


async def test_many_names_are_bounded(runner: KernelRunner) -> None:
    await Notebook().run(runner, "for i in range(3000): globals()[f'v{i}'] = i")
    variables = await runner.variables()
    assert variables.truncated
    assert len(variables.values) == 500
    assert variables.values["v2999"] == 2999


async def test_a_busy_kernel_does_not_block(runner: KernelRunner) -> None:
    notebook = Notebook()
    await notebook.run(runner, "x = 1", "a")
    code = "import time\ny = 2\nprint('go', flush=True)\ntime.sleep(100)"
    running = asyncio.create_task(notebook.run(runner, code, "b"))
    await notebook.until_shown("b")
    variables = await asyncio.wait_for(runner.variables(), 20)
    assert variables.values["x"] == 1
    await runner.interrupt()
    assert (await running).status == "interrupted"
    assert (await runner.variables()).values == {"x": 1, "y": 2}


async def test_variables_after_a_restart(runner: KernelRunner) -> None:
    notebook = Notebook()
    await notebook.run(runner, "x = 1")
    assert (await runner.variables()).values == {"x": 1}
    kernel = await runner.source.find()
    assert kernel is not None
    await kernel.manager.restart_kernel(now=True)
    assert (await runner.variables()).values == {}
    await notebook.run(runner, "y = 2")
    assert (await runner.variables()).values == {"y": 2}


async def test_present(runner: KernelRunner) -> None:
    await Notebook().run(runner, "import json\nx = 1\ndef f(): pass")
    assert await runner.present(["x", "f", "json", "missing"]) == {"x", "f", "json"}


async def test_summaries(runner: KernelRunner) -> None:
    code = """
import numpy as np, pandas as pd
frame = pd.DataFrame({"n": range(2_000_000), "t": "a", "o": [None] * 2_000_000})
wide = pd.DataFrame(np.zeros((10, 500)))
items = [1, 2, 3, 4]
mapping = {"a": 1, "b": 2}
"""
    await Notebook().run(runner, code)
    told = await runner.summarize(
        {"frame": "describe_only", "items": "last_2_only", "wide": "head_only", "missing": "x"}
    )
    assert set(told) == {"frame", "items", "wide"}
    assert "sampled" in told["frame"]
    assert "of 2000000 rows" in told["frame"]
    assert "max 1999" in told["frame"] or "max 2e+06" in told["frame"]
    assert told["items"] == "list(4), last 2:\n[3, 4]"
    assert "more columns" in told["wide"]
    assert all(len(text.encode()) <= 4096 for text in told.values())
    again = await runner.summarize(
        {"frame": "last_3_only", "items": "shape_only", "mapping": "head_only"}
    )
    assert again["frame"].splitlines()[-1].split("\t")[:3] == ["1999999", "1999999", "a"]
    assert again["items"] == "list(4)"
    assert again["mapping"] == "dict(2), first 5:\n{a: 1, b: 2}"


async def test_promotion(runner: KernelRunner) -> None:
    notebook = Notebook()
    await notebook.run(runner, "tmp = [1]; other = 2; same = tmp")
    await runner.promote("tmp", "result")
    await runner.promote("tmp", "result")
    assert (await runner.variables()).values == {"result": [1], "same": [1], "other": 2}
    # The temporary made anew and promoted again: its own earlier result may be replaced.
    await notebook.run(runner, "tmp = [3]")
    await runner.promote("tmp", "result")
    assert (await runner.variables()).values["result"] == [3]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("other", "result", "exists already"),
        ("missing", "fresh", "no variable 'missing'"),
        ("other", "class", "not a variable name"),
        ("other", "a b", "not a variable name"),
        ("other", "_hidden", "private"),
        ("other", "In", "belongs to the kernel"),
        ("_", "fresh", "belongs to the kernel"),
    ],
)
async def test_refused_promotions(own_runner: KernelRunner, old: str, new: str, why: str) -> None:
    notebook = Notebook()
    await notebook.run(own_runner, "result = 1; other = 2")
    with pytest.raises(KernelError, match=why):
        await own_runner.promote(old, new)
    assert (await own_runner.variables()).values == {"result": 1, "other": 2}


@pytest.fixture
def own_runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on("own", request) as started:
        yield started
