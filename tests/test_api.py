"""The front door: exactly these names, each of them there and explained, and typed for others."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import notebook_bcc_ext
from notebook_bcc_ext import api

NAMES = """
    ENTRY_POINT_GROUP ActionRegistry ActionContext ActionResult CustomAction Action ActionMetadata
    AddAction ExecAction ThinkingState Handler Outcome PreHook PostHook WireModel
    PlannerRequest Observation BehaviorFeedback PlanningAnswer Transition ContextUpdate
    ContextFilter GeneratingAnswer WorkflowTemplate StageTemplate StepTemplate WorkflowUpdate
    StageStepsUpdate
    parse_action json_schema State Event
    BccError ProtocolError MissingFieldError UnknownActionError InvalidProposalError NotFoundError
    KernelError NotebookError RunFailedError
    __version__
"""

CUSTOM_ACTIONS = """
from notebook_bcc_ext.api import (
    Action,
    ActionContext,
    ActionRegistry,
    ActionResult,
    CustomAction,
    Handler,
    Outcome,
    PostHook,
    PreHook,
    WireModel,
)


class Fields(WireModel):
    text: str


def add_actions(registry: ActionRegistry) -> None:
    @registry.register("decorated")
    async def decorated(context: ActionContext, action: CustomAction) -> ActionResult:
        wanted = Fields.parse(action.to_wire())
        cell_id = await context.add_cell("markdown", wanted.text)
        return ActionResult(success=True, cell_id=cell_id)

    reveal_type(decorated)
    handler: Handler[CustomAction] = plain
    registry.register_handler("plain", handler)
    before: PreHook[Action] = look
    after: PostHook[CustomAction] = note
    registry.before(before)
    registry.after(after, "plain")


def plain(context: ActionContext, action: CustomAction) -> None:
    context.warn(action.action)


def look(context: ActionContext, action: Action) -> None:
    if action.action == "exec":
        raise PermissionError


async def note(context: ActionContext, action: CustomAction, outcome: Outcome) -> None:
    context.publish("noted", {"action": action.action})
"""
WRONG = """
from notebook_bcc_ext.api import ActionContext, ActionRegistry, CustomAction

registry = ActionRegistry()


@registry.register("a")
def wrong_context(context: int, action: CustomAction) -> None: ...


@registry.register("b")
def wrong_result(context: ActionContext, action: CustomAction) -> str:
    return context.nothing_of_the_kind
"""


def test_exactly_these_names_are_exported():
    assert sorted(api.__all__) == sorted(NAMES.split())


@pytest.mark.parametrize("name", sorted(NAMES.split()))
def test_each_is_there_and_explained(name):
    assert getattr(api, name) is not None
    assert re.search(rf"^    {name} {{2,}}\S", api.__doc__, re.MULTILINE), f"{name} has no line"


def test_the_module_explains_nothing_else():
    explained = re.findall(r"^    (\w+) {2,}\S", api.__doc__, re.MULTILINE)
    assert sorted(explained) == sorted(api.__all__)


def test_all_that_a_handler_may_do_is_explained():
    public = [name for name in vars(api.ActionContext) if not name.startswith("_")]
    undocumented = [name for name in public if not getattr(api.ActionContext, name).__doc__]
    assert public
    assert undocumented == []


def checked(tmp_path, code):
    """What a strict mypy says of a package that only knows the installed product."""
    (tmp_path / "theirs.py").write_text(code)
    (tmp_path / "mypy.ini").write_text("[mypy]\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "theirs.py"]
    cache = ["--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent"]
    return subprocess.run(
        [*command, *cache], cwd=tmp_path, capture_output=True, text=True, check=False
    )


def test_a_custom_action_is_clean_for_a_strict_type_checker(tmp_path):
    done = checked(tmp_path, CUSTOM_ACTIONS)
    assert "Success: no issues found" in done.stdout, done.stdout
    revealed = re.search(r'Revealed type is "(.*)"', done.stdout)
    assert revealed
    assert "Any]" not in revealed[1].replace("Coroutine[Any, Any, ", "")
    assert "ActionContext" in revealed[1]


def test_a_wrong_one_is_not(tmp_path):
    said = checked(tmp_path, WRONG).stdout
    assert 'has no attribute "nothing_of_the_kind"' in said
    assert 'cannot be "Callable[[int, CustomAction], None]"' in said
    assert 'cannot be "Callable[[ActionContext, CustomAction], str]"' in said


def test_the_package_says_that_it_is_typed():
    assert (Path(notebook_bcc_ext.__file__).parent / "py.typed").is_file()
