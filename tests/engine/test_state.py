"""A run is a fold of facts: pure, the same however the facts are cut, stored and summed up, and
nothing else changes a run."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import notebook_bcc_ext
from notebook_bcc_ext.actions.context import ThinkingState
from notebook_bcc_ext.engine import state as of_runs
from notebook_bcc_ext.engine.fold import apply, fold, state_at
from notebook_bcc_ext.engine.state import STATES, RunState
from notebook_bcc_ext.observation.effects import Effect, EffectsState
from notebook_bcc_ext.observation.outputs import LevelOutputs, OutputsState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.facts import FACTS, Fact, Summed
from notebook_bcc_ext.protocol.browser.runs import Pending
from notebook_bcc_ext.protocol.plain import model_text, plain
from tests.engine.lives import Life, some_lives

KINDS = get_args(get_args(Fact)[0])
WITHOUT_EFFECT = {happened.Commanded}
"""Kept for people who look at how a run went."""


@st.composite
def lives(draw: Any) -> list[Any]:
    life = Life(lambda options: draw(st.sampled_from(options)))
    for _ in range(draw(st.integers(1, 25))):
        life.go()
    return life.facts


def stored(facts: list[Any]) -> list[Any]:
    return [FACTS.validate_json(model_text(fact, by_alias=True)) for fact in facts]


def summed(state: RunState) -> Summed:
    whole = plain(STATES.dump_python(state, mode="json"))
    read = FACTS.validate_json(
        model_text(Summed(state=whole, time=state.changed_at), by_alias=True)
    )
    assert isinstance(read, Summed)
    return read


# -- (1) every fact counts ------------------------------------------------------------------------


def test_every_kind_of_fact_has_an_effect_or_is_known_to_have_none():
    seen, changing = set(), set()
    for facts in some_lives():
        state = RunState()
        for fact in facts:
            after = apply(state, fact)
            seen.add(type(fact))
            # More than the count and the time of facts.
            same = dataclasses.replace(after, facts=state.facts, changed_at=state.changed_at)
            if same != state:
                changing.add(type(fact))
            state = after
    # A sum has its own tests: it is no part of a run, but stands for one.
    assert seen == set(KINDS) - {Summed}
    assert seen - changing == WITHOUT_EFFECT


def test_every_kind_of_fact_is_told_apart_by_its_name():
    names = [kind.model_fields["kind"].default for kind in KINDS]
    assert len(set(names)) == len(names) == len(KINDS)


# -- (2) however they are cut, stored and summed up ------------------------------------------------


@settings(max_examples=60)
@given(lives(), st.data())
def test_facts_give_the_same_state_however_they_are_cut(facts, data):
    cut = data.draw(st.integers(0, len(facts)))
    whole = fold(facts)
    assert whole == fold(facts[cut:], fold(facts[:cut]))
    assert whole.facts == len(facts)


@settings(max_examples=60)
@given(lives())
def test_facts_give_the_same_state_after_they_were_text(facts):
    assert fold(stored(facts)) == fold(facts)


@settings(max_examples=60)
@given(lives(), st.data())
def test_a_sum_stands_for_all_facts_before_it(facts, data):
    cut = data.draw(st.integers(1, len(facts)))
    assert fold([summed(fold(facts[:cut])), *facts[cut:]]) == fold(facts)


@settings(max_examples=30)
@given(lives())
def test_a_fact_changes_nothing_of_what_was(facts):
    """Values, so that whoever holds an earlier state still has it."""
    states, texts = [], []
    state = RunState()
    for fact in facts:
        states.append(state)
        texts.append(STATES.dump_json(state))
        state = apply(state, fact)
    assert [STATES.dump_json(one) for one in states] == texts


# -- (3) how it stood ------------------------------------------------------------------------------


@settings(max_examples=20)
@given(lives())
def test_the_state_before_any_fact_can_be_had(facts):
    state = RunState()
    for number, fact in enumerate(facts, start=1):
        assert state_at(facts, number) == state
        state = apply(state, fact)
    assert state_at(facts, len(facts) + 1) == state


# -- (4) nobody else changes it --------------------------------------------------------------------

PARTS = {"state", "progress", "outputs", "effects", "sections", "tally", "counts"}
"""What the parts of a state are called where they are passed around."""
VALUES: list[Any] = [
    RunState(),
    ProgressState(),
    OutputsState(),
    LevelOutputs(),
    EffectsState(),
    Effect("text"),
    SectionsState(),
    ThinkingState("c", None, ""),
    of_runs.Rest(),
    of_runs.Jump(),
    of_runs.KeptVerdict("step", achieved=True),
    of_runs.BehaviorTally(),
    of_runs.UnderWay(1, "action-1", "add", "add"),
    of_runs.Question(Pending(id="q", kind="code", summary="?", content={}, asked_at="2026")),
    of_runs.Attempt(0, 1),
    of_runs.BehaviorStart(),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_state_is_a_value(value):
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


def test_all_parts_of_a_state_are_known_here():
    made = {type(value) for value in VALUES}
    found = {
        member
        for member in vars(of_runs).values()
        if dataclasses.is_dataclass(member) and member.__module__ == of_runs.__name__
    }
    assert found <= made


def test_facts_are_values():
    for kind in KINDS:
        assert kind.model_config.get("frozen"), kind


def test_no_collection_of_a_state_can_be_changed_by_mistake():
    """Lists and dicts have no place among its fields: a dict is held as a Mapping."""
    for value in VALUES:
        for field in dataclasses.fields(value):
            words = str(field.type)
            assert not words.startswith(("list[", "dict[", "set[")), (type(value), field.name)


def test_only_the_ledger_gives_a_run_another_state():
    package = Path(notebook_bcc_ext.__file__).parent
    templates = package / "planners" / "playbooks"
    found = [
        f"{file.relative_to(package)}: {one}"
        for file in package.rglob("*.py")
        if templates not in file.parents
        for one in assigned(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found
    # An error tells in which state an event was refused.
    assert set(found) == {"engine/ledger.py: self.state", "errors.py: self.state"}


def assigned(tree: ast.AST) -> list[str]:
    """What is assigned to the state of a run, or to a field, a key or a part of one.

    A run's state is reached as `….state` of a ledger, a world or a run; its parts go by their names
    (`state.progress`), wherever they are passed to.
    """
    names = {field.name for value in VALUES for field in dataclasses.fields(value)}
    found = []
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            found += [ast.unparse(part) for part in parts if _is_of_a_run(part, names)]
    return found


def _is_of_a_run(target: ast.expr, names: set[str]) -> bool:
    while isinstance(target, ast.Subscript):
        target = target.value
    if not isinstance(target, ast.Attribute):
        return False
    *way, last = ast.unparse(target).split(".")
    if last == "state":
        return way[-1] in ("self", "ledger", "_ledger", "world", "_world", "run")
    return last in names and bool(PARTS & set(way))


def test_the_search_for_assignments_finds_them():
    code = """
self.state = self._world.ledger.state = x
world.state.progress = progress.focus["steps"] = x
state.tally.executed += 1
del self.state.variables["a"]
one, world.state.error = x
fine = world.state
self._state = self.progress = other
"""
    assert assigned(ast.parse(code)) == [
        "self.state",
        "self._world.ledger.state",
        "world.state.progress",
        "progress.focus['steps']",
        "state.tally.executed",
        "self.state.variables['a']",
        "world.state.error",
    ]
