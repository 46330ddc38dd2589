"""J8: `jupyter bcc run`, `backend` and `playbooks`, as a user calls them."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from notebook_bcc_ext.cli.main import main
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 120
PLAYBOOK = """
name: tiny
title: A tiny analysis
description: Adds two numbers.
goal: Know the sum.
variables:
  left: {default: 1, description: the first number}
stages:
  - id: sums
    name: Sums
    goal: The sum is known.
    steps:
      - id: add
        name: Add
        goal: total is in the kernel.
        outputs: [total]
        done_when: total == total
        behaviors:
          - id: compute
            goal: compute the sum
            outputs: [total]
            actions:
              - title: Sums
              - code: |
                  total = {{ left }} + 1
                  print("total", total)
      - id: extra
        name: Extra
        goal: The double is known.
        propose: {after: add, when: total > 1, reason: the sum is large}
        outputs: [double]
        behaviors:
          - id: compute
            goal: compute the double
            outputs: [double]
            actions:
              - code: double = 2 * total
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder to work in, with a store of its own."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "tiny.yaml").write_text(PLAYBOOK, encoding="utf-8")
    return folder


def cells_of(file):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    return notebook.cells


def sources_of(file):
    return [cell.source for cell in cells_of(file)]


def events_in(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_the_playbook_of_this_test_is_valid(place, capsys):
    assert main(["playbooks", "check", "tiny.yaml"]) == 0
    assert "a valid playbook of 1 stages and 2 steps" in capsys.readouterr().out


def test_a_run_to_the_end(place, capsys):
    code = main(
        ["run", "tiny.yaml", "--notebook", "out.ipynb", "--approve", "yes", "--var", "left=5"]
    )
    assert code == 0
    printed = capsys.readouterr().out
    assert "workflow_completed" in printed
    assert "✓ Add" in printed
    cells = cells_of(place / "out.ipynb")
    assert [cell.source for cell in cells if cell.cell_type == "code"] == [
        'total = 5 + 1\nprint("total", total)',
        "double = 2 * total",
    ]
    assert cells[1].outputs[0].text == "total 6\n"


def test_json_has_an_event_a_line(place, capsys):
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb", "--approve", "no", "--json"]) == 0
    events = events_in(capsys.readouterr().out)
    kinds = {event["event"] for event in events}
    told = {"transition", "action_ended", "cell_ran", "call_ended", "judged", "asked", "answered"}
    assert told <= kinds
    assert events[-1]["event"] == "finished"
    assert events[-1]["data"]["state"] == "workflow_completed"
    assert "double = 2 * total" not in sources_of(place / "out.ipynb")


def test_a_recorded_run_is_played_again_without_its_planner(place):
    first = ["run", "tiny.yaml", "--notebook", "out.ipynb", "--approve", "yes", "--var", "left=5"]
    assert main([*first, "--record", "run.json"]) == 0
    (place / "tiny.yaml").unlink()
    assert main(["replay", "run.json", "--notebook", "again.ipynb"]) == 0
    assert sources_of(place / "again.ipynb") == sources_of(place / "out.ipynb")


def test_a_recorded_no_is_a_no_again(place):
    first = ["run", "tiny.yaml", "--notebook", "out.ipynb", "--approve", "no"]
    assert main([*first, "--record", "run.json"]) == 0
    assert main(["replay", "run.json", "--notebook", "again.ipynb"]) == 0
    assert sources_of(place / "again.ipynb") == sources_of(place / "out.ipynb")
    assert "double = 2 * total" not in sources_of(place / "again.ipynb")


def test_with_nobody_to_ask_the_answer_is_no(place, capsys):
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb"]) == 0
    assert "nobody can be asked" in capsys.readouterr().out


def test_a_failing_cell_exits_with_1(place, capsys):
    (place / "bad.yaml").write_text(PLAYBOOK.replace("+ 1", "/ 0"), encoding="utf-8")
    assert main(["run", "bad.yaml", "--notebook", "out.ipynb"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_a_limit_exits_with_4(place, capsys):
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb", "--max-steps", "1"]) == 4
    assert "paused (limit)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--notebook", "nowhere/out.ipynb"], "does not exist; make it first"),
        (["--notebook", "out.txt"], "name a file that ends in .ipynb"),
        (["--notebook", "folder.ipynb"], "is a folder"),
        (["--notebook", "out.ipynb", "--data", "none.csv"], "there is no file none.csv"),
        (["--notebook", "out.ipynb", "--workflow", "none.json"], "cannot be used"),
        (["--notebook", "out.ipynb", "--workflow", "list.json"], "cannot be used"),
        (["--notebook", "out.ipynb", "--planner", "ftp://x"], "dslc_base_url"),
        (["--notebook", "out.ipynb", "--max-steps", "-1"], "max_execution_steps"),
    ],
)
def test_j8_wrong_usage_is_one_clear_sentence_and_exits_with_2(place, capsys, arguments, words):
    (place / "folder.ipynb").mkdir()
    (place / "list.json").write_text("[1]", encoding="utf-8")
    assert main(["run", "tiny.yaml", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error
    assert not (place / "out.ipynb").exists()


def test_p1_a_wrong_value_in_the_environment_exits_with_2_and_in_a_file_is_a_warning(
    place, monkeypatch, capsys
):
    monkeypatch.setenv("LOG_LEVEL", "trace")
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb"]) == 2
    said = capsys.readouterr().err
    assert "the environment (LOG_LEVEL) cannot be used" in said
    assert "(got 'trace'); allowed: DEBUG, INFO, WARNING, ERROR, CRITICAL" in said
    assert not (place / "out.ipynb").exists()
    monkeypatch.delenv("LOG_LEVEL")
    (place / ".env").write_text("LOG_LEVEL=trace\nMAX_EXECUTION_STEPS=1\n")
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb"]) == 4
    assert "LOG_LEVEL of the file .env is not used" in capsys.readouterr().err


def test_an_unknown_playbook_and_wrong_usage(place, capsys):
    assert main(["run", "nothing", "--notebook", "out.ipynb"]) == 2
    assert "there is no playbook 'nothing' (there is: lifecycle)" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        main(["run", "tiny.yaml", "--notebook"])
    assert caught.value.code == 2


def test_an_unreachable_planner_is_told_and_leaves_a_valid_notebook(place, capsys):
    port = free_port()
    code = main(["run", "--notebook", "out.ipynb", "--planner", f"http://127.0.0.1:{port}"])
    assert code == 1
    assert f"127.0.0.1:{port}" in capsys.readouterr().out
    assert sources_of(place / "out.ipynb") == []


def test_ctrl_c_cancels_and_keeps_what_was_written(place):
    slow = PLAYBOOK.replace('print("total", total)', "import time; time.sleep(600)")
    (place / "slow.yaml").write_text(slow, encoding="utf-8")
    command = [sys.executable, "-m", "notebook_bcc_ext.cli.main"]
    process = subprocess.Popen(
        [*command, "run", "slow.yaml", "--notebook", "out.ipynb", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if '"cell_running"' in line:
            process.send_signal(signal.SIGINT)
            break
    rest, _ = process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 3
    assert events_in(rest)[-1]["data"]["state"] == "cancelled"
    assert sources_of(place / "out.ipynb")[0] == "# Sums"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def backend(place):
    """`jupyter bcc backend` in a process of its own; its address."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "notebook_bcc_ext.cli.main", "backend", "--port", str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert str(port) in process.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    assert process.wait(HANG_GUARD) == 0
    process.stdout.close()


def test_the_lifecycle_gives_the_same_cells_embedded_and_over_http(place, backend):
    rows = "\n".join(f"{n},{n % 7},{'ab'[n % 2]}" for n in range(40))
    (place / "small.csv").write_text(f"x,y,kind\n{rows}\n", encoding="utf-8")
    common = ["--data", "small.csv", "--approve", "yes"]
    assert main(["run", "lifecycle", "--notebook", "embedded.ipynb", *common]) == 0
    assert main(["run", "--notebook", "http.ipynb", "--planner", backend, *common]) == 0
    assert sources_of(place / "embedded.ipynb") == sources_of(place / "http.ipynb")
    cells = cells_of(place / "http.ipynb")
    assert len(cells) > 20
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert [o for o in outputs if "image/png" in o.get("data", {})]


async def test_b9_o4_a_service_is_told_nothing_of_playbooks(place):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("x")]])
        typed = ["run", "lifecycle", "--notebook", "out.ipynb", "--planner", planner.url]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "notebook_bcc_ext.cli.main", *typed, stderr=subprocess.PIPE
        )
        _, said = await process.communicate()
        assert process.returncode == 0
        assert b"'lifecycle' is not used" in said
        assert planner.requests
        for seen in planner.requests:
            assert seen.body["observation"]["context"]["variables"] == {}
            assert b"playbook" not in seen.raw


def test_a_playbook_that_is_named_is_played_also_where_a_service_is_configured(place, monkeypatch):
    monkeypatch.setenv("DSLC_BASE_URL", "http://127.0.0.1:1")
    assert main(["run", "tiny.yaml", "--notebook", "out.ipynb", "--approve", "no"]) == 0
    assert sources_of(place / "out.ipynb")[0] == "# Sums"


def test_check_backend_accepts_our_own_service(backend, capsys):
    assert main(["check-backend", backend, "--var", "data_path=small.csv"]) == 0
    assert "P4" in capsys.readouterr().out


def test_a_port_that_is_taken_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["backend", "--port", str(taken.getsockname()[1])]) == 1
    assert "cannot be used" in capsys.readouterr().err


def test_playbooks_are_listed(capsys):
    assert main(["playbooks"]) == 0
    assert capsys.readouterr().out.startswith("lifecycle: ")


def test_a_broken_playbook_is_explained(place, capsys):
    (place / "broken.yaml").write_text(PLAYBOOK.replace("goal:", "gaol:", 1), encoding="utf-8")
    assert main(["playbooks", "check", "broken.yaml"]) == 1
    assert "broken.yaml:" in capsys.readouterr().err


def test_the_example_in_the_repository_runs(place):
    """The README's command, on the example's data."""
    data = Path(__file__).parents[2] / "examples" / "customers.csv"
    command = ["run", "lifecycle", "--data", str(data), "--notebook", "out.ipynb"]
    assert main([*command, "--approve", "yes", "--var", "language=zh"]) == 0
    assert any("数据" in source for source in sources_of(place / "out.ipynb"))


def test_b6_the_notebook_of_a_run_defaults_to_notebook_id(place, monkeypatch, capsys):
    assert main(["run", "tiny.yaml"]) == 2
    assert "set NOTEBOOK_ID" in capsys.readouterr().err
    monkeypatch.setenv("NOTEBOOK_ID", "set.ipynb")
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    limited = ["--set", "max_execution_steps=1", "--set", "approval=none"]
    assert main(["run", "tiny.yaml", *limited]) == 4
    said = capsys.readouterr()
    assert sources_of(place / "set.ipynb") == ["# Sums"]
    assert "set.ipynb: begins in state idle" in said.err
    assert "idle --START_WORKFLOW--> stage_running" in said.err
    assert main(["run", "tiny.yaml", "--set", "planner_token=x"]) == 2
    assert "is a secret" in capsys.readouterr().err
