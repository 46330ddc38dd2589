"""Records that are not whole, or not records at all: one sentence before anything is played."""

from __future__ import annotations

import json

import pytest

from notebook_bcc_ext.cli.main import main
from tests.replay.recordings import bcc
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner


def the_record():
    """A small one, as the command line writes it."""
    plan = {"stages": [{"id": "a", "steps": [{"id": "s1"}]}]}
    answers = [
        ("planning", {"context_update": {"workflow_update": plan}}),
        ("planning", {"targetAchieved": False}),
        ("planning", {"targetAchieved": False}),
        ("generating", {"actions": [say("one")]}),
        ("feedback", {"targetAchieved": True}),
        ("planning", {"targetAchieved": True}),
        ("planning", {"targetAchieved": True}),
    ]
    return {
        "format": "notebook-bcc-run/1",
        "run": {"status": "done", "counts": {"actions": 1}},
        "request": {"notebook": "a.ipynb", "planner": {"kind": "embedded"}},
        "settings": {"dialect": "v2"},
        "decisions": [],
        "calls": [
            {"number": number, "kind": kind, "answer": json.dumps(answer), "status": 200}
            for number, (kind, answer) in enumerate(answers, start=1)
        ],
    }


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def played(place, content, capsys):
    """The exit code, and what it said of the file."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (place / "run.json").write_bytes(data)
    code = main(["replay", "run.json", "--notebook", "again.ipynb"])
    return code, capsys.readouterr().err


def test_this_record_can_be_played(place, capsys):
    assert played(place, the_record(), capsys) == (0, "")
    with_mark = b"\xef\xbb\xbf" + json.dumps(the_record()).encode()
    assert played(place, with_mark, capsys) == (0, "")


def without(name):
    def change(record):
        del record[name]

    return change


def with_value(*way):
    *path, last, value = way

    def change(record):
        for key in path:
            record = record[key]
        record[last] = value

    return change


def without_calls(*numbers):
    def change(record):
        record["calls"] = [call for call in record["calls"] if call["number"] not in numbers]

    return change


def cut(number):
    def change(record):
        call = record["calls"][number - 1]
        call["answer"] = call["answer"][:10] + "\n… cut here: the whole is 300000 bytes long"

    return change


DAMAGES = [
    (without("format"), "is not a record of a run: it has no format"),
    (with_value("format", "notebook-bcc-run/9"), "is not a record of a run: it has no format"),
    (without("request"), "is damaged: the record: required field 'request' is missing"),
    (without("decisions"), "required field 'decisions' is missing"),
    (without("settings"), "required field 'settings' is missing"),
    (without("run"), "required field 'run' is missing"),
    (with_value("run", "status", "asleep"), "field 'run.status' is not valid"),
    (with_value("request", "planner", {}), "field 'request.planner' is not valid"),
    (with_value("request", "notebook", 7), "field 'request.notebook' is not valid"),
    (with_value("decisions", [{"kind": "steps"}]), "required field 'decisions.0.content'"),
    (with_value("calls", {}), "field 'calls' is not valid"),
    (with_value("calls", []), "has no planner calls: there is nothing to play"),
    (with_value("calls", 0, "kind", "guessing"), "field 'calls.0.kind' is not valid"),
    (with_value("calls", 0, "number", "x"), "field 'calls.0.number' is not valid"),
    (with_value("calls", 2, "answer", None), "field 'calls.2.answer' is not valid"),
    (with_value("calls", 0, "location", 7), "field 'calls.0.location' is not valid"),
    (with_value("transitions", [{"number": 1}]), "required field 'transitions.0.from'"),
    (with_value("settings", "dialect", "v3"), "setting 'dialect' from the record run.json"),
    (with_value("settings", "planner_token", "x"), "'planner_token' is not one of the settings"),
    (with_value("settings", "backend_base_url", "http://x"), "is not one of the settings"),
    (without_calls(3), "call 2 is followed by call 4. Export the run again"),
    (without_calls(1), "call 1 is missing, since only the newest calls of a run are kept"),
    (without_calls(1, 2), "calls 1 to 2 are missing"),
    (without_calls(1, 2), "Raise BCC_KEEP_CALLS and BCC_KEEP_CALL_BYTES"),
    (cut(4), "of the answer to call 4 (generating), 300000 bytes long, only the beginning"),
    (cut(5), "Raise BCC_CALL_RECORD_BYTES and record the run again"),
]


@pytest.mark.parametrize(("change", "words"), DAMAGES, ids=[words for _, words in DAMAGES])
def test_what_is_wrong_is_told_before_anything_is_played(place, capsys, change, words):
    record = the_record()
    change(record)
    code, said = played(place, record, capsys)
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("jupyter bcc replay: ")
    assert "run.json" in said
    assert words in said
    assert not (place / "again.ipynb").exists()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[]", b"null", b"{", b"[" * 100_000, b"NaN", b'{"a": NaN}']
)
def test_what_is_no_json_is_no_record(place, capsys, content):
    code, said = played(place, content, capsys)
    assert (code, said.count("\n")) == (2, 1)
    assert "run.json is not a record of a run" in said


def test_a_file_that_cannot_be_read(place, capsys):
    (place / "folder").mkdir()
    for name in ("folder", "nowhere.json"):
        assert main(["replay", name, "--notebook", "again.ipynb"]) == 2
        assert f"{name} cannot be read" in capsys.readouterr().err


def test_a_failed_call_needs_no_answer(place, capsys):
    record = the_record()
    cut(3)(record)
    record["calls"][2] |= {"error": "The planner at x gave no usable answer", "status": 500}
    assert played(place, record, capsys) == (0, "")


def test_an_answer_that_was_changed_by_hand_fails_the_run_in_words(place, capsys):
    record = the_record()
    record["calls"][0]["answer"] = '{"context_update": {"workflow_update": "\\ud800'
    (place / "run.json").write_text(json.dumps(record), encoding="utf-8")
    assert main(["replay", "run.json", "--notebook", "again.ipynb"]) == 1
    assert "the answer cannot be used: it is not JSON" in capsys.readouterr().out


def test_a_record_has_to_be_writable_before_the_run(place, capsys):
    (place / "folder").mkdir()
    for name, words in (("folder", "is a folder"), ("no/run.json", "does not exist")):
        command = ["run", "lifecycle", "--notebook", "out.ipynb", "--record", name]
        assert main(command) == 2
        assert f"--record: {'the folder no' if '/' in name else name} {words}" in (
            capsys.readouterr().err
        )
    assert not (place / "out.ipynb").exists()


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"BCC_CALL_RECORD_BYTES": "1024"}, "of the answer to call 4 (generating)"),
        ({"BCC_KEEP_CALLS": "3"}, "calls 1 to 4 are missing"),
        ({"BCC_KEEP_CALL_BYTES": "12000"}, "missing, since only the newest calls"),
    ],
)
async def test_what_a_limit_left_out_is_told_when_recording_and_replaying(tmp_path, limit, words):
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("long " * 2_000)]])
        run = ["run", "--planner", planner.url, "--notebook", "out.ipynb", "--record", "run.json"]
        ended = await bcc(tmp_path, *run, settings=limit)
    assert ended.code == 0
    assert "jupyter bcc run: run.json is incomplete" in ended.err
    assert words in ended.err
    again = await bcc(tmp_path, "replay", "run.json", "--notebook", "again.ipynb")
    assert again.code == 2
    assert words in again.err
