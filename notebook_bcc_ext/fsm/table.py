"""The transition table (F1), and nothing that decides when to use it.

Rules the table encodes:

- Progress climbs one level at a time: workflow, stage, step, behavior, action, and back.
- A proposed update exists only while an action runs; the person's answer ends that action.
- A rejected workflow changes nothing (`action_completed`); a rejected step list is an `error`,
  because the planner asked for steps that the person does not want.
- `idle`, `stage_completed` and the two pending states cannot FAIL: a failing call there keeps
  the state and the run waits for a retry (F13).

`docs/state-machine.md` is generated from this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from notebook_bcc_ext.protocol.states import Event as E
from notebook_bcc_ext.protocol.states import Owner
from notebook_bcc_ext.protocol.states import State as S

P, G, C = Owner.PLANNING, Owner.GENERATING, Owner.CLIENT

TRANSITIONS: Mapping[tuple[S, E], tuple[S, Owner]] = {
    (S.IDLE, E.START_WORKFLOW): (S.STAGE_RUNNING, P),
    (S.STAGE_RUNNING, E.START_STEP): (S.STEP_RUNNING, P),
    (S.STAGE_RUNNING, E.COMPLETE_STAGE): (S.STAGE_COMPLETED, P),
    (S.STEP_RUNNING, E.START_BEHAVIOR): (S.BEHAVIOR_RUNNING, P),
    (S.STEP_RUNNING, E.COMPLETE_STEP): (S.STEP_COMPLETED, P),
    (S.BEHAVIOR_RUNNING, E.START_ACTION): (S.ACTION_RUNNING, G),
    (S.BEHAVIOR_RUNNING, E.COMPLETE_BEHAVIOR): (S.BEHAVIOR_COMPLETED, P),
    (S.ACTION_RUNNING, E.COMPLETE_ACTION): (S.ACTION_COMPLETED, C),
    (S.ACTION_COMPLETED, E.NEXT_ACTION): (S.ACTION_RUNNING, C),
    (S.ACTION_COMPLETED, E.COMPLETE_BEHAVIOR): (S.BEHAVIOR_COMPLETED, P),
    (S.BEHAVIOR_COMPLETED, E.NEXT_BEHAVIOR): (S.BEHAVIOR_RUNNING, P),
    (S.BEHAVIOR_COMPLETED, E.COMPLETE_STEP): (S.STEP_COMPLETED, P),
    (S.STEP_COMPLETED, E.NEXT_STEP): (S.STEP_RUNNING, C),
    (S.STEP_COMPLETED, E.COMPLETE_STAGE): (S.STAGE_COMPLETED, P),
    (S.STAGE_COMPLETED, E.NEXT_STAGE): (S.STAGE_RUNNING, C),
    (S.STAGE_COMPLETED, E.COMPLETE_WORKFLOW): (S.WORKFLOW_COMPLETED, P),
    (S.WORKFLOW_COMPLETED, E.RESET): (S.IDLE, C),
    (S.ACTION_RUNNING, E.UPDATE_WORKFLOW): (S.WORKFLOW_UPDATE_PENDING, P),
    (S.ACTION_RUNNING, E.UPDATE_STEP): (S.STEP_UPDATE_PENDING, P),
    (S.WORKFLOW_UPDATE_PENDING, E.UPDATE_WORKFLOW_CONFIRMED): (S.ACTION_COMPLETED, C),
    (S.WORKFLOW_UPDATE_PENDING, E.UPDATE_WORKFLOW_REJECTED): (S.ACTION_COMPLETED, C),
    (S.WORKFLOW_UPDATE_PENDING, E.COMPLETE_ACTION): (S.WORKFLOW_UPDATE_PENDING, C),
    (S.STEP_UPDATE_PENDING, E.UPDATE_STEP_CONFIRMED): (S.ACTION_COMPLETED, C),
    (S.STEP_UPDATE_PENDING, E.UPDATE_STEP_REJECTED): (S.ERROR, C),
    (S.STAGE_RUNNING, E.FAIL): (S.ERROR, C),
    (S.STAGE_RUNNING, E.CANCEL): (S.CANCELLED, C),
    (S.STEP_RUNNING, E.FAIL): (S.ERROR, C),
    (S.STEP_RUNNING, E.CANCEL): (S.CANCELLED, C),
    (S.BEHAVIOR_RUNNING, E.FAIL): (S.ERROR, C),
    (S.BEHAVIOR_RUNNING, E.CANCEL): (S.CANCELLED, C),
    (S.ACTION_RUNNING, E.FAIL): (S.ERROR, C),
    (S.ACTION_RUNNING, E.CANCEL): (S.CANCELLED, C),
    (S.ACTION_COMPLETED, E.FAIL): (S.ERROR, C),
    (S.ACTION_COMPLETED, E.CANCEL): (S.CANCELLED, C),
    (S.BEHAVIOR_COMPLETED, E.FAIL): (S.ERROR, C),
    (S.BEHAVIOR_COMPLETED, E.CANCEL): (S.CANCELLED, C),
    (S.STEP_COMPLETED, E.FAIL): (S.ERROR, C),
    (S.STEP_COMPLETED, E.CANCEL): (S.CANCELLED, C),
    (S.STAGE_COMPLETED, E.CANCEL): (S.CANCELLED, C),
    (S.WORKFLOW_UPDATE_PENDING, E.CANCEL): (S.CANCELLED, C),
    (S.STEP_UPDATE_PENDING, E.CANCEL): (S.CANCELLED, C),
    (S.ERROR, E.RESET): (S.IDLE, C),
    (S.ERROR, E.START_WORKFLOW): (S.STAGE_RUNNING, C),
    (S.ERROR, E.START_BEHAVIOR): (S.BEHAVIOR_RUNNING, C),
    (S.CANCELLED, E.RESET): (S.IDLE, C),
}


def next_state(state: S, event: E) -> S | None:
    """Where `event` leads from `state`, or None when the pair is not in the table (F2)."""
    entry = TRANSITIONS.get((state, event))
    return entry[0] if entry else None


def owner_of(state: S, event: E) -> Owner | None:
    entry = TRANSITIONS.get((state, event))
    return entry[1] if entry else None


def allowed_events(state: S) -> list[E]:
    return [event for (source, event) in TRANSITIONS if source is state]
