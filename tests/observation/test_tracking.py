"""O5, O8, O9, O10, A5, A6: effects, to-do list, sections, outputs."""

from notebook_bcc_ext.observation.effects import (
    MAX_CURRENT,
    MAX_ENTRY_CHARS,
    Effect,
    EffectsState,
)
from notebook_bcc_ext.observation.output_text import MAX_HTML_CHARS, text_of_html, text_of_outputs
from notebook_bcc_ext.observation.outputs import OutputsState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.observation.todo import updated_todo_list
from notebook_bcc_ext.protocol.planner.calls import EffectsUpdate, OutputsUpdate, TodoListUpdate
from notebook_bcc_ext.protocol.planner.observation import Artifact, SectionProgress


def test_o5_current_becomes_history_when_the_next_behavior_prints():
    effects = EffectsState().adding("printed", "cell-1").adding("  \n").warning("missing")
    effects = effects.behavior_ended().warning("late", "name:x")
    assert effects.texts() == ["printed", "⚠️ WARN: missing", "⚠️ WARN: late"]
    effects = effects.told(EffectsUpdate(current=["said"], history=["earlier"]))
    assert effects.view().to_wire() == {
        "current": ["⚠️ WARN: late", "said"],
        "history": ["printed", "earlier"],
        "cells": {"current": [None, None], "history": ["cell-1", None]},
    }
    assert effects.settled(["name:x"]).texts() == ["said"]
    assert effects.settled(["name:y"]) is effects, "so that nobody stores that nothing changed"


def test_o5_a_warning_is_said_once_and_never_becomes_history():
    effects = EffectsState().warning("the kernel is busy", "variables").adding("printed")
    assert effects.warns("the kernel is busy")
    assert not effects.warns("printed")
    effects = effects.warning("the kernel is busy", "variables").moved_to_history()
    assert effects.texts() == ["⚠️ WARN: the kernel is busy"]
    assert [entry.text for entry in effects.history] == ["printed"]


def test_o5_what_was_told_goes_when_a_later_behavior_prints():
    effects = EffectsState((Effect("printed", "cell-1", told=True),), (Effect("old"),))
    effects = effects.warning("missing", "name:x").adding("next")
    assert [entry.text for entry in effects.history] == ["old", "printed"]
    assert effects.texts() == ["⚠️ WARN: missing", "next"]


def test_o5_effects_are_bounded():
    effects = EffectsState()
    for number in range(MAX_CURRENT * 3):
        effects = effects.adding(f"{number}" + "x" * MAX_ENTRY_CHARS * 2)
    texts = effects.texts()
    assert len(texts) == MAX_CURRENT
    assert all(len(text) < MAX_ENTRY_CHARS + 60 for text in texts)
    assert "characters left out" in texts[-1]
    assert texts[-1].startswith(str(MAX_CURRENT * 3 - 1))


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


def section(sections, section_id=None, number=None):
    return sections.with_section(*sections.next_section(section_id, number))


def test_o8_sections_count_up_and_complete_each_other():
    sections = SectionsState()
    assert sections.view() is None
    assert sections.next_chapter() == (1, "chapter-1")
    assert sections.with_chapter(1).next_chapter() == (2, "chapter-2")
    assert sections.next_section() == (1, "section-1")
    sections = section(sections)
    assert sections.next_section("modelling", 7) == (7, "modelling")
    sections = section(sections, "modelling", 7)
    assert sections.next_section() == (8, "section-8")
    view = section(sections).view()
    assert isinstance(view, SectionProgress)
    assert view.to_wire() == {
        "current_section_id": "section-8",
        "current_section_number": 8,
        "completed_sections": ["section-1", "modelling"],
        "all": [],
    }


def test_o8_the_planner_sets_sections_by_object_or_in_words():
    sections = section(SectionsState(), "one").told(
        SectionProgress(current_section_id="two", current_section_number=2, all=["one", "two"])
    )
    view = sections.view()
    assert isinstance(view, SectionProgress)
    assert (view.current_section_id, view.completed_sections, view.all) == (
        "two",
        ["one"],
        ["one", "two"],
    )
    assert sections.told("75%").view() == "75%"
    assert sections.begun_anew() == SectionsState(planned=("one", "two"))


def missing(level, present, what):
    return [warning.text for warning in level.missing(present, what)]


def test_o9_from_behavior_to_step_to_stage():
    outputs = OutputsState().entering_stage(["df_cleaned"]).entering_step(["df", "report"])
    outputs = outputs.entering_behavior(["summary"])
    assert outputs.behaviors.attainment(()) == 0
    outputs = outputs.noting({"summary", "x"})
    assert outputs.behaviors.view().in_progress == ["summary"]
    assert outputs.behaviors.attainment({"summary"}) == 1

    assert missing(outputs.behaviors, {"summary", "df"}, "behavior") == []
    outputs = outputs.behavior_ended({"summary", "df"})
    assert outputs.behaviors.summary().variables == ["summary"]
    assert outputs.behaviors.view().in_progress == []
    assert outputs.steps.produced == ("summary", "df")
    assert outputs.steps.attainment(()) == 0.5

    outputs = outputs.entering_behavior([])
    assert outputs.behaviors.produced == ()
    assert outputs.behaviors.attainment(()) is None
    assert missing(outputs.steps, {"summary", "df", "report"}, "step") == []
    outputs = outputs.step_ended({"summary", "df", "report"})
    assert outputs.steps.summary().variables == ["summary", "df", "report"]
    assert outputs.stages.produced == ("summary", "df", "report")
    assert missing(outputs.stages, {"df", "report"}, "stage") == [
        "'df_cleaned' was expected of this stage but is not in the kernel",
        "'summary' was reported as produced by this stage but is not in the kernel",
    ]
    ended = outputs.stage_ended({"df", "report"})
    assert ended.stages.summary().variables == ["df", "report"]


def test_o9_a_claim_that_the_kernel_does_not_confirm_is_not_produced():
    said = OutputsUpdate(expected=["a"], produced=["a", "b"], in_progress=["c"])
    outputs = OutputsState().told(said).expecting(["d"], must_exist=["checked"])
    assert outputs.names() == ["a", "d", "b", "c", "checked"]
    assert missing(outputs.behaviors, {"a"}, "behavior") == [
        "'d' was expected of this behavior but is not in the kernel",
        "'checked' is to be validated after this behavior but is not in the kernel",
        "'b' was reported as produced by this behavior but is not in the kernel",
    ]
    assert outputs.behavior_ended({"a"}).behaviors.summary().variables == ["a"]


def test_b3_o9_a_temporary_is_produced_only_when_it_is_promoted_or_reported():
    outputs = OutputsState().entering_stage(["tmp"]).entering_step(["tmp"])
    outputs = outputs.entering_behavior(["tmp", "log"])
    outputs = outputs.told(OutputsUpdate(in_progress=["tmp", "other", "log"]))
    there = {"tmp", "other", "log"}
    outputs = outputs.noting(there)
    assert outputs.behaviors.attainment(outputs.seen) == 0
    outputs = outputs.told(OutputsUpdate(produced=["log"]))
    assert missing(outputs.behaviors, there, "behavior") == []
    assert outputs.checked(there).behaviors.view().to_wire() == {
        "expected": ["tmp", "log"],
        "produced": ["log"],
        "in_progress": [],
    }
    ended = outputs.behavior_ended(there).step_ended(there).stage_ended(there)
    for level in (ended.behaviors, ended.steps, ended.stages):
        assert level.summary().variables == ["log"]


def test_b9_o2_findings_are_kept_handed_up_and_bounded():
    first = OutputsUpdate.parse({"findings": "a", "key_findings": ["x"]})
    outputs = OutputsState().told(first)
    assert outputs.behaviors.view().to_wire()["findings"] == "a"
    outputs = outputs.behavior_ended(()).entering_behavior(())
    outputs = outputs.told(OutputsUpdate.parse({"findings": "b", "key_findings": ["x", "y"]}))
    outputs = outputs.behavior_ended(()).step_ended(())
    produced = outputs.steps.summary()
    assert produced.to_wire() == {"findings": "b", "key_findings": ["x", "y"], "variables": []}
    essay = OutputsUpdate.parse({"essay": "x" * 9_000})
    refusal = outputs.behaviors.refusal_of(essay.findings)
    assert refusal is not None
    assert refusal.text.startswith("'essay' of outputs were not kept")
    assert "essay" not in outputs.told(essay).behaviors.findings


def test_o10_a_promoted_temporary_leaves_progress():
    artifact = Artifact(
        artifact_id="df_imputed@iter3", variable_name="df_imputed_iter3", parent="df_working"
    )
    outputs = OutputsState().told(OutputsUpdate(in_progress=["df_working"]))
    outputs = outputs.promoted(artifact).promoted(artifact)
    assert outputs.behaviors.view().to_wire() == {
        "expected": [],
        "produced": ["df_imputed_iter3"],
        "in_progress": [],
    }
    outputs = outputs.behavior_ended({"df_imputed_iter3"})
    for level in (outputs.behaviors, outputs.steps):
        assert [a.artifact_id for a in level.summary().artifacts] == ["df_imputed@iter3"]


def test_o10_only_what_the_kernel_did_not_have_is_the_runs_to_delete():
    outputs = OutputsState().declared(["mine", "theirs"], "behaviors", present=["theirs"])
    assert (outputs.made, outputs.made_by_behavior) == (("mine",), ("mine",))
    outputs = outputs.declared(["mine"], "steps", present=[])
    assert (outputs.made, outputs.made_by_behavior) == (("mine",), ())
