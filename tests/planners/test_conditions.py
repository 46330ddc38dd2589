"""E2: the condition language is small, safe, and never surprised."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.planners.conditions import (
    FUNCTIONS,
    ConditionError,
    Facts,
    parse_condition,
)

FACTS = Facts(
    variables={"facts": {"rows": 10, "name": "x", "nothing": None}, "target": "price", "l": [1, 2]},
    produced=frozenset({"model"}),
    completed=frozenset({"load"}),
    outputs=("ValueError: no", "fine"),
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("facts.rows > 5 and facts.rows <= 10", True),
        ("facts['rows'] == 10", True),
        ("1 < facts.rows < 5", False),
        ("not facts.nothing", True),
        ("facts.absent == null", True),
        ("facts.absent > 0", False),
        ("absent.deeper.still < 0", False),
        ("facts.name > 3", False),
        ("target in ['price', 'cost']", True),
        ("'ric' in target", True),
        ("'rows' in facts", True),
        ("3 not in l", True),
        ("l[0] == 1 and l[9] == null", True),
        ("defined(target) and not defined(facts.nothing)", True),
        ("len(l) == 2 and len(absent) == 0", True),
        ("produced('model') and produced('target') and not produced('other')", True),
        ("completed('load') and not completed('save')", True),
        ("output_contains('ValueError')", True),
        ("true and not false", True),
        ("facts.rows > -1", True),
        ("facts.rows == 10.0 or boom.x", True),
    ],
)
def test_e2_conditions_mean_what_they_say(condition: str, *, expected: bool) -> None:
    assert parse_condition(condition).holds(FACTS) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "a =",
        "a.b()",
        "__import__('os')",
        "open('x')",
        "len(a, b)",
        "len(x=1)",
        "a + 1",
        "2 ** 99999999",
        "a is None",
        "lambda: 1",
        "[x for x in a]",
        "f'{a}'",
        "a[b]",
        "a[1:2]",
        "{'a': 1}",
        "a := 1",
        "*a",
        "(" * 500,
        "not " * 200 + "a",
        "a" * 2000,
        "x\x00",
    ],
)
def test_e2_everything_else_is_refused_with_a_reason(condition: str) -> None:
    with pytest.raises(ConditionError):
        parse_condition(condition).holds(FACTS)


def test_e2_names_are_the_variables_that_a_condition_reads() -> None:
    condition = parse_condition("facts.rows > 0 and defined(target) or true == other['x']")
    assert condition.names == {"facts", "target", "other"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
ATOMS = st.sampled_from(
    ["a", "b", "a.b", "b['x']", "l[0]", "null", "true", "-1", "2.5", "'x'", "[a, 1]"]
)
COMPARISONS = st.sampled_from(["<", ">=", "==", "!=", "in", "not in"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner),
        st.builds("({} {} {})".format, inner, COMPARISONS, inner),
        st.builds("not {}".format, inner),
        st.builds("{}({})".format, st.sampled_from(sorted(FUNCTIONS)), inner),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS, JSON, JSON)
def test_e2_a_readable_condition_always_has_an_answer(source: str, a: object, b: object) -> None:
    try:
        condition = parse_condition(source)
    except ConditionError:
        return
    assert condition.holds(Facts({"a": a, "b": b, "l": [a]})) in (True, False)


@given(st.text(max_size=200))
def test_e2_any_text_is_answered_or_refused(source: str) -> None:
    with suppress(ConditionError):
        parse_condition(source).holds(FACTS)
