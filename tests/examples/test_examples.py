"""The folders of `examples/`, each used as its README says."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
HANG_GUARD = 120


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the examples, with a run store of its own."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    return Path(shutil.copytree(EXAMPLES, tmp_path / "examples"))


def bcc(folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "notebook_bcc_ext.cli.main", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD,
        check=False,
    )


def cells_of(file):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    return notebook.cells


def printed(file):
    """What the code cells of a notebook printed; none of them failed."""
    outputs = [output for cell in cells_of(file) for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    return "".join(output.text for output in outputs if output.output_type == "stream")


def installed(package, target):
    """A package as pip leaves it: its modules, and its entry points in a folder beside them."""
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    name = project["name"].replace("-", "_")
    shutil.copytree(package / name, target / name)
    metadata = target / f"{name}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\n")
    groups = project["entry-points"].items()
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in groups
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return target


def test_the_custom_action_writes_into_a_notebook(folder, tmp_path):
    package = folder / "custom-action"
    target = installed(package, tmp_path / "site")
    arguments = ["run", "review.yaml", "--data", "../customers.csv", "--notebook", "review.ipynb"]
    done = bcc(package, *arguments, "--json", PYTHONPATH=str(target))
    assert done.returncode == 0, done.stderr
    sources = [cell.source for cell in cells_of(package / "review.ipynb")]
    assert sources[-1] == (
        "**By hand**\n\n"
        "- [ ] Are the gaps where one would expect them?\n"
        "- [ ] Does every row stand for one customer?"
    )
    assert re.search(r"\d+ rows with \d+ gaps", printed(package / "review.ipynb"))
    # Its hook published an event.
    assert '"items": 2' in done.stdout


def test_without_its_package_the_action_is_unknown(folder):
    package = folder / "custom-action"
    done = bcc(package, "run", "review.yaml", "--data", "../customers.csv", "--notebook", "a.ipynb")
    assert "unknown action type 'checklist'" in done.stdout + done.stderr
    assert not any("By hand" in cell.source for cell in cells_of(package / "a.ipynb"))


@pytest.mark.parametrize("source", ["custom-action/bcc_checklist", "planner-service/planner.py"])
def test_the_python_of_the_examples_is_clean(source, tmp_path):
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--line-length", "100"]
    format_ = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--check"]
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent"]
    for command in (
        ruff,
        [*format_, "--line-length", "100"],
        [*mypy, "--config-file", os.devnull, "--cache-dir", str(tmp_path)],
    ):
        done = subprocess.run(
            [*command, source], cwd=EXAMPLES, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def planner_service(folder):
    """Its address, while it runs."""
    service = subprocess.Popen(
        [sys.executable, "planner.py", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert service.stdout
        yield service.stdout.readline().removeprefix("planner at ").strip()
    finally:
        service.terminate()
        assert service.wait(timeout=HANG_GUARD) == 0
        service.stdout.close()


def test_the_planner_service_keeps_to_the_protocol_and_runs_a_workflow(folder):
    place = folder / "planner-service"
    with planner_service(place) as address:
        checked = bcc(place, "check-backend", address)
        assert checked.returncode == 0, checked.stdout
        assert checked.stdout.rstrip().endswith("no violations.")
        arguments = ["--planner", address, "--data", "../customers.csv", "--notebook", "out.ipynb"]
        done = bcc(place, "run", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    said = printed(place / "out.ipynb")
    assert re.match(r"\d+ rows\nregion \{.*\}\n\w+ \d+\n$", said), said


def test_the_planner_service_ends_a_run_whose_cell_fails(folder):
    place = folder / "planner-service"
    (place / "empty.csv").write_text("region\n")
    with planner_service(place) as address:
        arguments = ["--planner", address, "--data", "empty.csv", "--notebook", "out.ipynb"]
        done = bcc(place, "run", *arguments)
    assert done.returncode == 1
    assert "IndexError" in done.stdout + done.stderr


def test_the_playbook_is_valid_and_answers_its_question(folder):
    place = folder / "playbook"
    checked = bcc(place, "playbooks", "check", "regions.yaml")
    assert checked.returncode == 0, checked.stderr
    assert "1 stages and 3 steps" in checked.stdout
    arguments = ["--data", "../customers.csv", "--notebook", "regions.ipynb", "--approve", "yes"]
    done = bcc(place, "run", "regions.yaml", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\w+ is the most satisfied: \d\.\d\d", printed(place / "regions.ipynb"))
    # The proposed step was agreed to.
    assert "axes = means.plot.barh()" in [c.source for c in cells_of(place / "regions.ipynb")]


def test_a_failing_cell_of_the_playbook_is_repaired(folder):
    place = folder / "playbook"
    arguments = ["--data", "../customers.csv", "--notebook", "plans.ipynb", "--approve", "no"]
    done = bcc(place, "run", "regions.yaml", *arguments, "--var", "value=plan")
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(".size()" in cell.source for cell in cells_of(place / "plans.ipynb"))


def test_make_lab_copies_files_and_folders_and_leaves_what_is_there(tmp_path):
    make = shutil.which("make") or "make"
    lab = tmp_path / "lab"
    for _ in range(2):
        subprocess.run(
            [make, "labfiles", f"LAB_FILES={lab}"], cwd=ROOT, check=True, capture_output=True
        )
        (lab / "playbook" / "regions.yaml").write_text("mine\n")
    assert {one.name for one in lab.iterdir()} == {one.name for one in EXAMPLES.iterdir()}
    assert (lab / "playbook" / "regions.yaml").read_text() == "mine\n"


@pytest.mark.parametrize("name", ["custom-action", "planner-service", "playbook"])
def test_each_says_what_it_is(name):
    text = (EXAMPLES / name / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\((\.[^)]+)\)", text):
        assert (EXAMPLES / name / target).exists(), target
