"""The documentation: what code cites is there, links lead somewhere, examples are true."""

from __future__ import annotations

import json
import re
import sys
import threading
import types
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]  # comes with nbformat
import pytest
from pydantic import BaseModel

from notebook_bcc_ext.cli.main import main
from notebook_bcc_ext.protocol.planner.actions import parse_action
from notebook_bcc_ext.protocol.planner.catalogue import model_of
from notebook_bcc_ext.settings.names import Settings, environment_name

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

CITING = ("notebook_bcc_ext", "tests", "bench", "ui-tests", "src", "docs")
SUFFIXES = (".py", ".ts", ".tsx", ".md", ".yaml")
NOT_OURS = ("node_modules", "labextension", "results", "test-results", "playwright-report")
LETTERS = "FUAPOJNEX"
# Behind `#` it is a colour, behind `$` or before `:` and a second one a cell of a spreadsheet.
CODE = re.compile(
    rf"(?<![#$\w])([{LETTERS}])([0-9]{{1,2}})(?:\s?[-–]\s?\1?([0-9]{{1,2}}))?(?![\w]|:[A-Z])"
)
TEST_NAME = re.compile(r"\bdef test((?:_[a-z][0-9]{1,2})+)_")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
NO_ROWS = {
    "tests/test_docs.py": {"E4"},
    # Names of events that the test makes up.
    "tests/contracts/test_run_store.py": {"E3", "E4"},
    # A measure of classification.
    "tests/planners/test_report_summary.py": {"F1"},
}
"""What looks like a row of the protocol and is none, by file."""

FREE_FIELDS = {"key_findings", "actions_skipped"}
"""Of examples: names that no model lists, because a planner chooses them or they are rare."""


def anchors_of(page: Path) -> set[str]:
    return set(ANCHOR.findall(page.read_text("utf-8")))


def cited_in(text: str) -> Iterator[str]:
    for letter, first, last in CODE.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{letter}{number}"
    for codes in TEST_NAME.findall(text):
        named = codes.upper().split("_")[1:]
        yield from (code for code in named if code[0] in LETTERS)


def citing_files() -> Iterator[Path]:
    for folder in CITING:
        for file in sorted((ROOT / folder).rglob("*")):
            is_ours = not any(part in NOT_OURS for part in file.relative_to(ROOT).parts)
            if is_ours and (file.suffix in SUFFIXES or file.name == "seed_examples.json"):
                yield file


def test_every_row_that_is_cited_can_be_looked_up():
    known = {code for page in PAGES for code in anchors_of(page)}
    missing = [
        f"{file.relative_to(ROOT)}: {code}"
        for file in citing_files()
        for code in sorted(
            set(cited_in(file.read_text("utf-8")))
            - known
            - NO_ROWS.get(file.relative_to(ROOT).as_posix(), set())
        )
    ]
    assert not missing, "\n".join(missing)


def test_citations_are_found_in_each_of_their_forms():
    text = "(P4, A17) U2-U9's F12-14 #F00 A1:B2 $E5 0xA1\ndef test_a16_o2_x():"
    assert set(cited_in(text)) == {
        *("P4", "A17", "F12", "F13", "F14", "A16", "O2"),
        *(f"U{number}" for number in range(2, 10)),
    }


def test_a_row_has_one_place_and_shows_its_code_there():
    places: dict[str, Path] = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for found in ANCHOR.finditer(text):
            code = found[1]
            assert code not in places, f"{code} is in {places[code].name} and in {page.name}"
            places[code] = page
            assert re.match(rf"(\*\*\()?{code}\b", text[found.end() :]), f"{page.name}: {code}"


# -- links ----------------------------------------------------------------------------------


class Fence(NamedTuple):
    kind: str
    content: str


FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def fences(page: Path) -> list[Fence]:
    return [Fence(kind.strip(), text) for kind, text in FENCE.findall(page.read_text("utf-8"))]


def prose(page: Path) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text("utf-8")))


def slugs(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", one.replace("`", "")).strip().lower() for one in headings]
    return {one.replace(" ", "-") for one in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    broken = []
    for target in (one or other for one, other in LINK.findall(prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, place = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        is_there = file.exists() and file.is_relative_to(ROOT)
        if not is_there or (place and place not in anchors_of(file) | slugs(file)):
            broken.append(target)
    assert not broken


# -- examples -------------------------------------------------------------------------------


def unknown_fields(value: object) -> Iterator[str]:
    """Fields that a model took without knowing them: mostly a misspelling."""
    if isinstance(value, BaseModel):
        yield from (value.model_extra or {}).keys() - FREE_FIELDS
        for name in type(value).model_fields:
            yield from unknown_fields(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            yield from unknown_fields(item)


def parsed(name: str, value: Any) -> object:
    if name == "action":
        return parse_action(value)
    if name == "custom-action":
        return parse_action(value, frozenset({value["action"]})).action
    model: type[BaseModel] = model_of(name)
    return model.model_validate(value)


def fits_schema(name: str, value: Any) -> bool:
    """As those read it who do not use Python; actions without their envelope."""
    if name == "custom-action":
        return True
    bare = value["action"] if isinstance(value.get("action"), dict) else value
    schema = json.loads((DOCS / f"schemas/{name}.json").read_text("utf-8"))
    return bool(jsonschema.Draft202012Validator(schema).is_valid(bare))


def json_examples() -> Iterator[tuple[str, Any]]:
    for page in (DOCS / "protocol.md", DOCS / "actions.md"):
        for kind, content in fences(page):
            language, _, name = kind.partition(" ")
            if language == "jsonl":
                yield from ((name, json.loads(line)) for line in content.splitlines())
            elif language == "json":
                yield name, json.loads(content)


def test_json_examples_are_messages_of_the_protocol():
    examples = list(json_examples())
    for name, value in examples:
        assert name, f"say after ```json what this is: {str(value)[:60]}"
        assert not set(unknown_fields(parsed(name, value))), (name, value)
        assert fits_schema(name, value), (name, value)
    shown = {name for name, _ in examples}
    wanted = {"observation", "planner-request", "planning-answer", "generating-answer", "action"}
    assert shown >= wanted


def example(page: str, language: str, number: int = 0) -> str:
    return [text for kind, text in fences(DOCS / page) if kind == language][number]


def test_the_planner_service_keeps_to_the_protocol(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    service: dict[str, Any] = {"__name__": "planner"}
    exec(example("protocol.md", "python"), service)  # noqa: S102  it is our own page
    server = ThreadingHTTPServer(("127.0.0.1", 0), service["Planner"])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        code = main(["check-backend", f"http://127.0.0.1:{server.server_port}"])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    shown = capsys.readouterr().out
    assert code == 0, shown
    counted = re.search(r"# (\d+ checks, no violations\.)", (DOCS / "protocol.md").read_text())
    assert counted is not None
    assert counted[1] in shown


def test_the_action_of_ones_own_works(monkeypatch):
    module = types.ModuleType("bcc_callouts")
    exec(example("actions.md", "python"), module.__dict__)  # noqa: S102
    monkeypatch.setitem(sys.modules, module.__name__, module)
    tests: dict[str, Any] = {"__name__": "test_callouts"}
    exec(example("actions.md", "python", -1), tests)  # noqa: S102
    found = [function for name, function in tests.items() if name.startswith("test_")]
    assert found
    for function in found:
        function()


def test_the_playbook_is_valid(tmp_path, capsys):
    file = tmp_path / "sales.yaml"
    file.write_text(example("playbooks.md", "yaml"), "utf-8")
    assert main(["playbooks", "check", str(file)]) == 0, capsys.readouterr().err


def test_every_setting_is_described():
    page = (DOCS / "operating.md").read_text("utf-8")
    rows = [f"| `{name}` | `{environment_name(name)}` |" for name in Settings.model_fields]
    assert [row for row in rows if row not in page] == []
