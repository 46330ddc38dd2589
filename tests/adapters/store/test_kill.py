"""`kill -9` at random moments: nothing acknowledged is lost, nothing is doubled."""

from __future__ import annotations

import multiprocessing
import random
import time

import nbformat
import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from tests.adapters.store.crash_writer import write_until_killed

ROUNDS = 8


def kill_at_a_random_moment(folder, round_number, chance, *, atomic):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.adapters.store.crash_writer"])
    writer = processes.Process(
        target=write_until_killed, args=(str(folder), round_number), kwargs={"atomic": atomic}
    )
    writer.start()
    marks = folder / "acknowledged"
    before = marks.stat().st_size if marks.exists() else 0
    while writer.is_alive() and (not marks.exists() or marks.stat().st_size == before):
        time.sleep(0.001)
    time.sleep(chance.uniform(0.0, 0.5))
    assert writer.is_alive(), "the writer ended by itself"
    writer.kill()
    writer.join()


def acknowledged(folder):
    lines = [line.split() for line in (folder / "acknowledged").read_text().splitlines()]
    cells = [words[1] for words in lines if words[0] == "cell"]
    done = {words[1]: int(words[2]) for words in lines if words[0] == "done"}
    return cells, done


async def recover(folder, *, atomic):
    manager = LargeFileManager(root_dir=str(folder / "root"), use_atomic_writing=atomic)
    database = Database(folder / "runs.db")
    access = ContentsAccess(manager)
    document = ContentsNotebook("a.ipynb", access, OperationLog(database))
    await document.open()
    notice = next(iter(document.take_notices()), None)
    await document.close()
    await database.close()
    access.close()
    return notice


@pytest.mark.parametrize("atomic", [True, False])
async def test_kill(tmp_path, monkeypatch, atomic):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    seed = random.randrange(2**32)  # noqa: S311
    print(f"seed {seed}")  # noqa: T201  a failure can be repeated
    chance = random.Random(seed)  # noqa: S311
    (tmp_path / "root").mkdir()
    rebuilt = 0
    cells = []
    for round_number in range(ROUNDS):
        kill_at_a_random_moment(tmp_path, round_number, chance, atomic=atomic)
        rebuilt += await recover(tmp_path, atomic=atomic) is not None

        notebook = nbformat.read(tmp_path / "root" / "a.ipynb", as_version=4)
        nbformat.validate(notebook)
        cells, done = acknowledged(tmp_path)
        found = [cell["id"] for cell in notebook["cells"]]
        assert len(found) == len(set(found))
        # At most the one cell that was on its way when the process died is there unacknowledged.
        known = set(cells)
        assert [cell_id for cell_id in found if cell_id in known] == cells
        assert len(found) - len(cells) <= round_number + 1
        for cell in notebook["cells"]:
            if cell["id"] in done:
                assert [output["text"] for output in cell["outputs"]] == ["abc"]
                assert cell["execution_count"] == done[cell["id"]]
    print(f"{len(cells)} cells acknowledged, rebuilt from the log {rebuilt} times")  # noqa: T201
