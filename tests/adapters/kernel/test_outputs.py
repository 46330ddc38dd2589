"""Outputs of a cell: merging, bounds, and changes that lead to exactly the same list."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.adapters.kernel.outputs import CellOutputs, OutputLimits
from notebook_bcc_ext.adapters.kernel.text import StreamText
from tests.support.code_runners import Notebook

SMALL = OutputLimits(max_bytes=400, max_outputs=6)

texts = st.text(st.sampled_from("ab\n\r\bé中\ud800"), max_size=60)
names = st.sampled_from(["stdout", "stderr"])
display_ids = st.sampled_from([None, "one", "two"])
steps = st.one_of(
    st.tuples(st.just("stream"), names, texts),
    st.tuples(st.just("display"), display_ids, texts),
    st.tuples(st.just("update"), st.sampled_from(["one", "two", "three"]), texts),
    st.tuples(st.just("error"), st.none(), texts),
    st.tuples(st.just("clear"), st.booleans(), st.just("")),
    st.tuples(st.just("report"), st.none(), st.just("")),
)


def display(text: str) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def perform(outputs: CellOutputs, notebook: Notebook, step: tuple[str, Any, str]) -> None:
    what, argument, text = step
    match what:
        case "stream":
            outputs.add_stream(argument, text)
        case "display":
            outputs.add(display(text), argument)
        case "update":
            outputs.update_display(argument, {"text/plain": text}, {})
        case "error":
            error = {"output_type": "error", "ename": "E", "evalue": text, "traceback": [text]}
            outputs.add(error)
        case "clear":
            outputs.clear(wait=argument)
        case _:
            notebook.apply(outputs.take_changes())


@given(st.lists(steps, max_size=40))
def test_the_changes_lead_to_the_outputs(script: list[tuple[str, Any, str]]) -> None:
    outputs, notebook = CellOutputs("cell", SMALL), Notebook()
    for step in script:
        perform(outputs, notebook, step)
    notebook.apply(outputs.take_changes())
    told = notebook.cells.get("cell", [])
    assert told == outputs.outputs()
    revisions = notebook.revisions.get("cell", [])
    assert revisions == list(range(1, len(revisions) + 1))
    # Anything we pass on can be stored and sent.
    json.dumps(told, ensure_ascii=False).encode()


@given(st.lists(steps, max_size=40))
def test_a_cell_stays_within_its_bounds(script: list[tuple[str, Any, str]]) -> None:
    outputs, notebook = CellOutputs("cell", SMALL), Notebook()
    for step in script:
        perform(outputs, notebook, step)
    found = outputs.outputs()
    # One notice and one shortened error may stand beyond the limits.
    assert len(found) <= SMALL.max_outputs + 2
    assert len(json.dumps(found, ensure_ascii=False).encode()) < SMALL.max_bytes + 2_500
    streams = [output.get("name") for output in found]
    assert all(a is None or a != b for a, b in itertools.pairwise(streams))


def test_what_is_cut_is_said_once_and_an_error_still_comes_through() -> None:
    outputs = CellOutputs("cell", OutputLimits(max_bytes=100))
    for _ in range(50):
        outputs.add_stream("stdout", "0123456789\n")
    outputs.add({"output_type": "error", "ename": "E", "evalue": "why", "traceback": []})
    kept, notice, error = outputs.outputs()
    assert len(kept["text"]) == 100
    assert notice["text"].count("Output cut") == 1
    assert error["evalue"] == "why"
    assert outputs.cut_notice is not None
    outputs.clear(wait=False)
    outputs.add_stream("stdout", "fresh")
    assert [output["text"] for output in outputs.outputs()] == ["fresh"]


def test_printed_text_is_cut_earlier_and_leaves_room_for_other_outputs() -> None:
    outputs = CellOutputs("cell", OutputLimits(max_text_bytes=20))
    outputs.add_stream("stdout", "名" * 50)
    outputs.add_stream("stderr", "more")
    outputs.add(display("a plot"))
    kept, notice, plot = outputs.outputs()
    assert kept["text"] == "名" * 6
    assert notice["text"].startswith("[Output cut: the cell printed more than")
    assert plot["data"] == {"text/plain": "a plot"}
    assert outputs.cut_notice is None


def test_one_oversized_display_leaves_room_for_smaller_ones() -> None:
    outputs = CellOutputs("cell", OutputLimits(max_bytes=1_000))
    outputs.add(display("x" * 5_000))
    outputs.add(display("small"))
    notice, small = outputs.outputs()
    assert "left out" in notice["text"]
    assert small["data"] == {"text/plain": "small"}


def test_waiting_clear_shows_no_empty_moment() -> None:
    outputs, notebook = CellOutputs("cell", OutputLimits()), Notebook()
    outputs.add_stream("stdout", "1")
    notebook.apply(outputs.take_changes())
    outputs.clear(wait=True)
    assert outputs.take_changes() == []
    outputs.add_stream("stdout", "2")
    (change,) = outputs.take_changes()
    assert (change.change, change.outputs[0]["text"]) == ("set", "2")


def work_off(*pieces: str) -> str:
    text = StreamText()
    for piece in pieces:
        text.feed(piece)
    return text.text


def test_carriage_return_and_backspace() -> None:
    assert work_off("10 %", "\r20 %", "\r30 %") == "30 %"
    assert work_off("long line\rshort") == "shortline"
    assert work_off("a\r\nb\r\n") == "a\nb\n"
    assert work_off("abc\b", "d") == "abd"
    assert work_off("line\n\b\bx") == "line\nx"
    assert work_off("50 %\r", "done\n", "next") == "done\nnext"


@given(st.lists(st.text(st.sampled_from("ab\n\r\bé"), max_size=60), max_size=8))
def test_text_does_not_depend_on_how_it_is_cut(pieces: list[str]) -> None:
    assert work_off(*pieces) == work_off("".join(pieces))


def test_s1_what_is_nested_too_deep_is_left_out_and_said():
    deep: Any = "bottom"
    for _ in range(120):
        deep = [deep]
    outputs = CellOutputs("a", OutputLimits())
    outputs.add(display("before"), "one")
    outputs.add({**display(""), "data": {"application/json": deep}})
    outputs.update_display("one", {"application/json": deep}, {})
    kept = outputs.outputs()
    assert "left out: it is nested more than 100 levels deep" in kept[0]["data"]["text/plain"]
    assert "display data left out: it is nested" in kept[1]["text"]
