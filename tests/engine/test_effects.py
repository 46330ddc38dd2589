"""O2, O4-O6: effects that the next generating call can see, told by cell, and read as a person
does; findings that come back; a kernel that cannot be read."""

import asyncio

from tests.engine.harness import lab
from tests.engine.sent import CONTINUE, PLAN, completed, context, feedbacks, progress
from tests.support.planner_answers import RUN, add, say

SEED_FILTER = {
    "effects_config": {
        "include_current": True,
        "current_limit": 3,
        "include_history": False,
        "history_limit": 0,
    }
}


async def test_b9_o5_what_a_behavior_printed_is_current_until_the_next_one_prints(tmp_path):
    behaviors = [[add("print('one')"), RUN], [say("nothing printed")], [add("print('two')"), RUN]]
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=behaviors)
        room.planner.on("planning", {**CONTINUE, "context_filter": SEED_FILTER}, is_feedback=True)
        await completed(room)
        told = [context(seen)["effects"] for seen in room.planner.seen("/generating")]
        assert [effects["current"] for effects in told] == [[], ["one"], ["one"]]
        after = [context(seen)["effects"] for seen in feedbacks(room)]
        assert [effects["current"] for effects in after] == [["one"], ["one"], ["two"]]
        assert [effects["history"] for effects in after] == [[], [], ["one"]]


async def test_b9_o5_an_entry_can_be_told_by_its_cell(tmp_path):
    async with lab(tmp_path) as room:
        room.planner.step(
            "read",
            behaviors=[
                [add("print('one')"), RUN, add("1/0"), {**RUN, "auto_debug": True}],
                [add("print('two')"), RUN],
            ],
        )
        room.planner.on("planning", CONTINUE, is_feedback=True)
        await completed(room)
        one, broken, two = (cell.id for cell in await room.cells())
        first, second = (context(seen)["effects"] for seen in feedbacks(room))
        assert first["current"] == ["one", "ZeroDivisionError: division by zero"]
        assert first["cells"] == {"current": [one, broken], "history": []}
        assert second["cells"] == {"current": [two], "history": [one, broken]}


async def test_b9_o5_a_warning_leaves_when_what_it_warned_of_is_settled(tmp_path):
    asks = {"variables_to_include": ["late"]}
    late = "Variable 'late' requested but not found in context"
    expects = {
        "targetAchieved": False,
        "context_update": {"outputs": {"expected": ["late"]}},
        "context_filter": asks,
    }
    async with lab(tmp_path) as room:
        room.planner.step(
            "read",
            behaviors=[
                [{"action": "nonsense"}, add("print('a')"), RUN],
                [add("late = 1\nprint('b')"), RUN],
                [add("print('c')"), RUN],
            ],
        )
        room.planner.on("planning", expects, state="STEP_RUNNING")
        room.planner.on("planning", {**CONTINUE, "context_filter": asks}, is_feedback=True)
        await completed(room)
        first, second, third = (
            "\n".join(context(s)["effects"]["current"]) for s in feedbacks(room)
        )
        assert "'late' was expected of this behavior" in first
        assert "nonsense" in first
        asked = room.planner.seen("/generating")
        assert late in "\n".join(context(asked[1])["effects"]["current"])
        assert "late" not in second, "it is there now"
        assert "nonsense" not in second, "it was of the behavior before"
        assert "WARN" not in third
        everything = str([context(seen)["effects"]["history"] for seen in room.planner.requests])
        assert "WARN" not in everything


async def test_b9_o5_the_text_of_an_output_is_what_a_person_reads(tmp_path):
    code = """
from IPython.display import HTML, JSON, Latex, Markdown, display
display(Markdown("**2 of 3** rows"))
display(JSON({"rows": 3}))
display(HTML("<style>td {color: red}</style><table><tr><th>name</th><th>n</th></tr>"
             "<tr><td>A &amp; B</td><td>12</td></tr></table>"))
display(HTML("<b>bold</b> word<script>alert(1)</script>"))
display(Latex("$x^2$"))
print("\\x1b[31mred\\x1b[0m")
"""
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add(code), RUN]])
        await completed(room)
        [told] = (context(seen) for seen in feedbacks(room))
        assert told["effects"]["current"] == [
            '**2 of 3** rows\n{"rows": 3}\nname   n\nA & B  12\nbold word\n$x^2$\nred'
        ]
        assert all(b" object>" not in seen.raw for seen in room.planner.requests)


async def test_o6_the_last_output_is_left_out_where_it_repeats_effects(tmp_path):
    quiet = {**RUN, "need_output": False}
    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add("print(1)"), RUN], [add("print(2)"), quiet]])
        await completed(room)
        first, second = (context(seen) for seen in feedbacks(room))
        assert first["effects"]["current"] == ["1"]
        assert "last_output" not in first["notebook"]
        assert second["notebook"]["last_output"] == "2"


async def test_b9_o2_findings_and_artifacts_of_the_planner_come_back(tmp_path):
    artifact = {
        "artifact_id": "df@loading",
        "variable_name": "df",
        "description": "joined",
    }
    found = {"produced": ["df"], "findings": "19 columns have gaps", "artifacts": [artifact]}
    of_stage = {"level": "stages", "key_findings": ["1460 rows"]}
    async with lab(tmp_path, PLAN) as room:
        room.planner.step("read", behaviors=[[add("df = 1"), RUN], [say("x")]])
        room.planner.step("check", behaviors=[[say("y")]])
        room.planner.on(
            "planning", {**CONTINUE, "context_update": {"outputs": found}}, is_feedback=True
        )
        room.planner.on(
            "planning",
            {"targetAchieved": False, "context_update": {"outputs": of_stage}},
            step="check",
            state="STEP_RUNNING",
        )
        await completed(room)
        second = room.planner.seen("/generating")[1]
        [behavior] = progress(second)["behaviors"]["completed"]
        assert behavior["outputs_produced"] == {
            "variables": ["df"],
            "artifacts": [artifact],
            "findings": "19 columns have gaps",
        }
        in_check = room.planner.seen("/generating")[2]
        [read] = progress(in_check)["steps"]["completed"]
        assert read["outputs_produced"]["findings"] == "19 columns have gaps"
        assert progress(in_check)["stages"]["current_outputs"]["key_findings"] == ["1460 rows"]
        load = progress(room.planner.requests[-1])["stages"]["completed"][0]["outputs_produced"]
        assert (load["findings"], load["key_findings"]) == ("19 columns have gaps", ["1460 rows"])
        assert [one["artifact_id"] for one in load["artifacts"]] == ["df@loading"]


async def test_b8_a_busy_kernel_is_a_warning_until_its_variables_are_read_again(tmp_path):
    # A thread that keeps the interpreter to itself: not even the control channel is answered.
    holds = "import ctypes, threading\nx = 1\n"
    holds += "threading.Timer(0.5, lambda: ctypes.PyDLL(None).sleep(4)).start()"

    async def when_it_is_over(_seen):
        await asyncio.sleep(4)
        return CONTINUE

    async with lab(tmp_path) as room:
        room.planner.step("read", behaviors=[[add(holds), RUN, 1.0, say("x")], [say("y")]])
        room.planner.on("planning", when_it_is_over, is_feedback=True)
        await completed(room)
        during = context(feedbacks(room)[0])
        assert during["effects"]["current"] == [
            "⚠️ WARN: the kernel is busy: its variables are as they were last seen"
        ]
        after = context(room.planner.seen("/generating")[1])
        assert after["variables"]["x"] == 1
        assert after["effects"]["current"] == []
