"""The run that is killed again and again, and what must be left of it at the end."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import nbformat

from notebook_bcc_ext.protocol.browser.notebook_ops import METADATA_KEY
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner

Json = dict[str, Any]

NOTEBOOK = "run.ipynb"
MORE = "extra"
ORDER = ("s1", MORE, "s2", "s3", "s4")
BEHAVIORS = (1, 2, 3)


@dataclass
class Damage:
    moments: int = 0
    runs: int = 0
    cells_lost: int = 0
    cells_doubled: int = 0
    code_run_twice: int = 0
    proposals_lost: int = 0
    runs_lost: int = 0
    cells_out_of_order: int = 0
    code_skipped_unasked: int = 0
    files_left_behind: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """What each moment was chosen for."""
    states: Counter[str] = field(default_factory=Counter)
    """In which state of the machine the run was last seen before each kill."""

    def __str__(self) -> str:
        counts = (f for f in fields(self) if f.type == "int")
        return ", ".join(f"{f.name.replace('_', ' ')}: {getattr(self, f.name)}" for f in counts)

    @property
    def none(self) -> bool:
        done = ("moments", "runs")
        return not any(
            getattr(self, f.name) for f in fields(self) if f.type == "int" and f.name not in done
        )


@dataclass
class Answers:
    """What the person said in one run, as far as it makes a difference in the end."""

    may_run_again: Counter[str] = field(default_factory=Counter)
    """Cell id -> how often the person allowed it to run once more."""
    asked_about: set[str] = field(default_factory=set)
    """Cells that may have been running when the server was killed."""
    open_proposal: str | None = None
    """Seen, and not answered yet: a restart must bring it back."""


def script(planner: ScriptedPlanner, folder: Path) -> None:
    """A plan with texts, code that prints for a while, and a proposal in its first behavior."""
    planner.workflow({"a": ["s1", "s2"], "b": ["s3", "s4"]})
    for step in ORDER:
        planner.step(step, behaviors=[actions(folder, step, n) for n in BEHAVIORS])
    proposal = {
        "action": "update_stage_steps",
        "stage_id": "a",
        "updated_steps": [{"id": "s1"}, {"id": MORE}, {"id": "s2"}],
    }
    first, *others = (actions(folder, "s1", n) for n in BEHAVIORS)
    planner.step("s1", behaviors=[[*first[:3], proposal, *first[3:]], *others])


def actions(folder: Path, step: str, n: int) -> list[Json]:
    name = f"{step}-{n}"
    code = (
        f"import time\n"
        f"with open({str(folder / 'ran.txt')!r}, 'a') as ran:\n"
        f"    _ = ran.write('{name}\\n')\n"
        f"for i in range(8):\n    print('{name}', i)\n    time.sleep(0.03)"
    )
    return [say(f"begin {name}"), add(code, store_id=cell_id(name)), RUN, say(f"end {name}")]


def cell_id(name: str) -> str:
    return f"code-{name}"


def expected_sources(folder: Path) -> list[str]:
    return [
        action["content"]
        for step in ORDER
        for n in BEHAVIORS
        for action in actions(folder, step, n)
        if "content" in action
    ]


def count_damage(folder: Path, answers: Answers, damage: Damage) -> None:
    """Look at what is on the disk, with nobody's help."""
    file = folder / NOTEBOOK
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    found, wanted = Counter(sources), Counter(expected_sources(folder))
    damage.cells_lost += (wanted - found).total()
    damage.cells_doubled += (found - wanted).total()
    in_order = [source for source in expected_sources(folder) if source in found]
    damage.cells_out_of_order += in_order != [s for s in dict.fromkeys(sources) if s in wanted]
    marks = [json.dumps(cell.metadata.get(METADATA_KEY)) for cell in notebook.cells]
    damage.cells_doubled += len(marks) - len(set(marks))
    damage.proposals_lost += f"begin {MORE}-1" not in found
    count_executions(folder, answers, damage)
    damage.files_left_behind += sum(
        ".invalid" in path.name or ".damaged" in path.name for path in folder.iterdir()
    )


def count_executions(folder: Path, answers: Answers, damage: Damage) -> None:
    ran = Counter((folder / "ran.txt").read_text().split())
    for name in (f"{step}-{n}" for step in ORDER for n in BEHAVIORS):
        allowed = 1 + answers.may_run_again[cell_id(name)]
        damage.code_run_twice += max(0, ran[name] - allowed)
        if not ran[name] and cell_id(name) not in answers.asked_about:
            damage.code_skipped_unasked += 1
