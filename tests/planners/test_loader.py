"""E2: a playbook file is checked, and every finding names file, line, place and remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.planners.library import SHIPPED, PlaybookLibrary, playbook_schema
from notebook_bcc_ext.planners.loader import load_playbook
from notebook_bcc_ext.planners.source import PlaybookError

GOOD = """\
name: small
title: Small
description: {en: A small one, zh: 小}
goal: Say hello
variables:
  who: {description: whom to greet, default: world}
stages:
  - id: only
    name: Only
    goal: Be polite
    steps:
      - id: greet
        name: Greet
        goal: A greeting is there
        outputs: [greeting]
        texts:
          hello: {en: "Hello {greeting}", zh: "你好 {greeting}"}
        behaviors:
          - id: say
            goal: Say it
            when: who != "nobody"
            actions:
              - text: Hello {{ who }}
              - code: |-
                  greeting = {{ who }}
                  print({{ f.hello }})
"""


def write(folder: Path, text: str, name: str = "small.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def findings(folder: Path, old: str, new: str) -> str:
    assert old in GOOD
    with pytest.raises(PlaybookError) as caught:
        load_playbook(write(folder, GOOD.replace(old, new)))
    return str(caught.value)


def test_e2_a_good_playbook_loads(tmp_path: Path) -> None:
    playbook = load_playbook(write(tmp_path, GOOD))
    assert playbook.stages[0].steps[0].behaviors[0].actions[0].text == {"en": "Hello {{ who }}"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("when: who", "whn: who",
         "small.yaml:21: stages[0].steps[0].behaviors[0]: unknown key 'whn'; did you mean 'when'?"),
        ('when: who != "nobody"', 'when: "who ="',
         "small.yaml:21: stages[0].steps[0].behaviors[0].when: 'who =' is not a condition"),
        ("        goal: A greeting is there\n", "",
         "small.yaml:12: stages[0].steps[0]: 'goal' is missing"),
        ("- text: Hello {{ who }}", "- text: Hello {{ whom }}",
         "small.yaml:23: stages[0].steps[0].behaviors[0].actions[0]: '{{ whom }}' is neither"),
        ("- text: Hello {{ who }}", "- text: Hello {{ whom }}", "did you mean 'who'?"),
        ("{{ f.hello }}", "{{ f.goodbye }}", "the step has no text 'goodbye'"),
        ("greeting = {{ who }}", 'greeting = "{{ who }}"',
         "line 1 of the cell: a placeholder must stand where a Python expression can stand"),
        ("greeting = {{ who }}", "greeting = 1 # {{ who }}", "not inside a string, a comment"),
        ("greeting = {{ who }}", "greeting =", "line 1 of the cell: not valid Python"),
        ("- text: Hello {{ who }}", "- text: Hello\n                code: x = 1",
         "give exactly one of title, chapter"),
        ("- text: Hello {{ who }}", "- action: {action: dance_wildly_with}", None),
        ("- text: Hello {{ who }}", "- action: {action: exec}",
         "action 'exec': required field 'codecell_id' is missing"),
        ("- text: Hello {{ who }}", "- code_file: ../secret.py", "leaves the playbook's folder"),
        ("- text: Hello {{ who }}", "- code_file: gone.py", "there is no file 'gone.py'"),
        ("      - id: greet", "      - id: only", "the id 'only' is used twice"),
        ("name: small", "name: small\nname: again", "small.yaml:2: the key 'name' is given twice"),
        ("name: small", "name: [", "small.yaml:"),
        ("name: small", "name: 'not an id!'", "small.yaml:1: name: String should match pattern"),
        ("        outputs: [greeting]\n", "        propose: {after: x, when: 'true', reason: y}\n",
         "'x' is not an earlier step of the same stage"),
    ],
)  # fmt: skip
def test_e2_findings_name_place_and_remedy(
    tmp_path: Path, old: str, new: str, expected: str | None
) -> None:
    if expected is None:
        load_playbook(write(tmp_path, GOOD.replace(old, new)))
        return
    assert expected in findings(tmp_path, old, new)


def test_e2_all_findings_are_listed_at_once(tmp_path: Path) -> None:
    with pytest.raises(PlaybookError) as caught:
        load_playbook(write(tmp_path, GOOD.replace("goal:", "gaol:")))
    assert len(caught.value.findings) > 4


@pytest.mark.parametrize("content", [b"", b"- a\n- b\n", b"\xff\xfe\x00", b"just text"])
def test_e2_what_is_no_playbook_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "small.yaml"
    path.write_bytes(content)
    with pytest.raises(PlaybookError, match=r"small\.yaml:1"):
        load_playbook(path)


def test_e2_aliases_cannot_blow_up_memory(tmp_path: Path) -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(PlaybookError, match="too large or too deeply nested"):
        load_playbook(write(tmp_path, bomb))


@pytest.mark.parametrize("piece", ["[", "{a: ", "- "])
def test_e2_endless_nesting_is_refused(tmp_path: Path, piece: str) -> None:
    with pytest.raises(PlaybookError, match="too deeply nested"):
        load_playbook(write(tmp_path, piece * 200_000))


def test_e2_a_stage_may_live_in_its_own_file(tmp_path: Path) -> None:
    head, stage = GOOD.split("stages:\n")
    (tmp_path / "parts").mkdir()
    lines = [line[4:] for line in stage.splitlines()]
    write(tmp_path / "parts", "\n".join(lines).replace("whn", "when"), "only.yaml")
    path = write(tmp_path, head + "stages: [parts/only.yaml]\n")
    assert load_playbook(path).stages[0].id == "only"
    write(tmp_path / "parts", "\n".join(lines).replace("when:", "whn:"), "only.yaml")
    with pytest.raises(PlaybookError, match=r"^only\.yaml:14: stages\[0\].*unknown key 'whn'"):
        load_playbook(path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.stem)
def test_e3_shipped_playbooks_pass_every_check(path: Path) -> None:
    playbook = load_playbook(path)
    for _, step in playbook.steps():
        for text in (step.name, step.goal, *step.texts.values()):
            assert set(text) == {"en", "zh"}, (step.id, text)


def test_e2_schema_describes_the_format() -> None:
    schema = playbook_schema()
    assert {"name", "title", "stages"} <= set(schema["required"])
    assert schema["additionalProperties"] is False
    json.dumps(schema)


def test_e2_library_knows_shipped_and_own_files(tmp_path: Path) -> None:
    own = write(tmp_path, GOOD)
    assert "lifecycle" in PlaybookLibrary().names()
    assert PlaybookLibrary([own]).get("small").name == "small"
    assert PlaybookLibrary(allow_paths=True).get(str(own)).name == "small"
    with pytest.raises(NotFoundError, match="there is no playbook"):
        PlaybookLibrary().get(str(own))
    assert PlaybookLibrary([own]).describe("zh")[1]["description"] == "小"
