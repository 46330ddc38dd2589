"""N6: other kinds of files are read, or the run fails with one sentence; nothing gets a tick."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import pytest

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from tests.planners.csv_files import FILES
from tests.planners.simulator import Kernel, Run, Simulator, live_kernel

PLANNER = EmbeddedPlanner()
ROWS = [{"a": n, "b": f"kind {n % 3}", "c": {"deep": n * 2}} for n in range(60)]
Read = Callable[..., Run]


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


@pytest.fixture
def read(kernel: Kernel, tmp_path: Path) -> Read:
    def run(
        name: str, content: bytes, lacking: str = "", language: str = "en", stages: int = 1
    ) -> Run:
        kernel.forget()
        kernel.do(
            "import sys\n"
            "for name in [one for one in sys.modules if sys.modules[one] is None]:\n"
            "    del sys.modules[name]\n"
            f"sys.modules.update(dict.fromkeys({lacking.split()!r}))"
        )
        path = tmp_path / name
        path.write_bytes(content)
        given = {"playbook": "lifecycle", "data_path": str(path), "language": language}
        return Simulator(kernel, given, planner=PLANNER, stages=stages).run()

    return run


def workbook() -> bytes:
    content = BytesIO()
    with pd.ExcelWriter(content) as writer:
        pd.DataFrame(ROWS).astype({"c": str}).to_excel(writer, sheet_name="First", index=False)
        pd.DataFrame({"x": [1]}).to_excel(writer, sheet_name="Second")
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.json", json.dumps(ROWS).encode()),
        ("wrapped.json", json.dumps({"data": ROWS}).encode()),
        ("lines.jsonl", "\n".join(map(json.dumps, ROWS)).encode()),
        ("packed.json.gz", gzip.compress(json.dumps(ROWS).encode(), mtime=0)),
        (
            "columns.json",
            json.dumps({"a": list(range(60)), "b": ["x"] * 60, "c": [1] * 60}).encode(),
        ),
        ("sheets.xlsx", workbook()),
        ("packed.csv.gz", gzip.compress(b"a,b,c\n" + b"1,2,3\n" * 60, mtime=0)),
    ],
)
def test_c5_tables_of_other_kinds_are_read(read: Read, name: str, content: bytes) -> None:
    run = read(name, content)
    assert run.status == "completed", run.focus
    facts = run.variables["facts"]
    assert (facts["rows"], facts["columns"]) == (60, 3)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.parquet", b"PAR1 and more PAR1",
         ("'t.parquet' is a Parquet file, and this kernel lacks the package pyarrow; "
         "install it there, or save the file as CSV.")),
        ("t.xlsx", workbook(),
         ("'t.xlsx' is an Excel file, and this kernel lacks the package openpyxl; "
         "install it there, or save the file as CSV.")),
        ("t.json", b'{"a": [1, 2',
         "The file 't.json' holds no table that can be read; check it, or save it as CSV."),
        ("t.json", b'["a", "b"]',
         "The file 't.json' holds no table that can be read; check it, or save it as CSV."),
        ("t.bin", bytes(range(256)) * 40,
         "The file 't.bin' is neither text nor a kind of table that can be read; save it as CSV."),
        ("t.pdf", b"%PDF-1.4\nfirst line, of text\nsecond line, of text\n",
         "The file 't.pdf' is neither text nor a kind of table that can be read; save it as CSV."),
        ("t.rtf", b"{\\rtf1 first line, of text\nsecond line, of text}\n",
         "The file 't.rtf' is neither text nor a kind of table that can be read; save it as CSV."),
        ("t.csv.gz", b"\x1f\x8bnothing",
         ("The file 't.csv.gz' is neither text nor a kind of table that can be read; "
         "save it as CSV.")),
        ("t.csv", b"", "The file 't.csv' is empty; there is nothing to analyse."),
        ("t.json", b"[]",
         "The file 't.json' has column names but no rows; there is nothing to analyse."),
    ],
)  # fmt: skip
def test_c5_what_cannot_be_read_fails_with_one_sentence(
    read: Read, name: str, content: bytes, sentence: str
) -> None:
    run = read(name, content, "pyarrow fastparquet openpyxl")
    assert run.status == "error"
    assert run.answers[-1]["metadata"]["failure"] == sentence
    assert run.answers[-1]["targetAchieved"] is False
    assert run.steps_done == []
    assert run.first_output() == sentence
    assert run.errors == []


def test_c5_the_sentence_is_in_the_language_of_the_report(read: Read) -> None:
    run = read("空.csv", b"", language="zh")
    assert run.answers[-1]["metadata"]["failure"] == "文件“空.csv”是空的，没有可分析的内容。"


def test_c5_a_folder_is_not_a_file(kernel: Kernel, tmp_path: Path) -> None:
    given = {"playbook": "lifecycle", "data_path": str(tmp_path)}
    run = Simulator(kernel, given, planner=PLANNER).run()
    assert "is a folder, not a file" in run.answers[-1]["metadata"]["failure"]


def test_c10_one_column_has_and_two_have(read: Read) -> None:
    rows = [f"{n},{n % 7},{n % 3}" for n in range(40)]
    one = "\n".join(["a,b,c", *rows, "40,,1"]).encode()
    two = "\n".join(["a,b,c", *rows, "40,,"]).encode()
    assert "1 of 3 columns has missing values" in read("one.csv", one, stages=3).output()
    assert "2 of 3 columns have missing values" in read("two.csv", two, stages=3).output()


def test_c11_the_code_of_the_report_is_collapsed(read: Read) -> None:
    run = read("mixed.csv", FILES["mixed"]())
    cells = [cell for cell in run.notebook.cells if cell.cell_type == "code"]
    assert cells
    assert all(cell.metadata.jupyter.source_hidden for cell in cells)
