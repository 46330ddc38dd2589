"""Notebooks and bodies that are not what they should be: told, and no fault of the server."""

from __future__ import annotations

import json

import nbformat
import pytest

from notebook_bcc_ext.protocol.browser.notebook_ops import MAX_SEQ, METADATA_KEY
from tests.server.test_runs import API, Api
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner

NAME = "work/a.ipynb"
CELL = {"id": "a", "cell_type": "code", "source": "1", "metadata": {}, "outputs": []}
SOUND = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]}


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


def with_cell(**fields):
    return {**SOUND, "cells": [{**CELL, **fields}]}


def nested(depth):
    value: object = "bottom"
    for _ in range(depth):
        value = [value]
    return value


BODIES = {
    "no object": [],
    "nothing": {},
    "no content": {"path": NAME},
    "content is a list": {"path": NAME, "content": []},
    "content is empty": {"path": NAME, "content": {}},
    "no cells": {"path": NAME, "content": {**SOUND, "cells": None}},
    "cells are an object": {"path": NAME, "content": {**SOUND, "cells": {}}},
    "a cell is a text": {"path": NAME, "content": {**SOUND, "cells": ["x"]}},
    "a cell is null": {"path": NAME, "content": {**SOUND, "cells": [None]}},
    "no cell type": {"path": NAME, "content": with_cell(cell_type=None)},
    "no metadata in a cell": {"path": NAME, "content": with_cell(metadata=None)},
    "metadata is a list": {"path": NAME, "content": {**SOUND, "metadata": []}},
    "an id is a list": {"path": NAME, "content": with_cell(id=["a"])},
    "an id is a number": {"path": NAME, "content": with_cell(id=5)},
    "a source is a number": {"path": NAME, "content": with_cell(source=5)},
    "outputs are null": {"path": NAME, "content": with_cell(outputs=None)},
    "an output is a text": {"path": NAME, "content": with_cell(outputs=["x"])},
    "an output has no type": {"path": NAME, "content": with_cell(outputs=[{}])},
    "a stream has no text": {
        "path": NAME, "content": with_cell(outputs=[{"output_type": "stream"}]),
    },
    "nbformat 3": {"path": NAME, "content": {**SOUND, "nbformat": 3}},
    "nbformat is a text": {"path": NAME, "content": {**SOUND, "nbformat": "4"}},
    "nbformat_minor is a text": {"path": NAME, "content": {**SOUND, "nbformat_minor": "5"}},
    "nested too deep": {"path": NAME, "content": with_cell(metadata={"v": nested(310)})},
    "nested without end": {"path": NAME, "content": with_cell(metadata={"v": nested(800)})},
    "a path is a number": {"path": 5, "content": SOUND},
    "an empty path": {"path": "/", "content": SOUND},
    "a path with a NUL": {"path": "a\x00.ipynb", "content": SOUND},
    "a path outside": {"path": "../../a.ipynb", "content": SOUND},
    "a position below zero": {"path": NAME, "content": SOUND, "applied_seq": -1},
    "a position beyond all": {"path": NAME, "content": SOUND, "applied_seq": 2**63},
    "a log that is a number": {"path": NAME, "content": SOUND, "log_id": 5},
    "a hash that is an object": {"path": NAME, "content": SOUND, "base_hash": {}},
    "an unknown field": {"path": NAME, "content": SOUND, "more": 1},
}  # fmt: skip


async def test_s13_strange_bodies_of_a_save_are_refused(api, jp_fetch, jp_root_dir):
    file = jp_root_dir / NAME
    file.write_text(json.dumps(SOUND))
    before = file.read_bytes()
    raw = {what: json.dumps(body).encode() for what, body in BODIES.items()}
    raw |= {"not JSON": b"{", "not UTF-8": b'{"path": "\xff"}', "without an end": b"[" * 100_000}
    for what, body in raw.items():
        answer = await jp_fetch(
            API, "notebooks", "save", method="POST", body=body, raise_error=False
        )
        assert 400 <= answer.code < 500, (what, answer.code, answer.body)
        assert json.loads(answer.body)["message"], what
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "seq", [2**63 - 1, 2**63, 2**200, MAX_SEQ + 1, -1, 1.5, "7", True, None, [], 1e300]
)
async def test_s13_a_forged_position_keeps_nobody_from_running(api, jp_root_dir, seq):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one")]])
        first = await api.start(planner)
        await api.until(first["id"], "done")
        file = jp_root_dir / NAME
        notebook = json.loads(file.read_text())
        notebook["metadata"][METADATA_KEY]["applied_seq"] = seq
        file.write_text(json.dumps(notebook))
        await api.post("notebooks", "pull", body={"path": NAME})
        again = await api.start(planner)
        await api.until(again["id"], "done")
    assert [cell.source for cell in nbformat.read(file, as_version=4).cells] == ["one", "one"]
