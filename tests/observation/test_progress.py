"""O1-O7, O12, F9: the position in a workflow and the observation made of it."""

import json

import pytest

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.fsm import StateMachine
from notebook_bcc_ext.observation.build import (
    ContextParts,
    build_observation,
    hidden_inputs,
    merged_variables,
)
from notebook_bcc_ext.observation.effects import EffectsLog
from notebook_bcc_ext.observation.progress import ProgressTracker
from notebook_bcc_ext.observation.sections import SectionTracker
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.observation import (
    NotebookSummary,
    Observation,
    OutputsProduced,
)
from notebook_bcc_ext.protocol.states import Event, State

TEMPLATE = WorkflowTemplate.parse(
    {
        "name": "W",
        "stages": [
            {"id": "load", "goal": "load it", "steps": [{"id": "read"}, {"id": "check"}]},
            {"id": "model", "expected": ["fit"], "steps": [{"id": "train", "goal": "train it"}]},
        ],
    }
)


def tracker_in_second_step():
    progress = ProgressTracker(TEMPLATE)
    progress.enter_stage("load")
    progress.enter_step("read")
    progress.enter_behavior()
    progress.note_action("add: read the file")
    progress.complete_behavior(OutputsProduced(variables=["df"]))
    progress.complete_step(OutputsProduced(variables=["df"]))
    progress.enter_step("check")
    return progress


def observed(progress, **parts):
    machine = StateMachine()
    machine.fire(Event.START_WORKFLOW)
    machine.fire(Event.START_STEP)
    return build_observation(
        progress,
        ContextParts(
            state=machine.state,
            transitions=machine.history,
            **{
                "variables": {},
                "todo_list": [],
                "effects": EffectsLog(),
                "notebook": NotebookSummary(title="T", cell_count=0),
                "sections": SectionTracker(),
                **parts,
            },
        ),
    )


def test_o1_o2_o3_location():
    progress = tracker_in_second_step()
    progress.focus["steps"] = "look closely"
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
    progress = ProgressTracker(TEMPLATE)
    progress.enter_stage("load")
    progress.enter_step("read")
    assert [progress.enter_behavior(), progress.enter_behavior("own", "goal")] == [
        "behavior_001",
        "own",
    ]
    assert progress.location().goals.behavior == "goal"
    progress.enter_step("check")
    assert (progress.enter_behavior(), progress.iteration) == ("behavior_001", 1)


def test_a_step_done_twice_counts_once():
    progress = tracker_in_second_step()
    progress.enter_step("read")
    progress.complete_step(OutputsProduced())
    assert [item.id for item in progress.completed_steps] == ["read"]
    progress.complete_stage(OutputsProduced())
    progress.enter_stage("model")
    assert progress.outputs.stages.expected == ["fit"]
    assert progress.remaining_stages() == []
    assert progress.completed_steps == []


def test_unknown_stage_and_step_are_named():
    progress = ProgressTracker(TEMPLATE)
    with pytest.raises(NotFoundError, match="no stage 'x'"):
        progress.enter_stage("x")
    progress.enter_stage("load")
    with pytest.raises(NotFoundError, match="stage 'load' has no step 'train'"):
        progress.enter_step("train")


def test_o4_the_kernels_variables_win():
    assert merged_variables({"a": 1, "goal": "g"}, {"a": 2}) == {"a": 2, "goal": "g"}


def test_o4_what_the_person_said_is_told_where_a_kernel_variable_hides_it():
    said = {"goal": "g", "target": "price", "data_path": "a.csv"}
    kernel = {"target": "ndarray(10,) float64", "data_path": "a.csv"}
    assert hidden_inputs(said, kernel) == {"target": "price"}


def test_o7_the_machine_in_upper_case_with_the_latest_transitions():
    fsm = observed(tracker_in_second_step(), history_shown=1).context.fsm
    assert fsm.state == "STEP_RUNNING"
    assert fsm.last_transition == "START_STEP -> STEP_RUNNING"
    assert [entry["event"] for entry in fsm.history] == ["START_STEP"]
    assert fsm.transition == ["START_STEP -> STEP_RUNNING"]


def test_before_the_first_transition_there_is_only_a_state():
    progress = ProgressTracker(WorkflowTemplate(stages=[]))
    parts = ContextParts(
        state=State.IDLE,
        transitions=(),
        variables={},
        todo_list=[],
        effects=EffectsLog(),
        notebook=NotebookSummary(),
        sections=SectionTracker(),
        workflow_progress="1/2",
    )
    observation = build_observation(progress, parts)
    wire = observation.require_progress().to_wire()
    assert wire["context"]["FSM"] == {"state": "IDLE", "history": [], "transition": []}
    assert wire["context"]["workflow_progress"] == "1/2"


def test_what_is_sent_parses_again():
    sections = SectionTracker()
    sections.new_section()
    observation = observed(tracker_in_second_step(), sections=sections, variables={"n": 1})
    wire = json.loads(json.dumps(observation.to_wire()))
    assert Observation.parse(wire).to_wire() == wire
