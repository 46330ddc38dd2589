"""E2: own playbooks over REST: beside the notebook, and in the server's folders."""

import re
from pathlib import Path

import nbformat
import pytest

from tests.server.test_runs import Api

DOCS = Path(__file__).parents[2] / "docs/playbooks.md"
[SALES] = re.findall(r"```yaml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def jp_server_config(jp_server_config, tmp_path):
    folders = [str(tmp_path / "shared")]
    return {**jp_server_config, "NotebookBccApp": {"playbook_folders": folders}}


@pytest.fixture
def api(jp_fetch, jp_root_dir, tmp_path):
    (tmp_path / "shared").mkdir()
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


def request(playbook):
    planner = {"kind": "embedded", "playbook": playbook}
    return {"notebook": "work/a.ipynb", "planner": planner, "data": "s.csv"}


async def test_b7_the_example_of_the_docs_is_played_from_the_notebooks_folder(api, jp_root_dir):
    (jp_root_dir / "work/sales.yaml").write_text(SALES, "utf-8")
    (jp_root_dir / "work/other.yaml").write_text("services: {}", "utf-8")
    (jp_root_dir / "work/s.csv").write_text("region,amount\nnorth,1\nsouth,2\n", "utf-8")
    listed = (await api.get("playbooks", notebook="work/a.ipynb"))["playbooks"]
    assert [one["name"] for one in listed] == ["lifecycle", "sales.yaml"]
    assert set(listed[1]["variables"]) == {"data_path", "column"}
    started = await api.post("runs", body=request("sales.yaml"))
    view = await api.until(started["id"], "done", "failed", "paused")
    assert view["status"] == "done", view["error"]
    notebook = nbformat.read(jp_root_dir / "work/a.ipynb", as_version=4)
    assert notebook.cells[-1].outputs[0].text == "south sells most.\n"


async def test_b7_a_folder_of_the_server_has_playbooks_by_name(api, tmp_path):
    for name in ("sales", "lifecycle"):
        (tmp_path / f"shared/{name}.yaml").write_text(SALES, "utf-8")
    (tmp_path / "shared/broken.yaml").write_text("name: [", "utf-8")
    listed = (await api.get("playbooks"))["playbooks"]
    assert [one["name"] for one in listed] == ["lifecycle", "sales"]
    assert listed[0]["title"] != listed[1]["title"], "what is shipped keeps its name"


async def test_b7_a_playbook_beside_the_notebook_reaches_nothing_else(api, jp_root_dir, tmp_path):
    (tmp_path / "secret.yaml").write_text(SALES, "utf-8")
    (jp_root_dir / "top.yaml").write_text(SALES, "utf-8")
    (jp_root_dir / "work/.hidden.yaml").write_text(SALES, "utf-8")
    (jp_root_dir / "work/.secret.py").write_text("x = 1", "utf-8")
    hidden = "- code_file: .secret.py\n              - code: large ="
    own = SALES.replace("- code: large =", hidden)
    (jp_root_dir / "work/reads.yaml").write_text(own, "utf-8")
    (jp_root_dir / "work/large.yaml").write_text(SALES + "#" * 1_000_001, "utf-8")
    refused = [
        "../top.yaml",
        "a/../../top.yaml",
        ".hidden.yaml",
        str(tmp_path / "secret.yaml"),
        "gone.yaml",
        "large.yaml",
    ]
    for name in refused:
        code, body = await api.refusal("runs", body=request(name))
        assert code in {404, 422}, (name, body)
    _, body = await api.refusal("runs", body=request("reads.yaml"))
    assert "'.secret.py' is hidden" in str(body)
    assert not (jp_root_dir / "work/a.ipynb").exists()
    for notebook in ("work/a.ipynb", "../a.ipynb"):
        listed = (await api.get("playbooks", notebook=notebook))["playbooks"]
        assert [one["name"] for one in listed] == ["lifecycle"]


TAKES_NAMES = """\
name: own
title: Own
description: Its cells use names that a run has words for
goal: See that the run keeps its own
reads_goal: true
variables:
  goal: {description: the question}
  column: {description: a column, default: amount}
stages:
  - id: only
    name: Only
    goal: Both steps are done
    steps:
      - id: take
        name: Take
        goal: The names are taken
        outputs: [playbook, goal, column]
        behaviors:
          - id: take
            goal: Take them
            actions: [{code: "playbook = goal = column = 'of the kernel'"}]
      - id: say
        name: Say
        goal: They are said
        outputs: [said]
        behaviors:
          - id: say
            goal: Say them
            actions: [{code: "said = [{{ goal }}, {{ column }}]"}, {code: "print(said)"}]
"""


async def test_e1_a_kernel_variable_overrides_neither_playbook_nor_goal(api, jp_root_dir):
    (jp_root_dir / "work/own.yaml").write_text(TAKES_NAMES, "utf-8")
    started = await api.post("runs", body={**request("own.yaml"), "goal": "Who buys most?"})
    view = await api.until(started["id"], "done", "failed", "paused")
    assert view["status"] == "done", view["error"]
    notebook = nbformat.read(jp_root_dir / "work/a.ipynb", as_version=4)
    assert notebook.cells[-1].outputs[0].text == "['Who buys most?', 'amount']\n"
