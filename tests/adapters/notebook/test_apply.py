"""Operations on a notebook: idempotent, and blind to nothing a person did."""

from __future__ import annotations

import copy

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.adapters.notebook.apply import (
    EditableNotebook,
    empty_notebook,
    log_position,
    make_current,
    replay,
    set_log_position,
    unused_id,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    ChangeOutputs,
    DeleteCell,
    InsertCell,
    LoggedOp,
    SetCellMetadata,
    SetExecution,
    SetNotebookMetadata,
    SetSource,
    SetWidgets,
)

OUR_IDS = [f"ours-{number}" for number in range(6)]
USER_IDS = [f"user-{number}" for number in range(4)]


def code_cell(cell_id, source=""):
    return {
        "id": cell_id,
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def text_cell(cell_id, source=""):
    return {"id": cell_id, "cell_type": "markdown", "metadata": {}, "source": source}


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def ids_of(notebook):
    return [cell["id"] for cell in notebook["cells"]]


def notebook_with(*cells):
    return empty_notebook({}) | {"cells": [copy.deepcopy(cell) for cell in cells]}


texts = st.text(st.characters(codec="utf-8"), max_size=5)
our_id = st.sampled_from(OUR_IDS)
operation = st.one_of(
    st.builds(
        InsertCell,
        cell=st.one_of(st.builds(code_cell, our_id, texts), st.builds(text_cell, our_id, texts)),
        after_id=st.none() | st.sampled_from(OUR_IDS + USER_IDS + ["gone"]),
    ),
    st.builds(SetSource, cell_id=our_id, source=texts),
    st.builds(
        SetCellMetadata,
        cell_id=our_id,
        metadata=st.dictionaries(st.sampled_from(["a", "b"]), st.none() | st.integers()),
    ),
    st.builds(DeleteCell, cell_id=our_id),
    st.builds(
        SetExecution,
        cell_id=our_id,
        state=st.sampled_from(["running", "idle"]),
        execution_count=st.none() | st.integers(0, 9),
    ),
    st.builds(
        ChangeOutputs,
        cell_id=our_id,
        change=st.sampled_from(["clear", "append", "extend", "replace", "set"]),
        index=st.integers(0, 3),
        text=texts,
        outputs=st.lists(st.builds(stream, texts), min_size=1, max_size=2),
    ),
    st.builds(
        SetNotebookMetadata,
        metadata=st.dictionaries(st.sampled_from(["title", "x"]), st.none() | texts),
    ),
    st.builds(
        SetWidgets,
        models=st.dictionaries(st.sampled_from("ab"), st.none() | st.just({"state": {}})),
    ),
)


def numbered(ops):
    """As the log stores them: contiguous, outputs with their revision."""
    return [
        LoggedOp(
            seq=seq,
            op=op.model_copy(update={"revision": seq}) if isinstance(op, ChangeOutputs) else op,
        )
        for seq, op in enumerate(ops, start=1)
    ]


logs = st.lists(operation, max_size=15).map(numbered)
user_notebooks = st.lists(st.sampled_from(USER_IDS), unique=True).map(
    lambda names: notebook_with(*(text_cell(name, f"text of {name}") for name in names))
)


def assert_valid(notebook):
    nbformat.validate(nbformat.from_dict(notebook))


@given(user_notebooks, logs, st.data())
def test_any_part_applied_again_changes_nothing(notebook, log, data):
    once = copy.deepcopy(notebook)
    seq = replay(once, log, 0)
    assert seq == len(log)
    assert_valid(once)

    twice = copy.deepcopy(notebook)
    cut = data.draw(st.integers(0, len(log)))
    seq = replay(twice, log[:cut], 0)
    start = data.draw(st.integers(0, cut))
    assert replay(twice, log[start:], seq) == len(log)
    assert replay(twice, log, len(log)) == len(log)
    assert twice == once


@given(user_notebooks, logs, st.data())
def test_a_person_loses_nothing_and_nothing_of_ours_is_doubled(notebook, log, data):
    cut = data.draw(st.integers(0, len(log)))
    seq = replay(notebook, log[:cut], 0)

    # The person deletes some cells, moves the others, writes a new one.
    kept = data.draw(st.permutations(notebook["cells"]))[: data.draw(st.integers(0, 10))]
    deleted = set(ids_of(notebook)) - {cell["id"] for cell in kept}
    notebook["cells"] = [*kept, text_cell("user-new", "mine")]
    before = {cell["id"]: copy.deepcopy(cell) for cell in notebook["cells"]}
    order = [name for name in ids_of(notebook) if name.startswith("user")]

    replay(notebook, log[seq:], seq)
    assert_valid(notebook)
    after = ids_of(notebook)
    assert len(after) == len(set(after))
    assert [name for name in after if name.startswith("user")] == order
    for cell in notebook["cells"]:
        if cell["id"].startswith("user"):
            assert cell == before[cell["id"]]
    inserted_later = {entry.op.cell["id"] for entry in log[seq:] if entry.op.op == "insert"}
    assert not (deleted - inserted_later) & set(after)


@given(user_notebooks, logs)
def test_the_operations_stay_as_they_were(notebook, log):
    before = [entry.model_dump_json() for entry in log]
    replay(notebook, log, 0)
    assert [entry.model_dump_json() for entry in log] == before


def test_the_same_output_step_is_taken_once():
    editable = EditableNotebook(notebook_with(code_cell("c")))
    append = ChangeOutputs(cell_id="c", change="append", outputs=[stream("x")], revision=3)
    for _ in range(2):
        editable.change(append)
    editable.change(append.model_copy(update={"revision": 2}))
    assert editable.finish()["cells"][0]["outputs"] == [stream("x")]


def test_positions():
    editable = EditableNotebook(notebook_with(text_cell("a"), text_cell("b")))
    for cell_id, after_id in [("first", None), ("mid", "a"), ("last", "gone"), ("mid2", "mid")]:
        editable.change(InsertCell(cell=text_cell(cell_id), after_id=after_id))
    assert ids_of(editable.finish()) == ["first", "a", "mid", "mid2", "b", "last"]
    editable.change(DeleteCell(cell_id="a"))
    editable.change(DeleteCell(cell_id="a"))
    editable.change(InsertCell(cell=text_cell("b", "other text"), after_id=None))
    assert ids_of(editable.finish()) == ["first", "mid", "mid2", "b", "last"]
    assert editable.cell("a") is None


def test_only_the_start_of_an_execution_brings_trust():
    untrusted = {"output_type": "display_data", "data": {"text/html": "<x>"}, "metadata": {}}
    cell = code_cell("c") | {"outputs": [untrusted]}
    editable = EditableNotebook(notebook_with(cell))
    editable.change(SetExecution(cell_id="c", state="idle", execution_count=1))
    editable.change(ChangeOutputs(cell_id="c", change="append", outputs=[stream("x")]))
    [changed] = editable.finish()["cells"]
    assert "trusted" not in changed["metadata"]
    editable.change(SetExecution(cell_id="c", state="running"))
    assert changed["metadata"]["trusted"] is True
    assert changed["outputs"] == []


def test_a_cell_that_became_text_is_not_executed():
    editable = EditableNotebook(notebook_with(text_cell("c", "now text")))
    editable.change(SetExecution(cell_id="c", state="running"))
    editable.change(ChangeOutputs(cell_id="c", change="append", outputs=[stream("x")]))
    assert_valid(editable.finish())
    assert editable.cell("c") == text_cell("c", "now text")


def test_outputs_are_stored_as_they_will_be_read():
    output = {
        "output_type": "display_data",
        "data": {"text/html": ["<b>", "x"], "application/json": ["kept", "apart"]},
        "metadata": {},
        "transient": {"display_id": "d"},
    }
    editable = EditableNotebook(notebook_with(code_cell("c")))
    editable.change(
        ChangeOutputs(cell_id="c", change="append", outputs=[output, stream(["a", "b"])])
    )
    notebook = editable.finish()
    assert_valid(notebook)
    first, second = notebook["cells"][0]["outputs"]
    assert first["data"] == {"text/html": "<b>x", "application/json": ["kept", "apart"]}
    assert second["text"] == "ab"


def test_older_notebooks_get_ids():
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": "a"},
            text_cell("twice"),
            text_cell("twice"),
        ],
    }
    assert make_current(notebook)
    assert_valid(notebook)
    assert len(set(ids_of(notebook))) == 3
    assert not make_current(notebook)


@pytest.mark.parametrize(
    "ours", [None, "text", {}, {"log_id": 1, "applied_seq": 1}, {"log_id": "x"}]
)
def test_a_notebook_without_a_sound_position_has_none(ours):
    notebook = empty_notebook({"notebook_bcc": ours})
    assert log_position(notebook) == (None, 0)
    set_log_position(notebook, "log", 3)
    assert log_position(notebook) == ("log", 3)


@given(st.text(max_size=80), st.sets(st.text(max_size=3), max_size=5))
def test_ids_are_always_valid_and_new(wanted, taken):
    cell_id = unused_id(wanted, taken.__contains__)
    assert cell_id not in taken
    assert_valid(notebook_with(text_cell(cell_id)))
