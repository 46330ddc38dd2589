"""A1-A17: how a line becomes an action, and what is said of one that cannot."""

import pytest

from notebook_bcc_ext.errors import MissingFieldError, ProtocolError, UnknownActionError
from notebook_bcc_ext.protocol.planner.actions import (
    BUILTIN_ACTION_TYPES,
    AddAction,
    CustomAction,
    ExecAction,
    NewSectionAction,
    UpdateTitleAction,
    parse_action,
)


@pytest.mark.parametrize(
    ("raw", "shot_type"),
    [
        ({"action": "add", "content": "x"}, "dialogue"),
        ({"action": "add", "content": "x", "shot_type": "observation"}, "observation"),
        ({"action": "add", "content": "x", "shotType": "action"}, "action"),
        ({"type": "add", "content": "x", "shotType": "markdown"}, "markdown"),
        ({"action": "add-text", "content": "x"}, "dialogue"),
        ({"type": "add_content", "content_type": "text", "content": "x"}, "dialogue"),
        ({"type": "add_content", "content_type": "code", "content": "x"}, "action"),
        ({"type": "add_content", "contentType": "code", "content": "x"}, "action"),
        ({"action": {"action": "add", "content": "x", "shot_type": "action"}}, "action"),
        ({"action": {"type": "add_content", "content": "x"}}, "dialogue"),
    ],
)
def test_a1_spellings_of_add(raw, shot_type):
    action = parse_action(raw)
    assert isinstance(action, AddAction)
    assert (action.shot_type, action.content) == (shot_type, "x")
    assert action.is_code is (shot_type == "action")


def test_a2_spellings_of_exec():
    action = parse_action(
        {
            "type": "execute_code",
            "codecellId": "c1",
            "needOutput": False,
            "autoDebug": True,
            "keepDebugButtonVisible": True,
        }
    )
    assert isinstance(action, ExecAction)
    assert action.codecell_id == "c1"
    assert (action.need_output, action.auto_debug, action.keep_debug_button_visible) == (
        False,
        True,
        True,
    )


def test_a6_alias_of_new_section():
    assert isinstance(parse_action({"type": "add_section", "content": "x"}), NewSectionAction)


def test_a7_title_may_be_called_content():
    action = parse_action({"action": "update_title", "content": "T"})
    assert isinstance(action, UpdateTitleAction)
    assert action.title == "T"


def test_a15_metadata_in_both_spellings_and_extras_are_kept():
    action = parse_action(
        {
            "action": "add",
            "content": "x",
            "storeId": "s",
            "metadata": {
                "isSection": True,
                "sectionNumber": 2,
                "extra": {"dfTrain": 1},
                "colour": "red",
            },
        }
    )
    assert isinstance(action, AddAction)
    assert action.metadata is not None
    assert action.store_id == "s"
    assert (action.metadata.is_section, action.metadata.section_number) == (True, 2)
    assert action.metadata.extra == {"dfTrain": 1}
    assert action.to_wire()["metadata"]["colour"] == "red"


REQUIRED = {
    "add": ["content"],
    "exec": ["codecell_id"],
    "is_thinking": [],
    "finish_thinking": [],
    "new_chapter": ["content"],
    "new_section": ["content"],
    "update_title": ["title"],
    "update_workflow": ["updated_workflow"],
    "update_stage_steps": ["stage_id", "updated_steps"],
    "end_phase": [],
    "next_event": ["event_type"],
    "new_step": ["content"],
    "comment_result": ["content"],
    "update_last_text": ["content"],
    "set_effect_as_thinking": [],
    "promote_artifact": ["variable_name", "artifact_id"],
}
SAMPLES = {"updated_workflow": {"stages": []}, "updated_steps": [{"id": "s"}]}


def test_a17_the_table_of_required_fields_is_complete():
    assert set(REQUIRED) == BUILTIN_ACTION_TYPES


@pytest.mark.parametrize("kind", REQUIRED)
def test_a17_required_fields_are_enough(kind):
    fields = {field: SAMPLES.get(field, "v") for field in REQUIRED[kind]}
    assert parse_action({"action": kind, **fields}).action == kind


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in REQUIRED.items() for field in fields]
)
def test_a17_a_missing_field_is_named_with_its_action(kind, field):
    fields = {f: SAMPLES.get(f, "v") for f in REQUIRED[kind] if f != field}
    with pytest.raises(MissingFieldError) as caught:
        parse_action({"action": kind, **fields})
    assert str(caught.value) == f"action '{kind}': required field '{field}' is missing"


@pytest.mark.parametrize("raw", [None, 3, "add", [], [{"action": "add"}]])
def test_a17_not_an_object(raw):
    with pytest.raises(ProtocolError, match="must be a JSON object"):
        parse_action(raw)


def test_a17_no_type_wrong_type_wrong_value():
    with pytest.raises(MissingFieldError, match="required field 'action'"):
        parse_action({"content": "x"})
    with pytest.raises(ProtocolError, match="type must be text"):
        parse_action({"action": 5})
    with pytest.raises(ProtocolError, match=r"action 'add': field 'content' .* \(got 5\)"):
        parse_action({"action": "add", "content": 5})
    with pytest.raises(ProtocolError, match="shot_type"):
        parse_action({"action": "add", "content": "x", "shot_type": "nonsense"})


def test_a16_a_registered_type_is_known_and_keeps_its_fields():
    with pytest.raises(UnknownActionError, match="'send_mail'"):
        parse_action({"action": "send_mail", "to": "a"})
    action = parse_action({"action": "send_mail", "to": "a"}, frozenset({"send_mail"}))
    assert isinstance(action, CustomAction)
    assert action.to_wire() == {"action": "send_mail", "to": "a"}
