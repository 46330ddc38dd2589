"""E2: a playbook file is checked, and every finding names file, line, place and remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.planners.library import SHIPPED, PlaybookLibrary, playbook_schema
from notebook_bcc_ext.planners.loader import load_playbook
from notebook_bcc_ext.planners.source import PlaybookError, read_source
from notebook_bcc_ext.protocol.nesting import MAX_DEPTH, is_too_deep

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
        ("- text: Hello {{ who }}", "- code_file: gone.py", "'gone.py' is not there"),
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
    with pytest.raises(PlaybookError, match="more than 50,000 values"):
        load_playbook(write(tmp_path, bomb))


@pytest.mark.parametrize("piece", ["[", "{a: ", "- "])
def test_e2_endless_nesting_is_refused(tmp_path: Path, piece: str) -> None:
    with pytest.raises(PlaybookError, match="nested more than 100 levels deep"):
        load_playbook(write(tmp_path, piece * 200_000))


def test_e2_a_playbook_may_be_as_deep_as_everything_else() -> None:
    def nested(levels: int) -> bytes:
        return b"[" * levels + b"1" + b"]" * levels

    assert not is_too_deep(read_source(Path("small.yaml"), nested(MAX_DEPTH)).data)
    with pytest.raises(PlaybookError, match=f"nested more than {MAX_DEPTH} levels deep"):
        read_source(Path("small.yaml"), nested(MAX_DEPTH + 1))


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


def all_findings(path: Path) -> list[str]:
    with pytest.raises(PlaybookError) as caught:
        load_playbook(path)
    return caught.value.findings


def test_b7_all_errors_come_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = GOOD.replace("goal: Say hello\n", "gaol: Say hello\n")
    text = text.replace("Hello {{ who }}", "Hello {{ whom }}")
    text += """\
              - code_file: gone.py
              - code_file: ../outside.py
              - code_file: .hidden.py
              - code: x = 1
                code: x = 2
  - missing.yaml
  - broken.yaml
"""
    write(tmp_path.parent, "secret = 1", "outside.py")
    write(tmp_path, "secret = 1", ".hidden.py")
    write(tmp_path, "id: [", "broken.yaml")
    found = all_findings(write(tmp_path, text))
    for line, words in [
        ("small.yaml:4", "unknown key 'gaol'; did you mean 'goal'?"),
        ("small.yaml:23", "'{{ whom }}' is neither a variable nor an output"),
        ("small.yaml:27", "'gone.py' is not there"),
        ("small.yaml:28", "'../outside.py' leaves the playbook's folder"),
        ("small.yaml:29", "'.hidden.py' is hidden"),
        ("small.yaml:31", "the key 'code' is given twice"),
        ("small.yaml:32", "'missing.yaml' is not there"),
        ("broken.yaml:2", "not valid YAML"),
        ("small.yaml:1", "'goal' is missing"),
    ]:
        assert any(one.startswith(f"{line}:") and words in one for one in found), (line, words)
    assert len(found) == 9


def test_b7_a_playbook_reads_nothing_outside_its_folder_and_nothing_endless(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    write(tmp_path, "secret = 1", "secret.py")
    (folder / "link.py").symlink_to(tmp_path / "secret.py")
    (folder / "zero.py").symlink_to("/dev/zero")
    write(folder, "#" * 1_000_001, "large.py")
    (folder / "bytes.py").write_bytes(b"\xff\xfe")
    names = ["link.py", "zero.py", "large.py", "bytes.py", "/etc/passwd", "a/../../secret.py"]
    lines = [f"              - code_file: {name}\n" for name in names]
    found = all_findings(write(folder, GOOD + "".join(lines)))
    assert len(found) == len(names)
    assert "secret = 1" not in str(found)
    assert any("larger than 1,000,000 bytes" in one for one in found)
    many = [f"part{n}.py" for n in range(8)]
    for name in many:
        write(folder, "#" * 900_000, name)
    lines = [f"              - code_file: {name}\n" for name in many]
    assert any(
        "is larger than" in one for one in all_findings(write(folder, GOOD + "".join(lines)))
    )


def test_s13_a_placeholder_in_a_shell_line_is_explained(tmp_path: Path) -> None:
    found = findings(
        tmp_path, "greeting = {{ who }}", "greeting = 1\n                  !ls {{ who }}"
    )
    assert "line 2 of the cell: a line for the shell, or a magic, cannot take placeholders" in found


def test_b7_code_of_a_file_keeps_its_indent(tmp_path: Path) -> None:
    write(tmp_path, "\nif True:\n    greeting = 1\n", "hello.py")
    text = GOOD + "              - code_file: hello.py\n"
    playbook = load_playbook(write(tmp_path, text))
    assert playbook.stages[0].steps[0].behaviors[0].actions[2].code == (
        "if True:\n    greeting = 1"
    )
