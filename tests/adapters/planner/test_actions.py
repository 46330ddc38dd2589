"""Bytes to actions (P4): however they are cut and whatever they are, no surprise."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_bcc_ext.adapters.planner.actions import ActionDecoder, Item
from notebook_bcc_ext.errors import ProtocolError
from notebook_bcc_ext.protocol.planner.ndjson import BadLine

ACTIONS = st.lists(
    st.builds(
        lambda text, wrapped: (
            {"action": {"action": "add", "content": text}}
            if wrapped
            else {"action": "add", "content": text}
        ),
        st.text(),
        st.booleans(),
    ),
    max_size=6,
)
CUTS = st.lists(st.integers(min_value=0, max_value=400), max_size=8)


def decoded(data: bytes, cuts: list[int], max_line_bytes: int = 4096) -> list[Item]:
    decoder = ActionDecoder(max_line_bytes)
    items: list[Item] = []
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        items += decoder.feed(data[start:end])
    return items + decoder.close()


@given(actions=ACTIONS, cuts=CUTS, ascii_only=st.booleans(), last_newline=st.booleans())
def test_P4_lines_arrive_the_same_however_they_are_cut(
    actions: list[dict[str, object]], cuts: list[int], *, ascii_only: bool, last_newline: bool
):
    lines = [json.dumps(action, ensure_ascii=ascii_only) for action in actions]
    data = ("\n".join(lines) + ("\n" if last_newline else "")).encode("utf-8", "replace")
    items = decoded(data, cuts)
    assert len(items) == len(actions)
    assert not any(isinstance(item, BadLine) for item in items)


@given(
    actions=ACTIONS,
    cuts=CUTS,
    indent=st.sampled_from([None, 0, 1, 4]),
    before=st.sampled_from(["", "\n \n", "\ufeff"]),
)
def test_P4_one_object_arrives_the_same_however_it_is_printed(
    actions: list[dict[str, object]], cuts: list[int], indent: int | None, before: str
):
    answer = {"behavior": {"id": "b"}, "actions": actions}
    data = (before + json.dumps(answer, indent=indent)).encode()
    assert decoded(data, cuts) == actions


@settings(max_examples=300)
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(str.encode), cuts=CUTS)
def test_any_bytes_end_in_items_or_one_kind_of_error(data: bytes, cuts: list[int]):
    try:
        items = decoded(data, cuts, max_line_bytes=64)
    except ProtocolError:
        return
    assert all(isinstance(item, (dict, BadLine)) for item in items)


def test_P4_garbage_that_looks_like_the_start_of_an_object_does_not_swallow_the_lines():
    items = decoded(b'{"action": {\n{"action": "end_phase"}\n', [])
    assert isinstance(items[0], BadLine)
    assert items[1] == {"action": "end_phase"}


def test_P4_a_garbage_first_line_does_not_hold_back_the_next():
    decoder = ActionDecoder(4096)
    first = decoder.feed(b'{"action": {"action": "add", "content": "cut\n')
    assert isinstance(first[0], BadLine)
    assert decoder.feed(b'{"action": "end_phase"}\n') == [{"action": "end_phase"}]


def test_a_first_line_without_an_end_is_held_to_the_line_limit():
    decoder = ActionDecoder(max_line_bytes=100)
    for _ in range(50):
        assert decoder.feed(b"x" * 1000) == []
    with pytest.raises(ProtocolError, match="longer than 100 bytes"):
        decoder.close()
