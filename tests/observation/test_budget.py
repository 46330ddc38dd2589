"""O12: the budget holds whatever is to be told, and what matters most is told first."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.bench_observation import typical_observation
from notebook_bcc_ext.observation.budget import fit, size_of
from notebook_bcc_ext.protocol.planner.observation import Observation

LIMIT = 12 * 1024
LEVELS = ("stages", "steps", "behaviors")


def observation(**parts):
    """`parts`: focus, goal, completed, remaining, expected, findings, and fields of the context."""
    level = {
        "completed": parts.pop("completed", []),
        "current": "now",
        "remaining": parts.pop("remaining", []),
        "focus": parts.pop("focus", ""),
        "current_outputs": {
            "expected": parts.pop("expected", []),
            "produced": [],
            "in_progress": [],
            **parts.pop("findings", {}),
        },
    }
    goal = parts.pop("goal", "g")
    return Observation.parse(
        {
            "location": {
                "current": {"stage_id": "a", "step_id": "s"},
                "progress": dict.fromkeys(LEVELS, level),
                "goals": {"stage": goal, "step": goal, "behavior": None},
            },
            "context": {"FSM": {"state": "STEP_RUNNING"}, **parts},
        }
    )


def fitted(limit=LIMIT, **parts):
    whole = observation(**parts)
    told = fit(whole, limit).to_wire()
    assert size_of(told) <= limit
    return told


def test_o12_what_fits_is_told_as_it_is():
    whole = typical_observation()
    assert fit(whole, LIMIT) is whole


def test_o12_the_budget_holds_and_what_was_left_out_is_counted():
    effects = {
        "current": [f"{n} " + "x" * 900 for n in range(50)],
        "history": [f"old {n}" * 200 for n in range(50)],
        "cells": {"current": [f"c{n}" for n in range(50)], "history": [None] * 50},
    }
    told = fitted(
        variables={f"v{n}": "y" * 50 for n in range(500)},
        effects=effects,
        toDoList=[f"do {n}" for n in range(20)],
    )["context"]
    assert len(told["variables"]) + told["left_out"]["variables"] == 500
    lines = told["effects"]
    assert lines["current"][-1].startswith("49 "), "the latest are kept"
    assert lines["cells"]["current"][-1] == "c49"
    assert len(lines["cells"]["current"]) == len(lines["current"])
    gone = 100 - len(lines["current"]) - len(lines["history"])
    assert told["left_out"]["effects"] == gone > 0
    assert told["toDoList"] == [f"do {n}" for n in range(20)], "others do not take its share"


def test_o12_a_goal_and_a_focus_of_any_length_leave_room_for_the_rest():
    told = fitted(
        goal="g" * 50_000,
        focus="f" * 50_000,
        variables={"df": "DataFrame(3×4)", "facts": {"rows": list(range(3000))}},
        effects={"current": ["printed"], "history": []},
    )
    assert told["location"]["goals"]["step"].startswith("gggg")
    assert "characters left out" in told["location"]["progress"]["behaviors"]["focus"]
    assert told["context"]["variables"] == {"df": "DataFrame(3×4)", "facts": "dict(1)"}
    assert told["context"]["effects"]["current"] == ["printed"]
    assert "left_out" not in told["context"], "everything was told, some of it in short"


def test_o12_completed_items_are_told_in_short_before_they_are_left_out():
    done = [
        {"step_id": f"s{n}", "goal": "g", "actions_taken": ["add: " + "x" * 60] * 10}
        for n in range(40)
    ]
    told = fitted(completed=done, remaining=["next"])["location"]["progress"]["steps"]
    assert [item["step_id"] for item in told["completed"]] == [f"s{n}" for n in range(40)]
    assert "actions_taken" in told["completed"][-1]
    assert "actions_taken" not in told["completed"][0]
    assert told["remaining"] == ["next"]


def test_o12_a_variable_that_is_to_be_produced_comes_first():
    variables = {f"v{n}": "y" * 90 for n in range(300)}
    told = fitted(variables={**variables, "df": "DataFrame"}, expected=["df"])
    assert told["context"]["variables"]["df"] == "DataFrame"


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3000),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)
TEXTS = st.lists(st.text(max_size=5000), max_size=30)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([4096, LIMIT]),
    st.text(max_size=9000),
    TEXTS,
    TEXTS,
    st.dictionaries(st.text(max_size=20), VALUES, max_size=20),
    VALUES,
)
def test_o12_it_holds_for_whatever_a_planner_and_a_kernel_say(
    limit, text, texts, others, variables, value
):
    told = fitted(
        limit,
        goal=text,
        focus=text[::-1],
        completed=[{"step_id": f"s{n}", "goal": one} for n, one in enumerate(texts)],
        remaining=others,
        expected=others,
        findings={"findings": value},
        variables=variables,
        effects={"current": texts, "history": others},
        toDoList=others,
        section_progress={"current_section_id": "x", "all": texts},
        workflow_progress=value,
        inputs=variables,
        notebook={"title": text, "last_output": text, "cells": texts, "metadata": variables},
    )
    assert told["location"]["current"] == {"stage_id": "a", "step_id": "s"}
    assert json.loads(json.dumps(told)) == told
