"""The playbook format, as strict models: what is not in here is an error in a playbook.

A playbook is a workflow template whose steps also say how they are done: when they are not
needed, which behaviors they consist of, when they are done, and when an optional step is worth
proposing. Texts are plain or per language (`{en: …, zh: …}`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from notebook_bcc_ext.planners.conditions import ConditionError, parse_condition
from notebook_bcc_ext.protocol.documented import DocumentedModel

DEFAULT_LANGUAGE = "en"
IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_]*$"
ACTION_KINDS = ("title", "chapter", "section", "text", "thinking", "code", "code_file", "action")


def _plain_is_default(value: Any) -> Any:
    return {DEFAULT_LANGUAGE: value} if isinstance(value, str) else value


def _readable(source: str) -> str:
    try:
        parse_condition(source)
    except ConditionError as error:
        raise ValueError(str(error)) from None
    return source


LocalText = Annotated[
    dict[Annotated[str, Field(pattern=r"^[a-z]{2}$")], str],
    Field(min_length=1),
    BeforeValidator(_plain_is_default),
    WithJsonSchema(
        {
            "description": "Text, or one text per language (two-letter codes such as en, zh).",
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
            ],
        }
    ),
]
ConditionText = Annotated[str, AfterValidator(_readable)]
Identifier = Annotated[str, Field(pattern=IDENTIFIER)]
FunctionName = Annotated[str, Field(pattern=r"^[A-Za-z]\w*(\.[A-Za-z]\w*)*$")]


def in_language(text: dict[str, str], language: str) -> str:
    """The text in that language, else in English, else in the first language given."""
    return text.get(language) or text.get(DEFAULT_LANGUAGE) or next(iter(text.values()), "")


class _Part(DocumentedModel):
    model_config = ConfigDict(extra="forbid")


class Variable(_Part):
    description: LocalText
    required: bool = False
    default: Any = None


class ActionItem(_Part):
    """One thing to write or run. Exactly one of the kinds is given."""

    title: LocalText | None = None
    """The notebook's title."""
    chapter: LocalText | None = None
    section: LocalText | None = None
    text: LocalText | None = None
    """A markdown cell."""
    thinking: LocalText | None = None
    """A thinking cell, finished at once."""
    code: str | None = None
    """A code cell, run as soon as it is written."""
    code_file: str | None = None
    """The same, from a file beside the playbook; after loading, `code` holds its content."""
    action: dict[str, Any] | None = None
    """Any action of the protocol, as it goes over the wire."""
    when: ConditionText | None = None
    need_output: bool = True
    """Whether the outputs of the code are reported to the planner."""

    def texts(self) -> list[str]:
        """All that may hold placeholders, in all languages."""
        local = self.title or self.chapter or self.section or self.text or self.thinking or {}
        return [*local.values(), self.code or ""]

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> ActionItem:
        given = [kind for kind in ACTION_KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            choices = ", ".join(ACTION_KINDS)
            found = " and ".join(given) or "none"
            raise ValueError(f"give exactly one of {choices} (found {found})")
        return self


class Repair(_Part):
    """What to do instead when a cell of the behavior fails."""

    goal: LocalText
    actions: list[ActionItem] = Field(min_length=1)


class Behavior(_Part):
    id: Identifier
    goal: LocalText
    when: ConditionText | None = None
    """Left out when this does not hold; judged when its turn comes."""
    outputs: list[str] = Field(default_factory=list)
    actions: list[ActionItem] = Field(default_factory=list)
    repair: Repair | None = None


class Skip(_Part):
    """The goal is met, or cannot apply, before anything was done."""

    when: ConditionText
    reason: LocalText


class Propose(_Part):
    """Makes a step optional: it joins the workflow only when a person agrees."""

    after: Identifier
    """The step of the same stage whose end is the moment to ask."""
    when: ConditionText
    reason: LocalText


class Fail(_Part):
    """The goal cannot be reached: the run ends in error, with this sentence."""

    when: ConditionText
    reason: LocalText


class Step(_Part):
    id: Identifier
    name: LocalText
    goal: LocalText
    outputs: list[str] = Field(default_factory=list)
    skip: list[Skip] = Field(default_factory=list)
    fail: list[Fail] = Field(default_factory=list)
    """Looked at after each behavior; the first that holds ends the run."""
    propose: Propose | None = None
    done_when: ConditionText | None = None
    """Checked when no behavior is left; without it, the expected outputs must be there."""
    texts: dict[Identifier, LocalText] = Field(default_factory=dict)
    """For code: `{{ text.x }}` is a literal, `{{ label.x }}` a label of a plot, `{{ f.x }}` a text
    with `{expressions}` (a call of the playbook's `text_function`, else an f-string), and
    `{{ md.x }}` such a text with placeholders of the playbook instead."""
    behaviors: list[Behavior] = Field(min_length=1)

    def behavior(self, behavior_id: str) -> Behavior | None:
        return next((one for one in self.behaviors if one.id == behavior_id), None)


class Stage(_Part):
    id: Identifier
    name: LocalText
    goal: LocalText
    outputs: list[str] = Field(default_factory=list)
    skip: list[Skip] = Field(default_factory=list)
    steps: list[Step] = Field(min_length=1)

    def step(self, step_id: str) -> Step | None:
        return next((step for step in self.steps if step.id == step_id), None)


class Requires(_Part):
    """What the notebook's kernel must have; looked at before anything is written."""

    language: str | None = None
    packages: dict[str, str] = Field(default_factory=dict)
    """What is imported, and the package to install for it: `{sklearn: scikit-learn}`."""


class Playbook(_Part):
    name: Identifier
    title: LocalText
    description: LocalText
    goal: LocalText
    reads_goal: bool = False
    """Whether the person's own goal decides what is done; otherwise forms say that it does not.
    Such a playbook's cells say in `facts.answered` whether the goal was answered."""
    hide_code: bool = False
    """Code cells are written with their source collapsed."""
    requires: Requires | None = None
    names: list[Identifier] = Field(default_factory=list)
    """What the cells bind in the kernel. `{{ name.x }}` in code is `x`, or another name where the
    person has an `x` already; conditions and outputs say `x` in both cases."""
    text_function: FunctionName | None = None
    """A function of the notebook that puts values into a text: `(template, *values)`."""
    label_function: FunctionName | None = None
    """A function of the notebook that draws `(text, English text)` where fonts may lack glyphs."""
    variables: dict[Identifier, Variable] = Field(default_factory=dict)
    stages: list[Stage] = Field(min_length=1)

    def stage(self, stage_id: str) -> Stage | None:
        return next((stage for stage in self.stages if stage.id == stage_id), None)

    def steps(self) -> Iterator[tuple[Stage, Step]]:
        for stage in self.stages:
            for step in stage.steps:
                yield stage, step
