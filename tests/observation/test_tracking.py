"""O5, O8, O9, O10, A5, A6: effects, to-do list, sections, outputs."""

from notebook_bcc_ext.observation.effects import (
    MAX_CURRENT,
    MAX_ENTRY_CHARS,
    EffectsLog,
    text_of_outputs,
)
from notebook_bcc_ext.observation.outputs import OutputsTracker
from notebook_bcc_ext.observation.sections import SectionTracker
from notebook_bcc_ext.observation.todo import updated_todo_list
from notebook_bcc_ext.protocol.observation import Artifact, SectionProgress
from notebook_bcc_ext.protocol.planner import EffectsUpdate, OutputsUpdate, TodoListUpdate


def test_o5_current_moves_to_history_when_a_behavior_ends():
    effects = EffectsLog()
    effects.add("printed")
    effects.add("  \n")
    effects.warn("missing")
    effects.move_to_history()
    effects.apply(EffectsUpdate(current=["said"], history=["earlier"]))
    assert effects.view().to_wire() == {
        "current": ["said"],
        "history": ["printed", "⚠️ WARN: missing", "earlier"],
    }
    effects.clear()
    assert effects.current == []


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
    assert warnings == ["'summary' was reported as produced by this stage but is not in the kernel"]


def test_o9_a_claim_that_the_kernel_does_not_confirm_is_not_produced():
    outputs = OutputsTracker()
    outputs.apply(OutputsUpdate(expected=["a"], produced=["a", "b"], in_progress=["c"]))
    outputs.expect(["d"], must_exist=["checked"])
    assert outputs.names() == ["a", "d", "b", "c", "checked"]
    produced, warnings = outputs.end_behavior({"a"})
    assert produced.variables == ["a"]
    assert [w.split("'")[1] for w in warnings] == ["b", "checked"]


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
