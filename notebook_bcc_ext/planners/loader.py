"""From a playbook file to a checked Playbook, with errors that name file, line, place and remedy.

    lifecycle.yaml:42: stages[1].steps[0].behaviors[2]: unknown key 'whn'; did you mean 'when'?

A stage may be the path of a file beside the playbook that holds it, and `code_file` names a file
with the code of a cell, so that long playbooks stay readable.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from notebook_bcc_ext.errors import ProtocolError
from notebook_bcc_ext.planners.files import LocalFiles, PlaybookFileError, PlaybookFiles
from notebook_bcc_ext.planners.playbook import ActionItem, Behavior, Playbook, Step
from notebook_bcc_ext.planners.rendering import (
    NAME_KIND,
    TEXT_KINDS,
    Scope,
    code_problem,
    placeholders,
)
from notebook_bcc_ext.planners.situation import NAMES
from notebook_bcc_ext.planners.source import Place, PlaybookError, Source, read_source
from notebook_bcc_ext.protocol.planner.actions import parse_action

# Always there: the run itself provides them (see `embedded`).
RUN_VARIABLES = ("playbook", "data_path", "data_name", "goal", "language", NAMES)
_DEPTH_OF_STEPS = 4
_LANGUAGES_CHECKED = ("en", "zh")


def load_playbook(path: Path, *, check_code: bool = True) -> Playbook:
    """Raises PlaybookError, which lists every finding."""
    return load(LocalFiles(path.parent), path.name, check_code=check_code)


def load(files: PlaybookFiles, name: str, *, check_code: bool = True) -> Playbook:
    """The same from wherever its files are.

    `check_code` also reads every cell as Python; shipped playbooks have passed that in the tests.
    """
    try:
        source = read_source(Path(name), files.read(name))
    except PlaybookFileError as problem:
        raise PlaybookError([f"{name}: {problem}"]) from None
    if not isinstance(source.data, dict):
        raise PlaybookError([f"{name}:1: a playbook is a mapping that begins with 'name:'"])
    _graft_stages(source, files)
    _graft_code(source, files)
    playbook: Playbook | None = None
    try:
        playbook = Playbook.model_validate(source.data)
    except ValidationError as error:
        source.findings += _explain(error, source)
    if check_code or source.findings:
        source.findings += [
            f"{source.origin(place)}: {show(place)}: {text}"
            for place, text in (check(playbook) if playbook else _check_sound_steps(source.data))
        ]
    if playbook is None or source.findings:
        raise PlaybookError(list(dict.fromkeys(source.findings)))
    return playbook


def _graft_stages(source: Source, files: PlaybookFiles) -> None:
    stages = source.data.get("stages")
    for index, stage in enumerate(stages if isinstance(stages, list) else []):
        if not isinstance(stage, str):
            continue
        place: Place = ("stages", index)
        try:
            source.graft(place, read_source(Path(stage), files.read(stage)))
        except PlaybookFileError as problem:
            _note(source, place, f"'{stage}' {problem}")
        except PlaybookError as error:
            source.findings += error.findings


def _graft_code(source: Source, files: PlaybookFiles) -> None:
    """`code_file: x.py` becomes `code: <content of x.py>`."""
    for place, item in list(_mappings(source.data, ())):
        name = item.get("code_file")
        if not isinstance(name, str) or "code" in item:
            continue
        here: Place = (*place, "code_file")
        item["code"] = "pass"
        try:
            item["code"] = files.read(name).decode("utf-8").strip("\r\n")
        except UnicodeDecodeError:
            _note(source, here, f"'{name}' is not UTF-8 text; save it as UTF-8")
        except PlaybookFileError as problem:
            _note(source, here, f"'{name}' {problem}")
        del item["code_file"]


def _note(source: Source, place: Place, text: str) -> None:
    source.findings.append(f"{source.origin(place)}: {show(place)}: {text}")


def _mappings(data: Any, place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    if isinstance(data, dict):
        yield place, data
        for key, value in data.items():
            yield from _mappings(value, (*place, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _mappings(value, (*place, index))


def show(place: Place) -> str:
    """`stages[1].steps[0].goal`"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".") or "playbook"


def _explain(error: ValidationError, source: Source) -> list[str]:
    findings = []
    for finding in error.errors(include_url=False):
        place = tuple(part for part in finding["loc"] if part != "[key]")
        if isinstance(finding["input"], str) and place[:1] == ("stages",) and len(place) == 2:  # noqa: PLR2004
            continue  # The file of a stage, about which all has been said.
        origin = source.origin(place)
        owner, key = place[:-1], place[-1] if place else ""
        match finding["type"]:
            case "extra_forbidden":
                text = f"unknown key '{key}'{_suggestion(str(key), _keys_at(owner))}"
                findings.append(f"{origin}: {show(owner)}: {text}")
            case "missing":
                findings.append(f"{source.origin(owner)}: {show(owner)}: '{key}' is missing")
            case _:
                message = finding["msg"].removeprefix("Value error, ")
                findings.append(f"{origin}: {show(place)}: {message}")
    return findings


def _suggestion(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else f" (known here: {', '.join(known)})"


def _keys_at(place: Place) -> list[str]:
    """The keys that the format knows at a place, found by walking the models along it."""
    model: type[BaseModel] = Playbook
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


@dataclass(frozen=True)
class Words:
    """What a playbook's code may name: two functions of the notebook, and names of its own."""

    label_function: str | None
    text_function: str | None
    names: tuple[str, ...]


def check(playbook: Playbook) -> Iterator[tuple[Place, str]]:
    """What the models cannot see: ids, references between parts, placeholders, code."""
    yield from _check_ids(playbook)
    known = {*playbook.variables, *RUN_VARIABLES}
    for _, step in playbook.steps():
        known.update(step.outputs, *(behavior.outputs for behavior in step.behaviors))
    words = Words(playbook.label_function, playbook.text_function, tuple(playbook.names))
    for stage_index, stage in enumerate(playbook.stages):
        names = [step.id for step in stage.steps]
        for step_index, step in enumerate(stage.steps):
            place: Place = ("stages", stage_index, "steps", step_index)
            if step.propose and step.propose.after not in names[:step_index]:
                yield (
                    (*place, "propose", "after"),
                    (f"'{step.propose.after}' is not an earlier step of the same stage"),
                )
            for index, behavior in enumerate(step.behaviors):
                here: Place = (*place, "behaviors", index)
                yield from _check_behavior(words, step, behavior, here, known)


def _check_sound_steps(data: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """Of a playbook that is none yet: what can be said about the steps that are in order."""
    parts = list(_mappings(data, ()))
    variables = data.get("variables")
    known = {*RUN_VARIABLES, *(variables if isinstance(variables, dict) else ())}
    for _, part in parts:
        outputs = part.get("outputs")
        known.update(str(name) for name in (outputs if isinstance(outputs, list) else ()))
    functions = (data.get("label_function"), data.get("text_function"))
    label, text = (one if isinstance(one, str) else None for one in functions)
    listed = data.get("names")
    words = Words(label, text, tuple(map(str, listed)) if isinstance(listed, list) else ())
    for place, part in parts:
        if len(place) != _DEPTH_OF_STEPS or place[2] != "steps":
            continue
        try:
            step = Step.model_validate(part)
        except ValidationError:
            continue
        for index, behavior in enumerate(step.behaviors):
            here: Place = (*place, "behaviors", index)
            yield from _check_behavior(words, step, behavior, here, known)


def _check_ids(playbook: Playbook) -> Iterator[tuple[Place, str]]:
    seen: set[str] = set()
    for stage_index, stage in enumerate(playbook.stages):
        place: Place = ("stages", stage_index)
        if stage.id in seen:
            yield (*place, "id"), f"the id '{stage.id}' is used twice"
        seen.add(stage.id)
        if all(step.propose for step in stage.steps):
            yield (*place, "steps"), "a stage needs at least one step without 'propose'"
        for step_index, step in enumerate(stage.steps):
            here: Place = (*place, "steps", step_index)
            if step.id in seen:
                yield (*here, "id"), f"the id '{step.id}' is used twice"
            seen.add(step.id)
            ids = [behavior.id for behavior in step.behaviors]
            for twice in sorted({one for one in ids if ids.count(one) > 1}):
                yield (*here, "behaviors"), f"the behavior id '{twice}' is used twice"


def _check_behavior(
    words: Words, step: Step, behavior: Behavior, place: Place, known: set[str]
) -> Iterator[tuple[Place, str]]:
    for index, item in enumerate(behavior.actions):
        yield from _check_item(words, step, item, (*place, "actions", index), known)
    for index, item in enumerate(behavior.repair.actions if behavior.repair else []):
        here: Place = (*place, "repair", "actions", index)
        yield from _check_item(words, step, item, here, known)


def _check_item(
    words: Words, step: Step, item: ActionItem, place: Place, known: set[str]
) -> Iterator[tuple[Place, str]]:
    if item.action is not None:
        try:
            parse_action(item.action, frozenset({str(item.action.get("action"))}))
        except ProtocolError as error:
            yield (*place, "action"), str(error)
    for name in placeholders(" ".join(item.texts())):
        root, _, rest = name.partition(".")
        if item.code and root == NAME_KIND:
            if rest not in words.names:
                yield place, f"'{{{{ {name} }}}}': the playbook's 'names' do not list '{rest}'"
            continue
        is_text = bool(item.code) and root in TEXT_KINDS and bool(rest)
        if is_text and rest not in step.texts:
            yield place, f"'{{{{ {name} }}}}': the step has no text '{rest}'"
        elif not is_text and root not in known:
            hint = _suggestion(root, sorted(known))
            yield place, f"'{{{{ {name} }}}}' is neither a variable nor an output{hint}"
    for language in _LANGUAGES_CHECKED if item.code else ():
        scope = Scope({}, step.texts, language, words.label_function, words.text_function)
        problem = code_problem(item.code or "", scope)
        if problem is not None:
            line, reason = problem
            yield (*place, "code"), f"line {line} of the cell: {reason} (language {language})"
            return
