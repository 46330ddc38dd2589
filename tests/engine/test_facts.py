"""A fact, and the state that facts give, are the same after they were text, whatever a planner put
into them."""

from __future__ import annotations

import json

import pytest

from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.engine.state import STATES, RunState
from notebook_bcc_ext.protocol.browser.facts import (
    FACTS,
    Answered,
    Asked,
    Began,
    CellAdded,
    CellRan,
    ContextUpdated,
    EffectAdded,
    Failed,
    Judged,
    PlanAdopted,
    PlanChanged,
    Promoted,
    SectionBegan,
    StageEntered,
    StepEntered,
    Summed,
    ThinkingChanged,
    Transitioned,
)
from notebook_bcc_ext.protocol.browser.runs import Decision, Pending, RunError
from notebook_bcc_ext.protocol.plain import model_text, plain
from notebook_bcc_ext.protocol.states import Event, State

HALF = "half \ud83d"
VALUES = ["plain", "中文 🎉", 'quote " and \\', HALF, None, [1, {"a": 2.5}], float("nan"), 10**30]
WORKFLOW = {"name": "W", "stages": [{"id": "a", "steps": [{"id": "s"}], "own": 1}], "extra": [1]}


def facts_about(value):
    """Every kind that carries a stranger's words."""
    text = f"said {value}"
    update = {
        "variables": {"v": value},
        "workflow_progress": value,
        "progress_update": [{"level": "steps", "focus": text}],
        "todo_list_update": {"operation": "add", "items": [text]},
        "effects_update": {"current": [text], "history": [text]},
        "section_progress": {"current_section_id": text, "all": [text]},
        "outputs": {"expected": ["x"], "produced": ["y"], "findings": value, "own": [value]},
    }
    answer = {
        "targetAchieved": False,
        "transition": {"next_step_id": "s", "own": value},
        "context_update": update,
        "context_filter": {"variables_to_include": [text], "focus_to_include": ["steps"]},
        "own": value,
    }
    question = Pending(id="q", kind="code", summary=text, content={"c": value}, asked_at="2026")
    decision = Decision(proposal_id="q", kind="code", verdict="rejected", reason=text)
    error = RunError(message=text, kind="k", location={"stage_id": text}, traceback=text)
    artifact = {"artifact_id": "a@1", "variable_name": "a_1", "description": text, "own": value}
    proposed = {"updated_workflow": {**WORKFLOW, "description": text}}
    return [
        Began(variables={"goal": value}),
        PlanAdopted(workflow={**WORKFLOW, "description": text}),
        Transitioned(
            number=1,
            from_state=State.IDLE,
            event=Event.START_WORKFLOW,
            to_state=State.STAGE_RUNNING,
        ),
        StageEntered(stage_id="a"),
        StepEntered(step_id="s"),
        Judged(level="step", verdict="not_yet", answer=answer),
        ContextUpdated(answer=answer),
        PlanChanged(what="workflow", update=proposed),
        Promoted(artifact=artifact, level="steps"),
        CellAdded(cell_id="c", cell_type="code", name=text),
        CellRan(cell_id="c", status="ok", printed=text, kernel="k", theirs=[text], present=["x"]),
        SectionBegan(level="section", number=1, section_id=text),
        ThinkingChanged(active=True, cell_id="c", agent_name=text, text=text),
        EffectAdded(text=text, cell_id="c"),
        Asked(question=question),
        Answered(decision=decision, changes={"source": value}),
        Failed(error=error),
    ]


def is_exact(value):
    """Whether JSON has it as it is."""
    return value != HALF and plain(value) == value


def as_text(state):
    text = json.dumps(plain(STATES.dump_python(state, mode="json")), sort_keys=True)
    # Half a character in a key: pydantic has three signs for it.
    return text.replace("\\ufffd\\ufffd\\ufffd", "?")


@pytest.mark.parametrize("value", VALUES)
def test_facts_survive_as_text(value):
    for fact in facts_about(value):
        text = model_text(fact, by_alias=True)
        read = FACTS.validate_json(text.encode())
        assert json.loads(model_text(read, by_alias=True)) == json.loads(text)
        assert read.time == fact.time
        if is_exact(value):
            assert read == fact


@pytest.mark.parametrize("value", VALUES)
def test_stored_facts_give_the_state_that_they_gave_when_they_happened(value):
    facts = facts_about(value)
    read = [FACTS.validate_json(model_text(fact, by_alias=True)) for fact in facts]
    assert as_text(fold(read)) == as_text(fold(facts))
    if is_exact(value):
        assert fold(read) == fold(facts)


@pytest.mark.parametrize("value", VALUES)
def test_the_state_survives_as_text(value):
    state = fold(facts_about(value))
    whole = plain(STATES.dump_python(state, mode="json"))
    summed = Summed(state=whole, time=state.changed_at)
    read = FACTS.validate_json(model_text(summed, by_alias=True))
    again = fold([read])
    assert as_text(again) == as_text(state)
    assert again.facts == len(facts_about(value))
    if is_exact(value):
        assert again == state


def test_half_a_character_is_stored_as_one_that_every_reader_takes():
    text = model_text(Began(variables={"said": HALF}), by_alias=True)
    assert FACTS.validate_json(text).variables == {"said": "half ?"}


def test_nothing_has_happened_in_an_empty_run():
    assert STATES.validate_json(STATES.dump_json(RunState())) == RunState() == fold([])
