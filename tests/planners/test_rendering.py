"""E2: a value put into a playbook text stays a value."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.planners.rendering import Scope, python_literal, render_code, render_markdown

FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(JSON)
def test_e2_a_value_in_code_is_exactly_that_value(value: object) -> None:
    code = render_code("x = [{{ it }}]", Scope({"it": value}))
    assert ast.literal_eval(code.removeprefix("x = ")) == [value]


@given(st.text())
def test_e2_code_with_a_value_stays_one_statement(value: str) -> None:
    assert len(ast.parse(render_code("x = {{ it }}", Scope({"it": value}))).body) == 1


def test_e2_values_are_not_expanded_again() -> None:
    scope = Scope({"a": "{{ b }}", "b": "secret"})
    assert render_code("{{ a }}", scope) == '"{{ b }}"'
    assert "secret" not in render_markdown("{{ a }} `{{ a }}`", scope)


def test_e2_values_in_markdown_are_text() -> None:
    scope = Scope({"x": "<b>*a*\n# `b` [c](d) $e$", "name": "my_file_2.csv"})
    shown = render_markdown("see {{ x }}", scope)
    assert shown == r"see &lt;b&gt;\*a\* # \`b\` \[c\](d) \$e\$"
    assert (
        render_markdown("{{ name }} and `{{ x }}`", scope)
        == "my_file_2.csv and ``<b>*a* # `b` [c](d) $e$``"
    )
    assert render_markdown("[{{ absent }}]", scope) == "[]"


def test_e2_texts_follow_the_language_and_are_wrapped_between_fields() -> None:
    long = "word " * 20 + "{', '.join(f'{n} x' for n in names)} " + "more " * 20
    texts = {"t": {"en": "count", "zh": "数量"}, "long": {"en": long.strip()}}
    english = Scope({}, texts, "en", "plot_label")
    chinese = Scope({}, texts, "zh", "plot_label")
    assert render_code("{{ label.t }}", english) == '"count"'
    assert render_code("{{ label.t }}", chinese) == 'plot_label("数量", "count")'
    code = render_code("names = [1]\nfor _ in names:\n    print({{ f.long }})", english)
    assert max(map(len, code.splitlines())) < 100
    assert "print(\n        " in code
    ast.parse(code)


def test_e2_numbers_that_are_not_finite_have_a_literal() -> None:
    assert python_literal([float("nan"), float("-inf")]) == "[float('nan'), float('-inf')]"
