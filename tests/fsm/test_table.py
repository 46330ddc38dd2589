"""F1-F5: the machine against an independent copy of the table."""

import csv
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.errors import IllegalTransitionError
from notebook_bcc_ext.fsm import (
    TRANSITIONS,
    allowed_events,
    allows,
    follow,
    is_running,
    next_state,
    owner_of,
)
from notebook_bcc_ext.fsm.diagram import to_csv, to_mermaid
from notebook_bcc_ext.protocol.states import Event, State

with (Path(__file__).parent / "transitions.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
EXPECTED = {(row["state"], row["event"]): row for row in ROWS}


def test_f1_counts():
    assert (len(State), len(Event), len(TRANSITIONS)) == (14, 22, 45)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", Event)
def test_f1_f2_every_pair(state, event):
    row = EXPECTED.get((state.value, event.value))
    assert allows(state, event) is (row is not None)
    if row is None:
        assert next_state(state, event) is None
        assert owner_of(state, event) is None
        with pytest.raises(IllegalTransitionError, match=event):
            follow(state, event)
    else:
        assert follow(state, event) == next_state(state, event) == row["next_state"]
        assert owner_of(state, event) == row["owner"]


def test_f2_a_refusal_is_logged_and_names_what_is_allowed(caplog):
    with caplog.at_level(logging.WARNING), pytest.raises(IllegalTransitionError) as caught:
        follow(State.IDLE, Event.RESET)
    assert caught.value.allowed == ("START_WORKFLOW",)
    assert "RESET is not allowed in state idle" in caplog.text


@pytest.mark.parametrize("state", State)
def test_f5_is_running(state):
    at_rest = {"idle", "error", "cancelled", "workflow_completed"}
    assert is_running(state) is (state.value not in at_rest)


@given(st.lists(st.sampled_from(Event), max_size=60))
def test_whoever_follows_events_never_leaves_the_table(events):
    state = State.IDLE
    for event in events:
        row = EXPECTED.get((state.value, event.value))
        if row is None:
            with pytest.raises(IllegalTransitionError):
                follow(state, event)
        else:
            state = follow(state, event)
            assert state == row["next_state"]


@pytest.mark.parametrize("state", State)
def test_allowed_events_are_those_of_the_table(state):
    expected = {row["event"] for row in ROWS if row["state"] == state.value}
    assert {event.value for event in allowed_events(state)} == expected


def test_csv_has_the_table_sorted():
    expected = sorted((row["state"], row["event"], row["next_state"]) for row in ROWS)
    printed = list(csv.reader(to_csv().splitlines()))
    assert printed[0] == ["state", "event", "next_state"]
    assert [tuple(row) for row in printed[1:]] == expected


def test_mermaid_draws_every_transition():
    drawing = to_mermaid()
    for row in ROWS:
        assert f"{row['state']} --> {row['next_state']}: {row['event']}" in drawing
