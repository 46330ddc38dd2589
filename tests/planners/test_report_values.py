"""S5: whatever a file, a column, a value or a question is called, it is shown as it is."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter

from notebook_bcc_ext.planners.embedded import EmbeddedPlanner
from notebook_bcc_ext.planners.rendering import Scope, render_markdown
from tests.planners.simulator import Kernel, Run, Simulator, live_kernel

SCRIPT = "<img src=x onerror=alert(1)>"
NAMES = [
    f"a`{SCRIPT}`", f"``b``{SCRIPT}", f"c*{SCRIPT}*", f"d</code></pre>{SCRIPT}",
    "e [x](javascript:alert(1))",
    f"$f$ {SCRIPT}", "g &lt;b&gt; &amp;", f"h|{SCRIPT}|", "i\x1b[31m", "`", "k\\`<b>",
]  # fmt: skip


class Dangers(HTMLParser):
    """Elements that would run something, or that only a value can have brought."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        runs = any(name.startswith("on") for name in values)
        leads = any("javascript:" in (value or "") for value in values.values())
        if tag in ("b", "script") or runs or leads:
            self.found.append(f"{tag} {values}")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with live_kernel() as kernel:
        yield kernel


def hostile_file(folder: Path) -> Path:
    """Every column and every category has such a name, and so has the file."""
    path = folder / f"e`{SCRIPT.replace('/', '')}`.csv"
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    lines = [",".join([*quoted, "number", "when", "left"])]
    for row in range(120):
        values = [quoted[(row + at * (row % 3)) % 4] for at in range(len(NAMES))]
        day = f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}"
        lines.append(",".join([*values, str(row * 7 % 50), day, quoted[row % 2]]))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rendered(run: Run) -> str:
    """The whole notebook as a browser gets it, without the code."""
    exporter = HTMLExporter(exclude_input=True, template_name="basic")
    body: str = exporter.from_notebook_node(run.notebook)[0]
    return body


@pytest.mark.parametrize("language", ["en", "zh"])
def test_s5_names_and_values_stay_text(kernel: Kernel, tmp_path: Path, language: str) -> None:
    kernel.forget()
    path = hostile_file(tmp_path)
    given = {
        "playbook": "lifecycle",
        "data_path": str(path),
        "language": language,
        "goal": f"why `left`? {SCRIPT} [x](javascript:alert(1))",
    }
    run = Simulator(kernel, given, planner=EmbeddedPlanner()).run()
    assert run.status == "completed", run.errors
    page = Dangers(rendered(run))
    assert page.found == []
    assert "\x1b" not in page.text
    for name in [path.name, *NAMES[:8], given["goal"]]:
        assert name in page.text


def test_s5_the_sentence_about_a_hostile_file_is_text(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / f"x`{SCRIPT}`.csv"
    path.write_bytes(b"")
    run = Simulator(kernel, {"playbook": "lifecycle", "data_path": str(path)}).run()
    assert Dangers(rendered(run)).found == []
    assert SCRIPT in run.answers[-1]["metadata"]["failure"]


@given(
    st.text().filter(str.strip),
    st.sampled_from(["{{ x }}", "`{{ x }}`", "# {{ x }}", "**{{ x }}**"]),
)
def test_s5_no_value_becomes_an_element(value: str, template: str) -> None:
    tokens: Any = mistune.html(render_markdown(template, Scope({"x": value})))
    inner = re.sub(r"</?(p|h1|code|strong|em)>", "", str(tokens))
    assert re.findall(r"<(?!li>|/li>|ul>|/ul>|ol|/ol>)[a-z!/]", inner) == []


@given(st.text(alphabet="`<b>a \\*_&[]()$|~#", min_size=1).map(str.strip).filter(bool))
def test_s5_a_value_in_backticks_is_shown_exactly(value: str) -> None:
    shown = mistune.html(render_markdown("`{{ x }}`", Scope({"x": value})))
    assert html.unescape(str(shown)).strip() == f"<p><code>{' '.join(value.split())}</code></p>"
