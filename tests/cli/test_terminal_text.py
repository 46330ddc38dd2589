"""What planners, data and file names say never steers the terminal (S12)."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from notebook_bcc_ext.cli.main import main
from notebook_bcc_ext.protocol.printable import on_one_line, printable, printable_json
from tests.replay.recordings import bcc
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner

# A window title, colours, the clipboard, one in eight-bit form, and text that runs backwards.
ATTACKS = "\x1b]0;owned\x07 \x1b[31m \x1b]52;c;b3duZWQ=\x07 \x9b31m \x90q\x9c \u202edne \x7f\b"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SECONDS = 120


def attacking(planner):
    steps = [{"id": "s1", "name": f"step {ATTACKS}\nsecond", "goal": ATTACKS}]
    stage = {"id": "a", "name": f"stage {ATTACKS}", "steps": steps}
    planner.workflow({"name": f"plan {ATTACKS}", "stages": [stage]})
    proposal = {
        "action": "update_stage_steps",
        "stage_id": "a",
        "updated_steps": [*steps, {"id": "s2", "name": f"added {ATTACKS}"}],
    }
    actions = [
        say(ATTACKS),
        {"action": f"unknown {ATTACKS}"},
        proposal,
        add(f"raise ValueError({ATTACKS!r})"),
        RUN,
    ]
    planner.step("s1", behaviors=[actions])


@pytest.mark.parametrize("how", [[], ["--json"]])
async def test_s12_a_planner_does_not_steer_what_reads_the_output(tmp_path, how):
    async with ScriptedPlanner() as planner:
        attacking(planner)
        run = ["run", "--planner", planner.url, "--notebook", "out.ipynb", "--approve", "yes", *how]
        ended = await bcc(tmp_path / "work", *run)
    assert ended.code == 1, ended.err
    assert "ValueError" in ended.out
    assert RAW.findall(ended.out + ended.err) == []
    if how:
        events = [json.loads(line) for line in ended.out.splitlines()]
        plans = [event["data"] for event in events if event["event"] == "plan_adopted"]
        assert [plan["workflow"]["name"] for plan in plans] == [f"plan {ATTACKS}"]


async def test_s12_a_planner_does_not_steer_a_real_terminal(tmp_path):
    async with ScriptedPlanner() as planner:
        attacking(planner)
        read_end, terminal = pty.openpty()
        command = [sys.executable, "-m", "notebook_bcc_ext.cli.main", "run", "--planner"]
        own = {"JUPYTER_DATA_DIR": str(tmp_path / "data"), "TERM": "xterm", "COLUMNS": "200"}
        process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
            [*command, planner.url, "--notebook", "out.ipynb", "--approve", "ask"],
            cwd=tmp_path,
            env={**os.environ, **own},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        shown = await asyncio.to_thread(_talk, read_end)
        assert await asyncio.to_thread(process.wait, SECONDS) == 1
    assert b"Confirm? [y/N]" in shown
    assert b"added \\x1b]0;owned\\x07" in shown
    for attack in ("\x1b]0;owned", "\x1b]52;", "\x9b31m", "\x90q", "\u202e"):
        assert attack.encode() not in shown


def _talk(read_end):
    """What is shown until the terminal closes; every question is answered with yes."""
    shown, answered, deadline = b"", 0, time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([read_end], [], [], 1.0)[0]:
            continue
        try:
            chunk = os.read(read_end, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
        if shown.count(b"[y/N]") > answered:
            answered += 1
            os.write(read_end, b"y\n")
    return shown


def test_s12_names_of_files_do_not_steer_it_either(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = f"odd{ATTACKS}.yaml".replace("/", "")
    for arguments in (
        ["run", name, "--notebook", "out.ipynb"],
        ["run", "--notebook", "out.ipynb", "--data", name],
        ["playbooks", "check", name],
        ["replay", name, "--notebook", "out.ipynb"],
        ["schema", name],
    ):
        assert main(arguments) != 0
    with pytest.raises(SystemExit):
        main(["states", name])
    said = capsys.readouterr()
    assert said.err
    assert RAW.findall(said.out + said.err) == []


def test_s12_what_is_shown_instead():
    assert printable("a\x1b[31m\r\nb\tc\x9b\u202e") == "a\\x1b[31m\nb\tc\\x9b\\u202e"
    assert on_one_line("a\n  b\r\n\x07") == "a b \\x07"
    text = json.dumps({"a": ATTACKS}, ensure_ascii=False)
    assert json.loads(printable_json(text)) == {"a": ATTACKS}
    assert printable("plain 中文 é 🙂\n") == "plain 中文 é 🙂\n"
