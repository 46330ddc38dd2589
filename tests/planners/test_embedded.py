"""E1, F6-F10, P3, P6, U1-U3: what the embedded planner answers in each state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from notebook_bcc_ext.errors import NotFoundError, SettingsError
from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest, PlanningAnswer

PLAYBOOK = """\
name: demo
title: Demo
description: A demonstration
goal: Show it
variables:
  needed: {description: must be given, required: true}
  extra: {description: has a default, default: 7}
stages:
  - id: first
    name: First
    goal: Begin
    skip:
      - {when: stop == true, reason: it was stopped.}
    steps:
      - id: one
        name: Step one
        goal: x is there
        outputs: [x]
        skip:
          - {when: facts.done, reason: it is done.}
        behaviors:
          - id: make
            goal: Make x
            outputs: [x]
            actions:
              - chapter: Making
              - text: About {{ needed }}
              - thinking: Hm
              - code: x = {{ needed }}
              - text: Only if asked
                when: facts.asked
            repair:
              goal: Make x another way
              actions: [{code: "x = None"}]
          - id: polish
            when: facts.rough
            goal: Polish x
            actions: [{action: {action: next_event, event_type: polished}}]
      - id: added
        name: Added step
        goal: more
        propose: {after: one, when: facts.more, reason: The data calls for it.}
        behaviors: [{id: more, goal: More, actions: [{text: More}]}]
      - id: two
        name: Step two
        goal: y
        done_when: facts.y
        behaviors: [{id: y, goal: Y, actions: [{text: Y}]}]
  - id: last
    name: Last
    goal: End
    steps:
      - {id: three, name: Step three, goal: z, behaviors: [{id: z, goal: Z, actions: [{text: Z}]}]}
"""


@pytest.fixture
def planner(tmp_path: Path) -> EmbeddedPlanner:
    file = tmp_path / "demo.yaml"
    file.write_text(PLAYBOOK, encoding="utf-8")
    return EmbeddedPlanner(PlaybookLibrary([file]), default_playbook="demo")


def request(
    state: str,
    *,
    stage: str | None = None,
    step: str | None = None,
    behavior: str | None = None,
    completed: tuple[str, ...] = (),
    remaining: tuple[str, ...] = (),
    feedback: dict[str, Any] | None = None,
    variables: dict[str, Any] | None = None,
) -> PlannerRequest:
    level = "steps" if step else "stages"
    return PlannerRequest.parse(
        {
            "observation": {
                "location": {
                    "current": {"stage_id": stage, "step_id": step, "behavior_id": behavior},
                    "progress": {
                        "stages": {}, "steps": {}, "behaviors": {},
                        level: {"completed": list(completed), "remaining": list(remaining)},
                    },
                    "goals": {},
                },
                "context": {
                    "variables": {"needed": "it", **(variables or {})},
                    "FSM": {"state": state},
                },
            },
            "behavior_feedback": feedback,
        }
    )  # fmt: skip


def focus(answer: PlanningAnswer) -> str:
    return " | ".join(update.focus for update in answer.context_update.progress_update)


def test_u3_idle_defines_the_workflow_variables_and_todo_list(planner: EmbeddedPlanner) -> None:
    update = planner.plan(request("IDLE")).context_update
    assert update.workflow_update is not None
    stages = update.workflow_update.updated_workflow.stages
    assert [[step.id for step in stage.steps] for stage in stages] == [["one", "two"], ["three"]]
    assert stages[0].steps[0].expected_outputs == ["x"]
    assert update.variables == {"extra": 7, "playbook": "demo", "language": "en"}
    assert update.todo_list_update is not None
    assert update.todo_list_update.items == ["Step one", "Step two", "Step three"]


def test_e1_a_required_variable_is_asked_for_by_name(planner: EmbeddedPlanner) -> None:
    with pytest.raises(SettingsError, match="needs the variable 'needed': must be given"):
        planner.plan(request("IDLE", variables={"needed": ""}))
    with pytest.raises(NotFoundError, match="there is no playbook 'other'"):
        planner.plan(request("IDLE", variables={"playbook": "other"}))


def test_f7_stage_goes_on_or_is_not_needed(planner: EmbeddedPlanner) -> None:
    assert planner.plan(request("STAGE_RUNNING", stage="first")).achieved is False
    skipped = planner.plan(request("STAGE_RUNNING", stage="first", variables={"stop": True}))
    assert skipped.achieved
    assert focus(skipped) == "First is not needed: it was stopped."


def test_f6_step_start_names_the_behavior_and_what_it_needs(planner: EmbeddedPlanner) -> None:
    answer = planner.plan(
        request("STEP_RUNNING", stage="first", step="one", variables={"facts": {}, "noise": 1})
    )
    assert not answer.achieved
    assert answer.behavior is not None
    assert answer.behavior.id == "make"
    assert answer.context_filter is not None
    assert answer.context_filter.variables_to_include == ["facts", "needed"]
    assert answer.context_update.outputs is not None
    assert answer.context_update.outputs.expected == ["x"]
    assert answer.metadata.estimated_remaining_behaviors == 0
    assert focus(answer) == "x is there | Make x"


def test_f6_step_whose_goal_is_met_is_said_to_be(planner: EmbeddedPlanner) -> None:
    answer = planner.plan(
        request("STEP_RUNNING", stage="first", step="one", variables={"facts": {"done": True}})
    )
    assert answer.achieved
    assert focus(answer) == "Step one is not needed: it is done."


def test_a1_behavior_becomes_actions(planner: EmbeddedPlanner) -> None:
    given = request("BEHAVIOR_RUNNING", stage="first", step="one", behavior="make")
    actions = list(planner.generate(given))
    assert actions == [
        {"action": "new_chapter", "content": "Making"},
        {"action": "add", "shot_type": "dialogue", "content": "About it"},
        {"action": "is_thinking", "thinking_text": "Hm"},
        {"action": "finish_thinking"},
        {"action": "add", "shot_type": "action", "content": 'x = "it"'},
        {
            "action": "exec",
            "codecell_id": "lastAddedCellId",
            "need_output": True,
            "auto_debug": True,
        },
    ]


def test_f9_a_client_that_counts_its_own_ids_is_followed(planner: EmbeddedPlanner) -> None:
    rough = {"facts": {"rough": True}}
    given = request(
        "BEHAVIOR_RUNNING", stage="first", step="one", behavior="behavior_002", variables=rough
    )
    assert list(planner.generate(given)) == [{"action": "next_event", "event_type": "polished"}]


FINE = {
    "behavior_id": "make",
    "actions_executed": 6,
    "actions_succeeded": 6,
    "last_action_result": "success",
}
FAILED = {**FINE, "actions_succeeded": 5, "last_action_result": "NameError: needed"}


def test_f8_feedback_continues_achieves_or_admits(planner: EmbeddedPlanner) -> None:
    def after(feedback: dict[str, Any], **variables: object) -> PlanningAnswer:
        return planner.plan(
            request("ACTION_COMPLETED", stage="first", step="one", behavior="make",
                    feedback=feedback, variables=variables)
        )  # fmt: skip

    onward = after(FINE, x=1, facts={"rough": True})
    assert onward.continues
    assert onward.behavior is not None
    assert onward.behavior.id == "polish"
    done = after(FINE, x=1)
    assert done.achieved
    assert not done.continues
    assert done.context_update.todo_list_update is not None
    assert done.context_update.todo_list_update.items == ["Step one"]
    missed = after(FINE)
    assert not missed.achieved
    assert not missed.continues
    assert "its goal is not met (x)" in focus(missed)


def test_a18_a_failed_cell_is_repaired_once_and_then_admitted(planner: EmbeddedPlanner) -> None:
    given: dict[str, Any] = {"stage": "first", "step": "one", "behavior": "make"}
    answer = planner.plan(request("ACTION_COMPLETED", **given, feedback=FAILED))
    assert answer.continues
    assert answer.behavior is not None
    assert answer.behavior.id == "make_repair"
    assert "NameError: needed" in focus(answer)
    given["behavior"] = "make_repair"
    repair = list(planner.generate(request("BEHAVIOR_RUNNING", **given)))
    assert repair[0]["content"] == "x = None"
    assert repair[1]["auto_debug"] is False
    again = {**FAILED, "behavior_id": "make_repair"}
    answer = planner.plan(request("ACTION_COMPLETED", **given, feedback=again))
    assert not answer.continues
    assert not answer.achieved
    assert "knows no repair" in focus(answer)


def test_u1_optional_step_is_proposed_once_as_a_workflow(planner: EmbeddedPlanner) -> None:
    variables: dict[str, Any] = {"x": 1, "facts": {"more": True}}

    def after() -> PlanningAnswer:
        return planner.plan(
            request("ACTION_COMPLETED", stage="first", step="one", behavior="make",
                    remaining=("mine", "two"), feedback=FINE, variables=variables)
        )  # fmt: skip

    answer = after()
    assert answer.achieved
    proposal = answer.context_update.workflow_update
    assert proposal is not None
    steps = [step.id for step in proposal.updated_workflow.stages[0].steps]
    assert steps == ["one", "added", "mine", "two"]
    wire = answer.to_wire()["context_update"]["workflow_update"]
    assert wire["reason"] == "The data calls for it."
    variables |= answer.context_update.variables
    assert after().context_update.workflow_update is None


def test_u6_an_accepted_step_is_kept_in_later_proposals(planner: EmbeddedPlanner) -> None:
    answer = planner.plan(request("STEP_RUNNING", stage="first", step="added"))
    assert answer.context_update.variables == {"accepted_steps": ["added"]}


def test_f7_step_and_stage_ends_are_judged_by_what_remains(planner: EmbeddedPlanner) -> None:
    ends = request("STEP_COMPLETED", stage="first", step="two", completed=("one", "two"))
    assert planner.plan(ends).achieved
    more = request("STEP_COMPLETED", stage="first", step="one", remaining=("two",))
    assert not planner.plan(more).achieved
    assert planner.plan(request("STAGE_COMPLETED", stage="last")).achieved
    more = request("STAGE_COMPLETED", stage="first", remaining=("last",))
    assert focus(planner.plan(more)) == "1 to go: last"


def test_c10_a_step_that_a_person_added_is_passed_and_nothing_is_done(
    planner: EmbeddedPlanner,
) -> None:
    given: dict[str, Any] = {"stage": "first", "step": "my_own", "behavior": "behavior_001"}
    answer = planner.plan(request("STEP_RUNNING", **given))
    assert answer.achieved  # Before any behavior: the plan shows it as passed over.
    assert "it is left to you" in focus(answer)
    assert list(planner.generate(request("BEHAVIOR_RUNNING", **given))) == []


def test_e1_without_a_state_the_location_tells_the_level(planner: EmbeddedPlanner) -> None:
    assert planner.plan(request("")).context_update.workflow_update is not None
    assert planner.plan(request("", stage="first")).behavior is None
    assert planner.plan(request("", stage="first", step="one")).behavior is not None


KERNEL = {"playbook": "other", "goal": "kernel", "language": "zh", "extra": 9, "data_path": "k.csv"}


@pytest.mark.parametrize("state", ["IDLE", "STEP_RUNNING"])
def test_e1_a_variable_of_the_kernel_is_not_what_the_person_chose(
    tmp_path: Path, state: str
) -> None:
    (tmp_path / "demo.yaml").write_text(PLAYBOOK, encoding="utf-8")
    library = PlaybookLibrary([tmp_path / "demo.yaml"])
    planner = EmbeddedPlanner(library, "demo", said={"needed": "it"})
    asked = request(state, stage="first", step="one", variables={**KERNEL, "needed": "kernel"})
    situation = planner.situation(asked)
    assert situation.playbook.name == "demo"
    assert situation.language == "en"
    seen = situation.variables
    assert (seen["needed"], seen["extra"]) == ("it", 7)
    assert "goal" not in seen
    assert "data_path" not in seen
    own = EmbeddedPlanner(library, "demo", said={"needed": "it", "goal": "mine", "extra": 1})
    assert own.situation(asked).variables["goal"] == "mine"
    assert own.situation(asked).variables["extra"] == 1


def test_e1_a_service_is_told_the_playbook_that_a_kernel_variable_hides(
    planner: EmbeddedPlanner,
) -> None:
    asked = request("IDLE", variables=KERNEL)
    asked.observation.context.inputs = {"playbook": "demo"}
    assert planner.situation(asked).playbook.name == "demo"
