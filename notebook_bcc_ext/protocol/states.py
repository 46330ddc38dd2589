"""The states and events of the workflow state machine (F1)."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    IDLE = "idle"
    STAGE_RUNNING = "stage_running"
    STEP_RUNNING = "step_running"
    BEHAVIOR_RUNNING = "behavior_running"
    ACTION_RUNNING = "action_running"
    ACTION_COMPLETED = "action_completed"
    BEHAVIOR_COMPLETED = "behavior_completed"
    STEP_COMPLETED = "step_completed"
    STAGE_COMPLETED = "stage_completed"
    WORKFLOW_COMPLETED = "workflow_completed"
    ERROR = "error"
    CANCELLED = "cancelled"
    WORKFLOW_UPDATE_PENDING = "workflow_update_pending"
    STEP_UPDATE_PENDING = "step_update_pending"


IN_A_BEHAVIOR = frozenset(
    {
        State.BEHAVIOR_RUNNING,
        State.ACTION_RUNNING,
        State.ACTION_COMPLETED,
        State.WORKFLOW_UPDATE_PENDING,
        State.STEP_UPDATE_PENDING,
        State.BEHAVIOR_COMPLETED,
    }
)


class Event(StrEnum):
    START_WORKFLOW = "START_WORKFLOW"
    START_STEP = "START_STEP"
    START_BEHAVIOR = "START_BEHAVIOR"
    START_ACTION = "START_ACTION"
    COMPLETE_ACTION = "COMPLETE_ACTION"
    NEXT_ACTION = "NEXT_ACTION"
    COMPLETE_BEHAVIOR = "COMPLETE_BEHAVIOR"
    NEXT_BEHAVIOR = "NEXT_BEHAVIOR"
    COMPLETE_STEP = "COMPLETE_STEP"
    NEXT_STEP = "NEXT_STEP"
    COMPLETE_STAGE = "COMPLETE_STAGE"
    NEXT_STAGE = "NEXT_STAGE"
    COMPLETE_WORKFLOW = "COMPLETE_WORKFLOW"
    FAIL = "FAIL"
    CANCEL = "CANCEL"
    RESET = "RESET"
    UPDATE_WORKFLOW = "UPDATE_WORKFLOW"
    UPDATE_STEP = "UPDATE_STEP"
    UPDATE_WORKFLOW_CONFIRMED = "UPDATE_WORKFLOW_CONFIRMED"
    UPDATE_WORKFLOW_REJECTED = "UPDATE_WORKFLOW_REJECTED"
    UPDATE_STEP_CONFIRMED = "UPDATE_STEP_CONFIRMED"
    UPDATE_STEP_REJECTED = "UPDATE_STEP_REJECTED"


class Owner(StrEnum):
    """Who decides that a transition happens: the planner's judgement or the client."""

    PLANNING = "planning"
    GENERATING = "generating"
    CLIENT = "client"
