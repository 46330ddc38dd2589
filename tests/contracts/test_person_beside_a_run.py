"""CodeRunner: what the person has in the kernel beside a run (N2), and their displays (N3)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.errors import KernelError
from notebook_bcc_ext.ports import Overwritten
from tests.support.code_runners import SOURCES, Notebook, runner_on, text_of
from tests.support.person import person_at

pytestmark = pytest.mark.contract

HAD = """
import numpy as np, pandas as pd
frame, numbers, text, count = pd.DataFrame({"a": [1]}), [1, 2], "theirs", 12345
def function(): pass
"""
SETTINGS = """
import json, warnings, matplotlib, pandas, numpy
print(json.dumps([
    str(sorted((key, str(value)) for key, value in dict.items(matplotlib.rcParams))),
    str(warnings.filters), str(numpy.get_printoptions()),
    [pandas.get_option("display." + key) for key in ("max_rows", "precision", "html.border")],
]))
"""
CHANGE_SETTINGS = """
import warnings, matplotlib, pandas, numpy
matplotlib.rcParams.update({"axes.titlesize": 5, "font.family": ["serif"], "lines.linewidth": 9})
matplotlib.rcParams["figure.figsize"].append(3)
warnings.filterwarnings("ignore")
pandas.set_option("display.max_rows", 3, "display.html.border", 7)
numpy.set_printoptions(precision=2, formatter={"float": str})
"""


@pytest.fixture(params=SOURCES)
def runner(request: pytest.FixtureRequest) -> Iterator[KernelRunner]:
    with runner_on(request.param, request) as started:
        started.belong("run-1", None)
        yield started


async def run(runner: KernelRunner, *cells: str) -> str:
    """What the last of the run's cells printed."""
    result = None
    for number, code in enumerate(cells):
        result = await Notebook().run(runner, code, f"cell-{number}")
        assert result.status == "ok", result
    assert result is not None
    return text_of(result)


# -- names ------------------------------------------------------------------------------------


async def test_n2_names_of_the_persons_that_a_run_takes_are_told(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run(HAD)
        assert await runner.overwritten() == Overwritten(), "nothing was run yet"
        await run(runner, "import pandas as pd, numpy as np\nmine = 1\nnumbers.append(3)")
        assert await runner.overwritten() == Overwritten(), "nothing of theirs was bound anew"
        assert set(runner.theirs or ()) == {
            *("np", "pd", "frame", "numbers", "text", "count", "function"),
        }
        await run(runner, "mine = 2\nframe = frame.copy()\nnumbers = [9]\ndel text\ncount = 12345")
        told = await runner.overwritten()
        assert (set(told.rebound), set(told.deleted)) == ({"frame", "numbers"}, {"text"})
        await run(runner, "def function(): return 2")
        assert set((await runner.overwritten()).rebound) == {"frame", "numbers", "function"}


async def test_n2_what_the_person_does_meanwhile_is_their_own(
    runner: KernelRunner, tmp_path: Path
) -> None:
    async with person_at(runner) as person:
        await person.run("a, b, c, d = [1], [2], [3], [4]")
        await run(runner, "mine = 1\na = [0]")
        await person.run("b = [0]; a = [5]; del d; mine = 7")
        assert await runner.overwritten() == Overwritten(("a",), ())
        await run(runner, "mine = 2\nb.append(1)")
        assert await runner.overwritten() == Overwritten(("a",), ())
        release = tmp_path / "go"
        wait = f"while not pathlib.Path({str(release)!r}).exists(): time.sleep(0.02)"
        await person.run("import pathlib, time")
        person.begin(f"c = [9]\nbound = True\n{wait}")
        async with asyncio.timeout(30):
            while not await runner.present(["bound"]):  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.02)
        assert await runner.overwritten() == Overwritten(("a",), ())
        release.touch()
        await run(runner, "c = [0]")
        assert await runner.overwritten() == Overwritten(("a", "c"), ())


async def test_n2_a_value_is_not_kept_alive_and_its_place_may_be_taken(
    runner: KernelRunner,
) -> None:
    look = "import gc, weakref; gc.collect(); print(watched() is None, watched_none)"
    async with person_at(runner) as person:
        await person.run(
            "import weakref\nclass Big: pass\nbig, watched_none = Big(), None\n"
            "watched = weakref.ref(big)"
        )
        await run(runner, "mine = 1")
        assert await run(runner, "big = None", look) == "True None\n"
        assert (await runner.overwritten()).rebound == ("big",)


async def test_n2_after_restarts_nothing_is_told_falsely(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run("theirs = [1]")
    await run(runner, "mine = [1]")
    # Another process takes the run up in the same kernel.
    again = KernelRunner(runner.source)
    again.belong("run-1", None)
    await run(again, "mine = [2]")
    assert await again.overwritten() == Overwritten()
    await run(again, "theirs = [2]")
    assert await again.overwritten() == Overwritten(("theirs",), ())
    known = again.theirs
    assert known == ["theirs"]
    kernel = await runner.source.find()
    assert kernel is not None
    await kernel.manager.restart_kernel(now=True)
    # And another one in a kernel where the person has run everything above.
    third = KernelRunner(runner.source)
    third.belong("run-1", known)
    await third.start()
    async with person_at(third) as person:
        await person.run("theirs, mine = [1], [1]")
    await run(third, "mine = [2]")
    assert await third.overwritten() == Overwritten()
    await run(third, "theirs = [2]")
    assert await third.overwritten() == Overwritten(("theirs",), ())


async def test_n2_names_are_known_also_where_the_kernel_was_busy(
    runner: KernelRunner, tmp_path: Path
) -> None:
    release = tmp_path / "go"
    async with person_at(runner) as person:
        person.begin(
            "import pathlib, time\n"
            f"while not pathlib.Path({str(release)!r}).exists(): time.sleep(0.02)\nlate = [1]"
        )
        ours = asyncio.create_task(run(runner, "late = [2]"))
        await asyncio.sleep(0.2)
        release.touch()
        await ours
    assert await runner.overwritten() == Overwritten(("late",), ())


async def test_promotion_takes_no_name_of_the_persons(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run("df, other = [1], [2]")
        await run(runner, "tmp = [3]")
        with pytest.raises(KernelError, match="'df' was there before the run began"):
            await runner.promote("tmp", "df")
        await run(runner, "del df")
        with pytest.raises(KernelError, match="use another name"):
            await runner.promote("tmp", "df")
        with pytest.raises(KernelError, match="'other' was there before the run began"):
            await runner.promote("other", "mine")
        await runner.promote("tmp", "result")
        await person.run("result = 'theirs now'")
        await run(runner, "tmp = [4]")
        with pytest.raises(KernelError, match="'result' exists already"):
            await runner.promote("tmp", "result")
    values = (await runner.variables()).values
    assert values == {"other": [2], "tmp": [4], "result": "theirs now"}


async def test_promotion_before_the_first_cell_knows_the_names(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run("df = [1]")
    with pytest.raises(KernelError, match="'df' was there before the run began"):
        await runner.promote("df", "result")


# -- at rest ----------------------------------------------------------------------------------


async def test_n2_settings_are_put_back_when_the_run_rests(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run("import matplotlib, pandas\nmatplotlib.rcParams['axes.titlesize'] = 33")
        await person.run("pandas.set_option('display.precision', 1)")
        before = json.loads(await person.run(SETTINGS))
        changed = json.loads(await run(runner, CHANGE_SETTINGS, SETTINGS))
        assert all(now != then for now, then in zip(changed, before, strict=True))
        await person.run("matplotlib.rcParams['lines.linewidth'] = 4")
        await runner.leave([])
        assert await person.run("print(matplotlib.rcParams['lines.linewidth'])") == "4.0\n"
        await person.run("matplotlib.rcParams['lines.linewidth'] = 1.5")
        assert json.loads(await person.run(SETTINGS)) == before
        # What the person sets while it rests is theirs when it goes on.
        await person.run("pandas.set_option('display.max_rows', 4)")
        await run(runner, "pandas.set_option('display.max_rows', 5)")
        await runner.leave([])
        assert await person.run("print(pandas.get_option('display.max_rows'))") == "4\n"


async def test_n2_no_library_is_imported_to_put_settings_back(runner: KernelRunner) -> None:
    await run(runner, "pass")
    await runner.leave([])
    look = "import sys; print([m for m in ('matplotlib', 'pandas', 'numpy') if m in sys.modules])"
    assert await run(runner, look) == "[]\n"


async def test_b10_temporaries_go_but_nothing_of_the_persons(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await person.run("had = 1")
        await run(runner, "tmp_a, tmp_b = 1, 2")
        await person.run("tmp_b = 'mine now'")
        await runner.leave(["tmp_a", "tmp_b", "had", "absent"])
    assert (await runner.variables()).values == {"had": 1, "tmp_b": "mine now"}


# -- displays ---------------------------------------------------------------------------------


async def test_c3_a_runs_update_does_not_reach_a_display_of_the_persons(
    runner: KernelRunner,
) -> None:
    async with person_at(runner) as person:
        await run(runner, "display(0, display_id='x')")
        assert await person.heard(1) == [("display_data", "run-1/x")]
        await person.run("theirs = display(1, display_id=True)\ndisplay(1, display_id='x')")
        assert person.display_ids[1] == "x"
        code = "from IPython.display import update_display\nupdate_display(2, display_id='x')"
        await run(runner, f"{code}\ntheirs.update(2)")
        heard = await person.heard(2)
        assert heard[0] == ("update_display_data", "run-1/x")
        assert heard[1][1] not in person.display_ids
        await person.run(code)
        assert person.display_ids[2:] == ["x"]


async def test_c3_another_run_does_not_reach_them_either(runner: KernelRunner) -> None:
    second = KernelRunner(runner.source)
    second.belong("run-2", None)
    async with person_at(runner) as person:
        await run(runner, "h = display(0, display_id=True); display(0, display_id='x')")
        ours = {display_id for _, display_id in await person.heard(2)}
        await run(second, "h.update(1); display(1, display_id='x')")
        assert not ours & {display_id for _, display_id in await person.heard(2)}


async def test_c3_a_handle_works_from_later_cells_and_in_the_persons_hands(
    runner: KernelRunner,
) -> None:
    notebook = Notebook()
    async with person_at(runner) as person:
        await notebook.run(runner, "handle = display('old', display_id=True)", "first")
        [(_, shown)] = await person.heard(1)
        assert shown.startswith("run-1/")
        await notebook.run(runner, "handle.update('new')", "second")
        assert notebook.cells["first"][0]["data"] == {"text/plain": "'new'"}
        assert await person.heard(1) == [("update_display_data", shown)]
        await person.run("handle.update('mine')")
        assert person.display_ids == [shown]


async def test_c3_displays_of_a_thread_carry_the_run_too(runner: KernelRunner) -> None:
    async with person_at(runner) as person:
        await run(
            runner,
            "import threading\nthread = threading.Thread(target=lambda: display(0, display_id='t'))"
            "\nthread.start(); thread.join()",
        )
        assert await person.heard(1) == [("display_data", "run-1/t")]
