"""O5, O8, O9, O10, A5, A6: effects, to-do list, sections, outputs."""

from notebook_bcc_ext.observation.effects import (
    MAX_CURRENT,
    MAX_ENTRY_CHARS,
    Effect,
    EffectsLog,
)
from notebook_bcc_ext.observation.output_text import MAX_HTML_CHARS, text_of_html, text_of_outputs
from notebook_bcc_ext.observation.outputs import OutputsTracker
from notebook_bcc_ext.observation.sections import SectionTracker
from notebook_bcc_ext.observation.todo import updated_todo_list
from notebook_bcc_ext.protocol.planner.calls import EffectsUpdate, OutputsUpdate, TodoListUpdate
from notebook_bcc_ext.protocol.planner.observation import Artifact, SectionProgress


def test_o5_current_becomes_history_when_the_next_behavior_prints():
    effects = EffectsLog()
    effects.add("printed", "cell-1")
    effects.add("  \n")
    effects.warn("missing")
    effects.behavior_ended()
    effects.warn("late", "name:x")
    assert effects.current == ["printed", "⚠️ WARN: missing", "⚠️ WARN: late"]
    effects.apply(EffectsUpdate(current=["said"], history=["earlier"]))
    assert effects.view().to_wire() == {
        "current": ["⚠️ WARN: late", "said"],
        "history": ["printed", "earlier"],
        "cells": {"current": [None, None], "history": ["cell-1", None]},
    }
    effects.settle(["name:x"])
    assert effects.current == ["said"]
    effects.clear()
    assert effects.current == []


def test_o5_a_warning_is_said_once_and_never_becomes_history():
    effects = EffectsLog()
    assert effects.warn("the kernel is busy", "variables")
    effects.add("printed")
    assert not effects.warn("the kernel is busy", "variables")
    effects.move_to_history()
    assert (effects.current, effects.history) == (["⚠️ WARN: the kernel is busy"], ["printed"])


def test_o5_effects_survive_a_restart_and_those_of_an_earlier_version_are_read():
    effects = EffectsLog([Effect("printed", "cell-1", told=True)], ["old"])
    effects.warn("missing", "name:x")
    again = EffectsLog.from_snapshot(effects.to_snapshot())
    assert again.to_snapshot() == effects.to_snapshot()
    again.add("next")
    assert again.history == ["old", "printed"]
    before = EffectsLog.from_snapshot({"current": ["a"], "history": ["b"]})
    assert (before.current, before.history) == (["a"], ["b"])


def test_o5_effects_are_bounded():
    effects = EffectsLog()
    for number in range(MAX_CURRENT * 3):
        effects.add(f"{number}" + "x" * MAX_ENTRY_CHARS * 2)
    assert len(effects.current) == MAX_CURRENT
    assert all(len(text) < MAX_ENTRY_CHARS + 60 for text in effects.current)
    assert "characters left out" in effects.current[-1]
    assert effects.current[-1].startswith(str(MAX_CURRENT * 3 - 1))


def test_o5_the_text_of_outputs_is_what_a_person_reads():
    outputs: list[dict[str, object]] = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>42</b>"}},
        {"output_type": "display_data", "data": {"image/png": "…"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []},
        {"output_type": "display_data"},
    ]
    assert text_of_outputs(outputs) == "a\nb\n42\n[image/png]\nValueError: no"


def test_b9_o5_pieces_of_a_stream_are_one_text_and_objects_are_not_told_by_name():
    def shown(data):
        return text_of_outputs([{"output_type": "display_data", "data": data}])

    streams: list[dict[str, object]] = [
        {"output_type": "stream", "name": "stdout", "text": "a"},
        {"output_type": "stream", "name": "stdout", "text": "b\n"},
        {"output_type": "stream", "name": "stderr", "text": "c"},
    ]
    assert text_of_outputs(streams) == "ab\nc"
    figure = {"text/plain": "<Figure size 640x480 with 1 Axes>", "image/png": "…"}
    styled = {
        "text/plain": "<pandas.io.formats.style.Styler at 0x7f03>",
        "text/html": "<table><thead><tr><th></th><th>a</th></tr></thead>"
        "<tr><th>0</th><td>1.5</td></tr></table>",
    }
    mark = {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "**x**"}
    script = {"text/html": "<script>draw()</script>"}
    assert [shown(data) for data in (figure, styled, mark, script)] == [
        "[image/png]",
        "   a\n0  1.5",
        "**x**",
        "[text/html]",
    ]
    assert shown({"text/plain": "<object>"}) == "<object>"


def test_b9_o5_html_of_any_kind_is_read_quickly_and_to_its_end():
    assert text_of_html("<p>a<p>b<br>c<ul><li>d</ul>") == "a\nb\nc\nd"
    assert text_of_html("<table><td>a<table><tr><td>x</table></td><td>b</td>") == "a x  b"
    for nasty in ("<", "<!--", "<a ", "</", "&", "<![CDATA[", "<table><tr><td>", "<script>"):
        text_of_html(nasty * (2 * MAX_HTML_CHARS // len(nasty)))


def test_p6_todo_list():
    items = ["a", "b"]
    assert updated_todo_list(items, TodoListUpdate(operation="add", items=["b", "c"])) == [
        "a",
        "b",
        "c",
    ]
    assert updated_todo_list(items, TodoListUpdate(operation="remove", items=["a", "x"])) == ["b"]
    assert updated_todo_list(items, TodoListUpdate(operation="replace", items=["z", "z"])) == ["z"]


def test_o8_sections_count_up_and_complete_each_other():
    sections = SectionTracker()
    assert sections.view() is None
    assert sections.new_chapter() == (1, "chapter-1")
    assert sections.new_section() == (1, "section-1")
    assert sections.new_section("modelling", 7) == (7, "modelling")
    assert sections.new_section() == (8, "section-8")
    view = sections.view()
    assert isinstance(view, SectionProgress)
    assert view.to_wire() == {
        "current_section_id": "section-8",
        "current_section_number": 8,
        "completed_sections": ["section-1", "modelling"],
        "all": [],
    }


def test_o8_the_planner_sets_sections_by_object_or_in_words():
    sections = SectionTracker()
    sections.new_section("one")
    sections.apply(
        SectionProgress(current_section_id="two", current_section_number=2, all=["one", "two"])
    )
    view = sections.view()
    assert isinstance(view, SectionProgress)
    assert (view.current_section_id, view.completed_sections, view.all) == (
        "two",
        ["one"],
        ["one", "two"],
    )
    sections.apply("75%")
    assert sections.view() == "75%"


def test_o9_from_behavior_to_step_to_stage():
    outputs = OutputsTracker()
    outputs.enter_stage(["df_cleaned"])
    outputs.enter_step(["df", "report"])
    outputs.enter_behavior(["summary"])
    assert outputs.behaviors.attainment(()) == 0
    outputs.note_present({"summary", "x"})
    assert outputs.behaviors.view().in_progress == ["summary"]
    assert outputs.behaviors.attainment({"summary"}) == 1

    produced, warnings = outputs.end_behavior({"summary", "df"})
    assert (produced.variables, warnings) == (["summary"], [])
    assert outputs.behaviors.view().in_progress == []
    assert outputs.steps.produced == ["summary", "df"]
    assert outputs.steps.attainment(()) == 0.5

    outputs.enter_behavior([])
    assert outputs.behaviors.produced == []
    assert outputs.behaviors.attainment(()) is None
    produced, warnings = outputs.end_step({"summary", "df", "report"})
    assert (produced.variables, warnings) == (["summary", "df", "report"], [])
    assert outputs.stages.produced == ["summary", "df", "report"]
    produced, warnings = outputs.end_stage({"df", "report"})
    assert produced.variables == ["df", "report"]
    assert [warning.text for warning in warnings] == [
        "'df_cleaned' was expected of this stage but is not in the kernel",
        "'summary' was reported as produced by this stage but is not in the kernel",
    ]


def test_o9_a_claim_that_the_kernel_does_not_confirm_is_not_produced():
    outputs = OutputsTracker()
    outputs.apply(OutputsUpdate(expected=["a"], produced=["a", "b"], in_progress=["c"]))
    outputs.expect(["d"], must_exist=["checked"])
    assert outputs.names() == ["a", "d", "b", "c", "checked"]
    produced, warnings = outputs.end_behavior({"a"})
    assert produced.variables == ["a"]
    assert [warning.text for warning in warnings] == [
        "'d' was expected of this behavior but is not in the kernel",
        "'checked' is to be validated after this behavior but is not in the kernel",
        "'b' was reported as produced by this behavior but is not in the kernel",
    ]


def test_b3_o9_a_temporary_is_produced_only_when_it_is_promoted_or_reported():
    outputs = OutputsTracker()
    outputs.enter_stage(["tmp"])
    outputs.enter_step(["tmp"])
    outputs.enter_behavior(["tmp", "log"])
    outputs.apply(OutputsUpdate(in_progress=["tmp", "other", "log"]))
    outputs.note_present({"tmp", "other", "log"})
    assert outputs.behaviors.attainment(outputs.seen) == 0
    outputs.apply(OutputsUpdate(produced=["log"]))
    assert outputs.check_behavior({"tmp", "other", "log"}) == []
    assert outputs.behaviors.view().to_wire() == {
        "expected": ["tmp", "log"],
        "produced": ["log"],
        "in_progress": [],
    }
    there = {"tmp", "other", "log"}
    ends = (outputs.end_behavior, outputs.end_step, outputs.end_stage)
    assert [end(there)[0].variables for end in ends] == [["log"]] * 3


def test_b9_o2_findings_are_kept_handed_up_and_bounded():
    outputs = OutputsTracker()
    outputs.apply(OutputsUpdate.parse({"findings": "a", "key_findings": ["x"]}))
    assert outputs.behaviors.view().to_wire()["findings"] == "a"
    outputs.end_behavior(())
    outputs.enter_behavior(())
    outputs.apply(OutputsUpdate.parse({"findings": "b", "key_findings": ["x", "y"]}))
    outputs.end_behavior(())
    produced, _ = outputs.end_step(())
    assert produced.to_wire() == {"findings": "b", "key_findings": ["x", "y"], "variables": []}
    [warning] = outputs.apply(OutputsUpdate.parse({"essay": "x" * 9_000}))
    assert warning.text.startswith("'essay' of outputs were not kept")
    assert "essay" not in outputs.behaviors.findings


def test_o10_a_promoted_temporary_leaves_progress():
    outputs = OutputsTracker()
    outputs.apply(OutputsUpdate(in_progress=["df_working"]))
    artifact = Artifact(
        artifact_id="df_imputed@iter3", variable_name="df_imputed_iter3", parent="df_working"
    )
    outputs.promoted(artifact)
    outputs.promoted(artifact)
    assert outputs.behaviors.view().to_wire() == {
        "expected": [],
        "produced": ["df_imputed_iter3"],
        "in_progress": [],
    }
    produced, _ = outputs.end_behavior({"df_imputed_iter3"})
    assert [a.artifact_id for a in produced.artifacts] == ["df_imputed@iter3"]
    assert [a.artifact_id for a in outputs.steps.artifacts] == ["df_imputed@iter3"]
