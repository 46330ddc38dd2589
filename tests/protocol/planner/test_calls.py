"""P2-P6, O11: requests and answers, in every spelling planners use."""

import pytest

from notebook_bcc_ext.errors import MissingFieldError, ProtocolError
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.calls import ContextUpdate, PlannerRequest, PlanningAnswer
from notebook_bcc_ext.protocol.planner.dialect_v1 import V1Request, to_v1
from notebook_bcc_ext.protocol.planner.observation import MissingProgressError, Observation

STAGES = [{"id": "a", "steps": [{"id": "s1", "name": "One"}]}]


@pytest.mark.parametrize(
    ("answer", "achieved"),
    [
        ({"targetAchieved": True}, True),
        ({"target_achieved": True}, True),
        ({"transition": {"target_achieved": True}}, True),
        ({"transition": {"targetAchieved": True}}, True),
        ({"metadata": {"target_achieved": True}}, True),
        ({"targetAchieved": False, "transition": {"target_achieved": True}}, False),
        ({}, False),
    ],
)
def test_p3_the_verdict_wherever_it_stands(answer, achieved):
    parsed = PlanningAnswer.parse(answer)
    assert parsed.achieved is achieved
    assert parsed.has_verdict is bool(answer)


def test_p3_nulls_and_unknown_fields_are_no_errors():
    answer = PlanningAnswer.parse(
        {
            "targetAchieved": None,
            "transition": None,
            "context_update": None,
            "metadata": None,
            "context_filter": None,
            "behavior": None,
            "reasoning": {"why": "x"},
        }
    )
    assert answer.achieved is False
    assert answer.to_wire()["reasoning"] == {"why": "x"}


@pytest.mark.parametrize(
    "update",
    [
        {"name": "W", "stages": STAGES, "nextStageId": "a"},
        {"updated_workflow": {"name": "W", "stages": STAGES}, "next_stage_id": "a"},
        {"updatedWorkflow": {"name": "W", "stages": STAGES}, "nextStageId": "a"},
        {"workflow": {"name": "W", "stages": STAGES}, "next_stage_id": "a"},
    ],
)
def test_u1_forms_of_a_workflow_update(update):
    for answer in (
        {"context_update": {"workflow_update": update}},
        {"transition": {"workflow_update": update}},
        {"contextUpdate": {"workflowUpdate": update}},
    ):
        parsed = PlanningAnswer.parse(answer)
        found = parsed.context_update.workflow_update or parsed.transition.workflow_update
        assert found is not None
        assert found.next_stage_id == "a"
        assert found.updated_workflow.stages[0].steps[0].label == "One"


def test_u1_forms_of_a_step_list_update():
    for update in (
        {"stage_id": "a", "updated_steps": [{"id": "s"}]},
        {"stageId": "a", "steps": [{"step_id": "s"}]},
    ):
        found = ContextUpdate.parse({"stage_steps_update": update}).stage_steps_update
        assert found is not None
        assert (found.stage_id, found.updated_steps[0].id) == ("a", "s")


def test_p6_forms_of_the_other_updates():
    update = ContextUpdate.parse(
        {
            "variables": {"camelCase": 1},
            "todoListUpdate": {"operation": "add", "items": ["x"]},
            "progress_update": {"level": "step", "focus": ["a", "b"]},
            "effects_update": ["printed"],
            "outputs": {
                "expected": ["df"],
                "promote": [{"variable_name": "tmp", "artifact_id": "df@1"}],
            },
        }
    )
    assert update.variables == {"camelCase": 1}
    assert update.todo_list_update is not None
    assert (update.progress_update[0].level, update.progress_update[0].focus) == ("steps", "a\nb")
    assert update.effects_update is not None
    assert update.effects_update.current == ["printed"]
    assert update.outputs is not None
    assert update.outputs.promote[0].artifact_id == "df@1"


def test_p6_a_wrong_update_names_model_and_field():
    with pytest.raises(ProtocolError, match=r"PlanningAnswer: field 'context_update\.todo_list"):
        PlanningAnswer.parse({"context_update": {"todo_list_update": {"operation": "burn"}}})
    with pytest.raises(MissingFieldError, match="WorkflowTemplate: required field 'stages'"):
        WorkflowTemplate.parse({"name": "x"})


def test_p2_a_request_without_progress_is_refused_with_the_protocols_words():
    observation = Observation.parse({"location": {"current": {}}, "context": {}})
    with pytest.raises(MissingProgressError, match="Missing required 'progress_info' in state"):
        observation.require_progress()


def test_o2_plain_ids_are_accepted_as_completed_items():
    observation = Observation.parse(
        {
            "location": {
                "progress": {
                    "stages": {"completed": ["a"]},
                    "steps": {"completed": ["s"]},
                    "behaviors": {"completed": ["behavior_001"], "iteration": 1},
                }
            },
            "context": {"toDoList": ["x"], "FSM": {"state": "IDLE"}},
        }
    )
    progress = observation.require_progress().location.progress
    assert progress is not None
    assert progress.stages.completed[0].stage_id == "a"
    assert progress.steps.completed[0].step_id == "s"
    assert progress.behaviors.completed[0].behavior_id == "behavior_001"
    wire = observation.to_wire()
    assert wire["context"]["toDoList"] == ["x"]
    assert wire["context"]["FSM"] == {"state": "IDLE"}


def test_p8_the_flat_form_of_a_request():
    request = PlannerRequest.parse(
        {
            "observation": {
                "location": {
                    "current": {
                        "stage_id": "a",
                        "step_id": "s",
                        "behavior_id": "b",
                        "behavior_iteration": 2,
                    }
                },
                "context": {"variables": {"x": 1}, "toDoList": ["t"]},
            },
            "behavior_feedback": {"behavior_id": "b", "actions_executed": 1},
            "options": {"stream": True},
        }
    )
    wire = to_v1(request).to_wire()
    assert wire["observation"]["location"] == {
        "current_stage_id": "a",
        "current_step_id": "s",
        "behavior_id": "b",
        "behavior_iteration": 2,
    }
    assert wire["observation"]["context"]["variables"] == {"x": 1}
    assert wire["behavior_feedback"]["actions_executed"] == 1
    again = V1Request.parse(wire)
    assert again.to_wire() == wire
