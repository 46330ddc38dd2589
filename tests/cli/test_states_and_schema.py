"""`jupyter bcc states` and `jupyter bcc schema`, as a user calls them."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from notebook_bcc_ext.cli.main import main
from notebook_bcc_ext.protocol.planner.catalogue import CATALOGUE, json_schema

TABLE = Path(__file__).parents[1] / "fsm/transitions.csv"


def test_states_as_csv_equal_the_table(capsys):
    assert main(["states", "--format", "csv"]) == 0
    printed = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    with TABLE.open(encoding="utf-8") as file:
        expected = [
            {k: row[k] for k in ("state", "event", "next_state")} for row in csv.DictReader(file)
        ]
    assert printed == sorted(expected, key=lambda row: tuple(row.values()))


def test_states_as_mermaid(capsys):
    assert main(["states", "--format", "mermaid"]) == 0
    assert capsys.readouterr().out.startswith("stateDiagram-v2")


def test_schema_names_and_one_schema(capsys):
    assert main(["schema"]) == 0
    names = capsys.readouterr().out.split()
    assert {"action", "observation", "planning-answer", "workflow"} <= set(names)
    assert main(["schema", "workflow"]) == 0
    assert json.loads(capsys.readouterr().out)["required"] == ["stages"]
    assert main(["schema", "nothing"]) == 2
    assert "no schema 'nothing'; there are: action," in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_schema_is_an_object_with_an_id(name):
    schema = json_schema(name)
    assert schema["$id"] == f"bcc:{name}"


def test_wrong_usage_exits_with_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["states", "--format", "picture"])
    assert caught.value.code == 2
    assert "picture" in capsys.readouterr().err


def test_it_is_a_jupyter_subcommand():
    command = [sys.executable, "-m", "jupyter", "bcc", "states"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 46


def test_no_command_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "COMMAND" in capsys.readouterr().err
