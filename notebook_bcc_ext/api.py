"""What other packages may import; everything else may change with any version.

Writing an action (`docs/actions.md`, `examples/custom-action`):

    ENTRY_POINT_GROUP     group of entry points under which a package offers its actions
    ActionRegistry        what such an entry point is called with: `register`, `before`, `after`
    ActionContext         one run, seen from an action: add cells, run them, warn, propose
    ActionResult          how an action ended
    CustomAction          an action whose type is not the protocol's, with the fields it was sent
    Action                any action: one of the protocol's, or a custom one
    AddAction             the protocol's action that adds a cell, for hooks around it
    ExecAction            the protocol's action that runs a cell, for hooks around it
    ActionMetadata        what a planner says of the cell that an action makes
    ThinkingState         the thinking cell that is open, if any
    Handler               type of a handler, such as `Handler[CustomAction]`
    Outcome               what a handler may return
    PreHook               type of what runs before an action and may refuse it by raising
    PostHook              type of what runs after an action
    WireModel             base for the fields of an action of one's own: `Fields.parse(…)`

Writing a planner service (`jupyter bcc schema`, `examples/planner-service`):

    PlannerRequest        what is posted to /planning and /generating
    Observation           the part of it that says where the run is and what it sees
    BehaviorFeedback      the part of it that says how a behavior went
    PlanningAnswer        what /planning answers
    Transition            the part of it that decides
    ContextUpdate         what an answer changes of variables, plan, effects and outputs
    ContextFilter         what an answer asks to be told in the next observation
    GeneratingAnswer      what /generating answers when it does not stream
    WorkflowTemplate      a plan: stages of steps
    StageTemplate         one stage of it
    StepTemplate          one step of a stage
    WorkflowUpdate        a proposal of another plan
    StageStepsUpdate      a proposal of other steps for a stage
    parse_action          one decoded line of a stream -> an action, or an error that says why not
    json_schema           the JSON Schema of a part of the protocol, by name
    State                 the states of a run
    Event                 the events that lead from one to the next

Errors, which an action may raise and a caller of the above may see; their tree and its words are in
`notebook_bcc_ext.errors`:

    BccError              base of them all; its message is for people
    ProtocolError         fields that do not fit the protocol
    MissingFieldError     one that is required is absent
    UnknownActionError    a type of action that nobody registered
    InvalidProposalError  an update that would break the running workflow
    NotFoundError         a cell, run or playbook that does not exist
    KernelError           the kernel cannot do what was asked
    NotebookError         the notebook cannot be read or written
    RunFailedError        the run cannot go on; its message is what the person reads

    __version__           version of the product
"""

from __future__ import annotations

from notebook_bcc_ext import __version__
from notebook_bcc_ext.actions.context import ActionContext, ActionResult, ThinkingState
from notebook_bcc_ext.actions.registry import (
    ENTRY_POINT_GROUP,
    ActionRegistry,
    Handler,
    Outcome,
    PostHook,
    PreHook,
)
from notebook_bcc_ext.errors import (
    BccError,
    InvalidProposalError,
    KernelError,
    MissingFieldError,
    NotebookError,
    NotFoundError,
    ProtocolError,
    RunFailedError,
    UnknownActionError,
)
from notebook_bcc_ext.protocol.base import WireModel
from notebook_bcc_ext.protocol.plan import (
    StageStepsUpdate,
    StageTemplate,
    StepTemplate,
    WorkflowTemplate,
    WorkflowUpdate,
)
from notebook_bcc_ext.protocol.planner.actions import (
    Action,
    ActionMetadata,
    AddAction,
    CustomAction,
    ExecAction,
    parse_action,
)
from notebook_bcc_ext.protocol.planner.calls import (
    BehaviorFeedback,
    ContextFilter,
    ContextUpdate,
    GeneratingAnswer,
    PlannerRequest,
    PlanningAnswer,
    Transition,
)
from notebook_bcc_ext.protocol.planner.catalogue import json_schema
from notebook_bcc_ext.protocol.planner.observation import Observation
from notebook_bcc_ext.protocol.states import Event, State

__all__ = [
    "ENTRY_POINT_GROUP",
    "Action",
    "ActionContext",
    "ActionMetadata",
    "ActionRegistry",
    "ActionResult",
    "AddAction",
    "BccError",
    "BehaviorFeedback",
    "ContextFilter",
    "ContextUpdate",
    "CustomAction",
    "Event",
    "ExecAction",
    "GeneratingAnswer",
    "Handler",
    "InvalidProposalError",
    "KernelError",
    "MissingFieldError",
    "NotFoundError",
    "NotebookError",
    "Observation",
    "Outcome",
    "PlannerRequest",
    "PlanningAnswer",
    "PostHook",
    "PreHook",
    "ProtocolError",
    "RunFailedError",
    "StageStepsUpdate",
    "StageTemplate",
    "State",
    "StepTemplate",
    "ThinkingState",
    "Transition",
    "UnknownActionError",
    "WireModel",
    "WorkflowTemplate",
    "WorkflowUpdate",
    "__version__",
    "json_schema",
    "parse_action",
]
