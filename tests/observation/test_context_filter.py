"""O11: what a planner asked to see, and nothing of what it asked to leave out."""

from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.observation.context_filter import apply_filter
from notebook_bcc_ext.protocol.planner.calls import ContextFilter
from notebook_bcc_ext.protocol.planner.observation import Observation


def observation(variables=None, current=(), history=()):
    level = {"completed": ["done"], "current": "now", "remaining": ["next"]}
    return Observation.parse(
        {
            "location": {
                "current": {"stage_id": "a", "step_id": "s"},
                "progress": {
                    "stages": {**level, "focus": "stage focus"},
                    "steps": {**level, "focus": "step focus"},
                    "behaviors": {
                        **level,
                        "focus": "behavior focus",
                        "iteration": 1,
                        "current_outputs": {"expected": ["kept"]},
                    },
                },
                "goals": {"stage": "g"},
            },
            "context": {
                "variables": variables or {},
                "effects": {"current": list(current), "history": list(history)},
            },
        }
    )


def filtered(wanted, *, summaries=None, **parts):
    return apply_filter(observation(**parts), ContextFilter.parse(wanted), summaries or {})


def texts(result):
    return [warning.text for warning in result.warnings]


def test_only_the_variables_that_were_asked_for():
    result = filtered(
        {"variables_to_include": ["df", "n"]}, variables={"df": "DataFrame", "n": 3, "x": 1}
    )
    assert result.observation.context.variables == {"df": "DataFrame", "n": 3}
    assert result.warnings == []


def test_a_missing_variable_is_a_warning_in_the_effects():
    result = filtered({"variables_to_include": ["gone"]}, current=["printed"])
    assert result.observation.context.variables == {}
    assert texts(result) == ["Variable 'gone' requested but not found in context"]
    assert result.observation.context.effects.current == [
        "printed",
        "⚠️ WARN: Variable 'gone' requested but not found in context",
    ]


def test_a_missing_variable_with_a_strategy_is_summarised_by_the_kernel():
    result = filtered(
        {"variables_to_include": ["big"], "variables_to_summarize": {"big": "shape_only"}},
        summaries={"big": "(3, 4)"},
    )
    assert result.observation.context.variables == {"big": "(3, 4)"}
    assert len(result.warnings) == 1


def test_b8_a_summary_wins_where_the_name_is_in_both_lists():
    result = filtered(
        {
            "variables_to_include": ["rows", "table", "odd", "n"],
            "variables_to_summarize": {
                "rows": "last_2_only",
                "table": "shape_only",
                "odd": "in_full",
            },
        },
        variables={"rows": [1, 2, 3], "table": "DataFrame(3×4)", "odd": 5, "n": 1},
        summaries={"table": "(3, 4)", "odd": "int"},
    )
    told = result.observation.context.variables
    assert told == {"rows": [2, 3], "table": "(3, 4)", "odd": 5, "n": 1}
    assert texts(result) == ["unknown summary 'in_full' for variable 'odd'"]


def test_b8_what_is_in_both_lists_and_nowhere_else_is_said_once():
    result = filtered(
        {"variables_to_include": ["gone"], "variables_to_summarize": {"gone": "shape_only"}}
    )
    assert texts(result) == ["Variable 'gone' requested but not found in context"]


def test_summaries_of_the_kernel_and_of_the_planners_own_variables():
    result = filtered(
        {
            "variables_to_summarize": {
                "m": "shape_only",
                "log": "last_2_only",
                "h": "head_only",
                "d": "describe_only",
                "s": "shape_only",
            }
        },
        variables={
            "m": "ndarray",
            "log": [1, 2, 3],
            "h": list(range(9)),
            "d": [1, 2, 3],
            "s": {"a": 1},
            "rest": 5,
        },
        summaries={"m": "ndarray(3, 4) float64"},
    )
    assert result.observation.context.variables == {
        "rest": 5,
        "m": "ndarray(3, 4) float64",
        "log": [2, 3],
        "h": [0, 1, 2, 3, 4],
        "d": {"count": 3, "mean": 2.0, "min": 1, "max": 3},
        "s": "dict(1)",
    }


def test_an_unknown_strategy_or_name_is_a_warning():
    result = filtered(
        {"variables_to_summarize": {"a": "in_full", "b": "shape_only"}}, variables={"a": 1}
    )
    assert result.observation.context.variables == {}
    assert texts(result) == [
        "unknown summary 'in_full' for variable 'a'",
        "Variable 'b' to be summarised but not found in context",
    ]


def test_effects_limits_keep_the_latest():
    config = {"current_limit": 2, "include_history": False, "history_limit": 0}
    result = filtered({"effects_config": config}, current=["1", "2", "3"], history=["old"])
    effects = result.observation.context.effects
    assert (effects.current, effects.history) == (["2", "3"], [])


def test_effects_patterns():
    config = {"patterns": {"include": ["^✓", "^Error"], "exclude": ["secret"]}}
    result = filtered(
        {"effects_config": config},
        current=["✓ a", "DEBUG b", "Error c", "✓ secret"],
        history=["x", "✓ y"],
    )
    effects = result.observation.context.effects
    assert (effects.current, effects.history) == (["✓ a", "Error c"], ["✓ y"])


def test_a_bad_or_catastrophic_pattern_is_a_warning_and_no_hang():
    config = {"patterns": {"include": ["(", "(a+)+$", "b$"], "exclude": ["x" * 600]}}
    result = filtered({"effects_config": config}, current=["a" * 4000 + "b"])
    assert result.observation.context.effects.current == ["a" * 4000 + "b"]
    assert len(result.warnings) == 3
    assert any("takes too long" in warning for warning in texts(result))
    assert any("not a regular expression" in warning for warning in texts(result))
    assert any("longer than 500" in warning for warning in texts(result))


def test_focus_levels_and_expected_outputs():
    result = filtered(
        {
            "focus_to_include": ["behaviors"],
            "outputs_tracking": {
                "expected_variables": ["df_working"],
                "validation_required": ["ok"],
            },
        }
    )
    wire = result.observation.to_wire()
    assert wire["location"]["progress"] == {
        "behaviors": {
            "current": "now",
            "focus": "behavior focus",
            "current_outputs": {"expected": ["kept", "df_working"], "validation_required": ["ok"]},
        }
    }
    assert wire["location"]["current"] == {"stage_id": "a", "step_id": "s"}


NAMES = st.sampled_from(["a", "b", "c", "d"])
TEXTS = st.lists(st.text(alphabet="abx!", max_size=6), max_size=6)


@given(
    st.dictionaries(NAMES, st.integers(), max_size=4),
    st.lists(NAMES, max_size=4),
    st.dictionaries(NAMES, st.sampled_from(["shape_only", "last_1_only", "?"]), max_size=3),
    TEXTS,
    TEXTS,
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
    st.lists(st.sampled_from(["stages", "steps", "behaviors"]), max_size=3),
)
def test_nothing_gets_through_that_was_left_out(
    variables, include, summarize, current, history, with_current, with_history, limit, levels
):
    result = filtered(
        {
            "variables_to_include": include,
            "variables_to_summarize": summarize,
            "effects_config": {
                "include_current": with_current,
                "current_limit": limit,
                "include_history": with_history,
                "history_limit": limit,
                "patterns": {"exclude": ["x"]},
            },
            "focus_to_include": levels,
        },
        variables=variables,
        current=current,
        history=history,
    )
    context = result.observation.context
    assert set(context.variables) <= {*include, *summarize}
    for name, value in context.variables.items():
        assert name in summarize or value == variables[name]
    assert len(context.effects.current) <= (limit if with_current else 0)
    assert len(context.effects.history) <= (limit if with_history else 0)
    assert not any("x" in text for text in [*context.effects.current, *context.effects.history])
    assert set(result.observation.to_wire()["location"]["progress"]) == set(levels)
