"""N2: what the person has in the kernel is told where a run takes it, and left as it was."""

from __future__ import annotations

from contextlib import asynccontextmanager

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.protocol.browser.facts import CellRunning
from tests.engine.harness import lab
from tests.engine.sent import CONTINUE, completed, context
from tests.support.person import person_at
from tests.support.planner_answers import CUT, RUN, Stream, add, say


@asynccontextmanager
async def lab_beside_a_person(folder, *stages, **settings):
    """A run that has not begun, in a kernel where somebody works."""
    async with lab(folder, *stages, **settings) as room:
        runner = room.run.world.runner
        assert isinstance(runner, KernelRunner)
        await runner.start()
        async with person_at(runner) as person:
            yield room, person


def promotion(name, artifact):
    return {"action": "promote_artifact", "variable_name": name, "artifact_id": artifact}


def declared(*names, **fields):
    return {"context_update": {"outputs": {"in_progress": list(names)}}, **fields}


async def test_n2_a_name_that_a_run_takes_is_reported_once(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("df, other, gone = [1], [2], [3]")
        behavior = [add("df = [9]\nown = 1\nglobals().pop('gone', None)"), RUN]
        room.planner.step("read", behaviors=[behavior, behavior, [say("x")]])
        await completed(room)
        told = [
            "names that were in the kernel before the run have new values now: df",
            "names that were in the kernel before the run were deleted by it: gone",
        ]
        assert [text for text in room.warnings() if "before the run" in text] == told
        assert room.run.view().overwritten.model_dump() == {"rebound": ["df"], "deleted": ["gone"]}
        effects = context(room.planner.requests[-1])["effects"]["current"]
        assert {f"⚠️ WARN: {text}" for text in told} <= set(effects)


async def test_n2_what_a_failed_behavior_took_is_reported_too(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("df = [1]")
        room.planner.step("read", behaviors=[[add("df = [2]\n1/0"), RUN]])
        await room.go()
        assert room.run.status == "failed"
        assert room.run.view().overwritten.rebound == ["df"]


async def test_n2_the_names_the_person_had_are_remembered_over_a_restart(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("df = [1]")
        room.planner.step("read", behaviors=[[add("own = 1"), RUN]])
        await completed(room)
        assert fold(await room.run.world.store.facts("run-1")).theirs == ("df",)


async def test_n2_settings_are_put_back_however_the_run_ends(tmp_path):
    change = "import pandas\npandas.set_option('display.max_rows', 3)"
    look = "print(pandas.get_option('display.max_rows'))"
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("import pandas")
        room.planner.step("read", behaviors=[[add(f"{change}\n1/0"), RUN]])
        await room.go()
        assert room.run.status == "failed"
        assert await person.run(look) == "60\n"
        room.planner.step("read", behaviors=[[add(change), RUN, add("x = input()"), RUN]])
        await room.command("retry")
        await room.to_rest()
        assert await person.run(look) == "60\n"
        hang = f"{change}\nwhile True: print('on', flush=True); __import__('time').sleep(0.1)"
        room.planner.step("read", behaviors=[[add(hang), RUN]])
        shown = len(room.events.of(CellRunning))
        await room.command("retry")
        await room.events.until(lambda: len(room.events.of(CellRunning)) > shown)
        await room.command("cancel")
        assert room.run.status == "cancelled"
        assert await person.run(look) == "60\n"


async def test_n2_settings_are_the_persons_again_when_a_run_is_done(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("import warnings; before = list(warnings.filters)")
        code = "import warnings; warnings.filterwarnings('ignore')"
        room.planner.step("read", behaviors=[[add(code), RUN]])
        await completed(room)
        assert await person.run("print(warnings.filters == before)") == "True\n"


async def test_promotion_to_a_name_of_the_persons_fails_the_action(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("df_1 = 'theirs'")
        cells = [add("tmp = 1\ndel df_1"), RUN, promotion("tmp", "df@1")]
        room.planner.step("read", behaviors=[cells])
        await room.go()
        assert room.run.status == "failed"
        error = room.run.view().error
        assert error is not None
        assert "'df_1' was there before the run began: use another name" in error.message


async def test_promotion_by_an_answer_leaves_the_persons_name_alone(tmp_path):
    answer = {
        "targetAchieved": True,
        "context_update": {
            "outputs": {"promote": [{"variable_name": "tmp", "artifact_id": "df@1"}]}
        },
    }
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("df_1 = 'theirs'")
        room.planner.step("read", behaviors=[[add("tmp = df_1"), RUN]])
        room.planner.on("planning", answer, is_feedback=True)
        await completed(room)
        assert await person.run("print(df_1, tmp)") == "theirs theirs\n"
        [text] = [text for text in room.warnings() if "was not promoted" in text]
        assert "'df_1' was there before the run began: use another name" in text


async def names_left(person):
    return await person.run("print(*sorted(n for n in globals() if n.startswith('tmp')))")


async def test_b10_temporaries_go_when_the_run_is_cancelled(tmp_path):
    async with lab_beside_a_person(tmp_path) as (room, person):
        await person.run("tmp_theirs = 1")
        answer = declared("tmp_a", "tmp_kept", "tmp_theirs", targetAchieved=False)
        room.planner.on("planning", answer, state="STEP_RUNNING")
        code = "tmp_a, tmp_kept, tmp_undeclared, tmp_theirs = 1, 2, 3, 4"
        room.planner.step("read", behaviors=[[add(code), RUN, promotion("tmp_kept", "tmp_ok@1")]])
        room.planner.on("planning", {**CONTINUE, **declared("tmp_b")}, is_feedback=True)
        wait = "while True: print('on', flush=True); __import__('time').sleep(0.1)"
        lines = [{"action": add(f"tmp_b = 1\n{wait}")}, {"action": RUN}]
        room.planner.on("generating", Stream(*lines), iteration=2)
        room.run.start()
        await room.events.until(lambda: len(room.events.of(CellRunning)) == 2)
        await room.command("cancel")
        assert await names_left(person) == "tmp_ok_1 tmp_theirs tmp_undeclared\n"


async def test_b10_on_error_those_of_the_failed_behavior_go(tmp_path):
    """A retry does that behavior again, and needs what the one before it made."""
    async with lab_beside_a_person(tmp_path) as (room, person):
        answer = declared("tmp_a", targetAchieved=False)
        room.planner.on("planning", answer, state="STEP_RUNNING")
        behaviors = [[add("tmp_a = 1"), RUN], [add("tmp_b = tmp_a\n1/0"), RUN]]
        room.planner.step("read", behaviors=behaviors)
        again = {**CONTINUE, **declared("tmp_a", "tmp_b")}
        room.planner.on("planning", again, is_feedback=True)
        await room.go()
        assert room.run.status == "failed"
        assert await names_left(person) == "tmp_a\n"
        await room.command("reset")
        assert await names_left(person) == "\n"


async def test_b10_a_run_that_goes_on_behind_what_was_done_keeps_them(tmp_path):
    """The planner failed; its lines that were run are not run again."""
    async with lab_beside_a_person(tmp_path) as (room, person):
        answer = declared("tmp_a", targetAchieved=False)
        room.planner.on("planning", answer, state="STEP_RUNNING")
        lines = [{"action": add("tmp_a = 1")}, {"action": RUN}]
        room.planner.on("generating", Stream(*lines, CUT), times=1)
        await room.go()
        assert room.run.status == "failed"
        assert await names_left(person) == "tmp_a\n"
