"""O1-O7, O12, F9: the position in a workflow and the observation made of it."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.build import (
    ContextParts,
    build_observation,
    hidden_inputs,
    merged_variables,
)
from notebook_bcc_ext.observation.effects import EffectsState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import (
    NotebookSummary,
    Observation,
    TransitionRecord,
)
from notebook_bcc_ext.protocol.states import State

TEMPLATE = WorkflowTemplate.parse(
    {
        "name": "W",
        "stages": [
            {"id": "load", "goal": "load it", "steps": [{"id": "read"}, {"id": "check"}]},
            {"id": "model", "expected": ["fit"], "steps": [{"id": "train", "goal": "train it"}]},
        ],
    }
)


TRANSITIONS = tuple(
    TransitionRecord.parse({"from": before, "event": event, "to": after, "timestamp": "2026"})
    for before, event, after in (
        ("idle", "START_WORKFLOW", "stage_running"),
        ("stage_running", "START_STEP", "step_running"),
    )
)


def in_second_step():
    begun = ProgressState(TEMPLATE).in_stage("load").in_step("read").in_behavior()
    done = begun.having_taken("add: read the file")
    expecting = replace(done, outputs=done.outputs.expecting(["df"], ()))
    return expecting.behavior_ended(["df"]).step_ended(["df"], confirmed=True).in_step("check")


def observed(progress, **parts):
    return build_observation(
        progress,
        ContextParts(
            state=State.STEP_RUNNING,
            transitions=TRANSITIONS,
            **{
                "variables": {},
                "todo_list": [],
                "effects": EffectsState(),
                "notebook": NotebookSummary(title="T", cell_count=0),
                "sections": SectionsState(),
                **parts,
            },
        ),
    )


def test_o1_o2_o3_location():
    progress = in_second_step().focused({"steps": "look closely"})
    location = progress.location().to_wire()
    assert location["current"] == {
        "stage_id": "load",
        "step_id": "check",
        "behavior_id": None,
        "behavior_iteration": 0,
    }
    assert location["progress"]["stages"]["remaining"] == ["model"]
    assert location["progress"]["steps"] == {
        "completed": [
            {
                "step_id": "read",
                "goal": "read",
                "actions_taken": ["behavior_001"],
                "outputs_produced": {"variables": ["df"]},
            }
        ],
        "current": "check",
        "remaining": [],
        "focus": "look closely",
        "current_outputs": {"expected": [], "produced": [], "in_progress": []},
    }
    assert location["goals"] == {"stage": "load it", "step": "check", "behavior": None}


def test_f9_behavior_ids_start_again_with_each_step():
    first = ProgressState(TEMPLATE).in_stage("load").in_step("read").in_behavior()
    second = first.in_behavior("own", "goal")
    assert [first.behavior_id, second.behavior_id] == ["behavior_001", "own"]
    assert second.location().goals.behavior == "goal"
    other = second.in_step("check").in_behavior()
    assert (other.behavior_id, other.iteration) == ("behavior_001", 1)


def test_a_step_done_twice_counts_once():
    progress = in_second_step().in_step("read").step_ended((), confirmed=True)
    assert [item.id for item in progress.completed_steps] == ["read"]
    after = progress.stage_ended((), judged=True).in_stage("model")
    assert after.outputs.stages.expected == ("fit",)
    assert after.remaining_stages() == []
    assert after.completed_steps == ()


def test_a_stage_that_was_left_before_its_end_is_passed_over_with_what_it_had_left():
    progress = in_second_step()
    left = progress.stage_ended((), judged=False)
    assert left.completed_stages == ()
    assert left.passed_over == ("load", "load/check")
    judged = progress.stage_ended((), judged=True)
    assert [item.id for item in judged.completed_stages] == ["load"]


def test_a_behavior_that_is_repeated_was_not_completed():
    begun = ProgressState(TEMPLATE).in_stage("load").in_step("read").in_behavior()
    ended = begun.having_taken("add").behavior_ended(())
    again = ended.repeating_behavior()
    assert (again.iteration, again.completed_behaviors, again.actions_taken) == (1, (), ())
    assert again.has_behavior_to_repeat
    assert not again.step_ended((), confirmed=True).has_behavior_to_repeat


def test_moving_leaves_what_was_as_it_was():
    before = in_second_step()
    copy = replace(before)
    after = before.in_behavior().having_taken("add").focused({"steps": "here"}).from_the_top()
    assert before == copy
    assert after.stage_id is None
    with pytest.raises(FrozenInstanceError):
        before.stage_id = "model"


def test_unknown_stage_and_step_are_named():
    progress = ProgressState(TEMPLATE)
    with pytest.raises(NotFoundError, match="no stage 'x'"):
        progress.in_stage("x")
    with pytest.raises(NotFoundError, match="stage 'load' has no step 'train'"):
        progress.in_stage("load").in_step("train")


def test_o4_the_kernels_variables_win():
    assert merged_variables({"a": 1, "goal": "g"}, {"a": 2}) == {"a": 2, "goal": "g"}


def test_o4_what_the_person_said_is_told_where_a_kernel_variable_hides_it():
    said = {"goal": "g", "target": "price", "data_path": "a.csv"}
    kernel = {"target": "ndarray(10,) float64", "data_path": "a.csv"}
    assert hidden_inputs(said, kernel) == {"target": "price"}


def test_o7_the_machine_in_upper_case_with_the_latest_transitions():
    fsm = observed(in_second_step(), history_shown=1).context.fsm
    assert fsm.state == "STEP_RUNNING"
    assert fsm.last_transition == "START_STEP -> STEP_RUNNING"
    assert [entry["event"] for entry in fsm.history] == ["START_STEP"]
    assert fsm.transition == ["START_STEP -> STEP_RUNNING"]


def test_before_the_first_transition_there_is_only_a_state():
    progress = ProgressState()
    parts = ContextParts(
        state=State.IDLE,
        transitions=(),
        variables={},
        todo_list=[],
        effects=EffectsState(),
        notebook=NotebookSummary(),
        sections=SectionsState(),
        workflow_progress="1/2",
    )
    observation = build_observation(progress, parts)
    wire = observation.require_progress().to_wire()
    assert wire["context"]["FSM"] == {"state": "IDLE", "history": [], "transition": []}
    assert wire["context"]["workflow_progress"] == "1/2"


def test_what_is_sent_parses_again():
    sections = SectionsState().with_section(1, "section-1")
    observation = observed(in_second_step(), sections=sections, variables={"n": 1})
    wire = json.loads(json.dumps(observation.to_wire()))
    assert Observation.parse(wire).to_wire() == wire
