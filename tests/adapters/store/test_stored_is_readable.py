"""Everything that can be stored can be read back, whatever it is."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notebook_bcc_ext.adapters.store.database import committed
from notebook_bcc_ext.adapters.store.operation_text import (
    from_row,
    pack_image,
    refuse_deep,
    to_row,
    unpack_image,
)
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore
from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.engine.state import STATES
from notebook_bcc_ext.errors import NotebookError
from notebook_bcc_ext.ports import CallRecord
from notebook_bcc_ext.protocol.browser.facts import (
    FACTS,
    Answered,
    Asked,
    Began,
    CellAdded,
    EffectAdded,
    Judged,
    Summed,
)
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    ChangeOutputs,
    InsertCell,
    SetCellMetadata,
    SetNotebookMetadata,
    SetSource,
)
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending
from notebook_bcc_ext.protocol.nesting import MAX_DEPTH, WRAPPED_DEPTH
from notebook_bcc_ext.protocol.plain import model_text, plain
from notebook_bcc_ext.protocol.planner.ndjson import decode_json
from notebook_bcc_ext.protocol.states import State


def nested(depth, value="bottom"):
    for number in range(depth):
        value = [value] if number % 2 else {"in": value}
    return value


TEXT = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(categories=["Cs", "Cc", "Lo", "So"]), max_size=10),
    st.sampled_from(
        ["\x00", "\ud800", "\udfff x", "\ud83d\ude00", "é中文🙂", "x" * 20_000, "\u2028"]
    ),
)
SCALAR = st.one_of(
    TEXT,
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**63, -(2**63) - 1, 10**400, 1e308, -0.0]),
    st.floats(),
)
STRANGE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
).flatmap(lambda value: st.integers(0, MAX_DEPTH).map(lambda depth: nested(depth, value)))
JSON = st.dictionaries(TEXT, STRANGE, max_size=4)
QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def operations(value, text):
    cell = {"id": "a", "cell_type": "code", "source": text, "metadata": value, "outputs": []}
    output = {"output_type": "display_data", "data": {"application/json": value}, "metadata": value}
    yield InsertCell(cell=cell, after_id=text)
    yield SetSource(cell_id=text, source=text)
    yield SetCellMetadata(cell_id="a", metadata=value)
    yield SetNotebookMetadata(metadata=value)
    yield ChangeOutputs(cell_id="a", change="append", outputs=[output], text=text)


@QUICK
@given(JSON, TEXT)
def test_s1_operations(value, text):
    for op in operations(value, text):
        refuse_deep(op)
        _, body = to_row(op, 7)
        read = from_row(body.encode().decode())
        assert read is not None
        assert to_row(read, 7)[1] == body


def test_s1_an_operation_that_could_not_be_read_is_not_taken():
    with pytest.raises(NotebookError, match="nested more than"):
        refuse_deep(SetNotebookMetadata(metadata={"deep": nested(WRAPPED_DEPTH)}))


@QUICK
@given(JSON, TEXT)
def test_s1_notebooks(value, text):
    cells = [{"id": "a", "source": text, "metadata": value}]
    notebook = {"metadata": value, "cells": cells}
    # As NaN is to Python: not equal to itself, but told by its name.
    assert json.dumps(unpack_image(pack_image(notebook))) == json.dumps(notebook)


def shown(value):
    """As `plain`, and half a character is the same whoever wrote it: pydantic writes three signs
    for one in a key, and refuses it elsewhere."""
    if isinstance(value, dict):
        return {shown(key): shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    known = plain(value)
    return known.replace("\ufffd\ufffd\ufffd", "?") if isinstance(known, str) else known


def facts_with(value, text):
    """All that a stranger's words come into."""
    answer = {"context_update": {"variables": value, "workflow_progress": value}}
    question = Pending(id="q", kind="code", summary=text, content=value, asked_at="2026")
    decision = Decision(proposal_id="q", kind="code", verdict="rejected", reason=text)
    return [
        Began(variables=value),
        Judged(level="step", verdict="not_yet", answer=answer),
        CellAdded(cell_id=text, cell_type="code", name=text),
        EffectAdded(text=text, cell_id=text),
        Asked(question=question),
        Answered(decision=decision, changes=value),
    ]


@QUICK
@given(JSON, TEXT)
def test_s1_runs(value, text):
    facts = facts_with(value, text)
    texts = [model_text(fact, by_alias=True) for fact in facts]
    read = [FACTS.validate_json(text.encode().decode()) for text in texts]
    assert [json.loads(model_text(fact, by_alias=True)) for fact in read] == [
        json.loads(text) for text in texts
    ]
    state = fold(read)
    assert shown(state.variables) == shown(value)
    told = "".join(state.effects.texts())[:100]
    assert told == (plain(text)[:100] if text.strip() else "")
    whole = Summed(state=plain(STATES.dump_python(state, mode="json")))
    again = FACTS.validate_json(model_text(whole, by_alias=True))
    assert STATES.dump_json(fold([again])) == STATES.dump_json(fold([whole]))


@QUICK
@given(JSON, TEXT)
def test_s1_records(value, text):
    calls = [{"number": 1, "answer": text, "parsed": value}]
    written = json.dumps(plain({"request": {"variables": value}, "calls": calls}))
    assert decode_json(written.encode(), WRAPPED_DEPTH) is not None


@given(value=JSON, text=TEXT)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_s1_the_run_store(value, text, database, jp_asyncio_loop):
    async def there_and_back():
        store = SqliteRunStore(database)
        await store.delete_run("r")
        await store.add_run("r", {"notebook": "a.ipynb", "value": value, "text": text})
        told = plain({"notebook": "a.ipynb", "value": value, "text": text})
        found = await store.run("r")
        assert found is not None
        assert found.request == told
        facts = facts_with(value, text)
        await committed(store.post_facts("r", 1, facts, State.IDLE, "a.ipynb"))
        [began, judged, added, said, asked, answered] = await store.facts("r")
        read = (began.variables, asked.question.content, answered.changes)
        assert [shown(one) for one in read] == [shown(value)] * 3
        assert shown(judged.answer["context_update"]["variables"]) == shown(value)
        assert said.text == added.name == answered.decision.reason == plain(text)
        sizes: dict[str, Any] = {"request_bytes": 1, "answer_bytes": 1, "duration_ms": 1.0}
        words = {"url": text, "started_at": text, "request": text, "answer": text, "error": text}
        call = CallRecord(number=1, kind="planning", status=200, tries=1, **words, **sizes)
        await store.add_call("r", call)
        [kept] = await store.calls("r")
        assert asdict(kept)["answer"] == plain(text)
        await store.delete_run("r")

    jp_asyncio_loop.run_until_complete(there_and_back())
