"""Where a run without a server writes to: refused before anything is started."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from pathlib import Path

import pytest

from notebook_bcc_ext.errors import NotebookPathError, SettingsError
from notebook_bcc_ext.hosting.headless import notebook_place
from notebook_bcc_ext.protocol.browser.runs import RunRequest

NOBODY = 65534


def request(file):
    planner = {"kind": "embedded"}
    return RunRequest.model_validate({"notebook": str(file), "planner": planner})


def refusal(file):
    try:
        notebook_place(request(file))
    except (SettingsError, NotebookPathError) as error:
        return str(error)
    return None


def _refusal_for_a_user(file, told):
    if os.getuid() == 0:
        # For root nothing is forbidden.
        os.setuid(NOBODY)
    told.put(refusal(file))


def refusal_for_a_user(file):
    """In a process of its own, because there is no way back."""
    spawn = multiprocessing.get_context("spawn")
    told = spawn.Queue()
    process = spawn.Process(target=_refusal_for_a_user, args=(file, told))
    process.start()
    try:
        return told.get(timeout=60)
    finally:
        process.join()


@pytest.fixture
def folder():
    """Not `tmp_path`: others may not look into that."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def test_a_folder_without_the_right_to_write_is_named(folder):
    folder.chmod(0o555)
    file = folder / "report.ipynb"
    assert refusal_for_a_user(file) == (
        f"{file} cannot be written: check its rights and its folder's"
    )


def test_a_notebook_without_the_right_to_write_is_named(folder):
    file = folder / "report.ipynb"
    file.write_text("{}")
    file.chmod(0o444)
    folder.chmod(0o777)
    assert "cannot be written: check its rights" in refusal_for_a_user(file)


def test_a_place_that_can_be_written_is_taken(folder):
    folder.chmod(0o777)
    assert refusal_for_a_user(folder / "report.ipynb") is None


def test_what_is_no_notebook_is_named(folder):
    assert "is no notebook" in refusal(folder / "report.txt")
    (folder / "made.ipynb").mkdir()
    assert "is a folder" in refusal(folder / "made.ipynb")
    assert "does not exist; make it first" in refusal(folder / "none" / "report.ipynb")


def test_s4_a_hidden_notebook_is_refused_and_stays_as_it_is(folder):
    hidden = folder / ".mine.ipynb"
    hidden.write_text("mine")
    assert "is hidden" in refusal(hidden)
    assert "is no notebook" in refusal(folder / ".ipynb")
    # Where it lies is the person's own choice.
    (folder / ".cache").mkdir()
    assert refusal(folder / ".cache" / "run.ipynb") is None


def test_s11_one_notebook_has_one_place(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "sub").mkdir()
    spellings = ["run.ipynb", "./run.ipynb", "sub/../run.ipynb", f"{folder}//run.ipynb"]
    assert {notebook_place(request(path)) for path in spellings} == {(folder / "run.ipynb", folder)}
