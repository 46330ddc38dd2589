"""J1, J2: what an installation brings along, and that Jupyter finds it without being told."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution, entry_points
from pathlib import Path

from jupyter_server.extension.config import ExtensionConfigManager
from jupyterlab_server.translation_utils import get_language_pack

import notebook_bcc_ext

HERE = Path(__file__).resolve()
ROOT = HERE.parent.parent
PACKAGE = json.loads((ROOT / "package.json").read_text("utf-8"))
LOCKED = (ROOT / "package-lock.json").read_text("utf-8")


def test_python_and_npm_agree_on_the_version():
    assert notebook_bcc_ext.__version__ == PACKAGE["version"]


def test_the_top_level_names_are_there():
    names = """
        pyproject.toml package.json tsconfig.json install.json notebook_bcc_ext src style ui-tests
        tests examples LICENSE README.md CHANGELOG.md CONTRIBUTING.md ARCHITECTURE.md
    """
    for name in names.split():
        assert (ROOT / name).exists(), name


def test_the_command_line_is_installed():
    scripts = {entry.name for entry in entry_points(group="console_scripts")}
    assert "jupyter-bcc" in scripts


def test_the_server_extension_is_enabled_by_being_installed():
    config = ExtensionConfigManager(read_config_path=[str(Path(sys.prefix) / "etc" / "jupyter")])
    assert config.enabled("notebook_bcc_ext")


def test_the_labextension_is_installed_and_built():
    installed = Path(sys.prefix) / "share/jupyter/labextensions/notebook-bcc-ext/package.json"
    built = json.loads(installed.read_text("utf-8"))
    assert built["version"] == PACKAGE["version"]
    assert built["jupyterlab"]["_build"]["load"].startswith("static/remoteEntry.")


def test_the_server_hands_out_our_chinese_catalogue():
    catalogues, message = get_language_pack("zh_CN")
    assert message == ""
    assert catalogues["notebook_bcc_ext"]["State"] == ["状态"]


def test_the_licence_is_bsd():
    metadata = distribution("notebook-bcc-ext").metadata
    assert metadata["License-Expression"] == PACKAGE["license"] == "BSD-3-Clause"


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in LOCKED
    assert "registry." not in LOCKED


SOURCES = [
    path
    for folder in ("notebook_bcc_ext", "src", "style", "tests", "ui-tests", "scripts", "bench")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".ts", ".tsx", ".css", ".js", ".sh"}
    and path.name != "protocol.ts"  # generated
    and not {"labextension", "__pycache__", "playwright-report", "test-results"} & set(path.parts)
]


def test_no_file_is_too_long_or_a_drawer_for_odds_and_ends():
    too_long = [path for path in SOURCES if len(path.read_text("utf-8").splitlines()) > 400]
    drawers = [path for path in SOURCES if path.stem in {"utils", "helpers", "misc", "common"}]
    assert (too_long, drawers) == ([], [])


def test_no_test_is_skipped():
    mark = re.compile(r"mark\.(skip|xfail)|pytest\.skip\(|\b(it|test|describe)\.(skip|todo)\(")
    skipping = [path for path in SOURCES if path != HERE and mark.search(path.read_text("utf-8"))]
    assert skipping == []


def test_c12_make_lab_serves_a_copy_of_the_examples() -> None:
    make = shutil.which("make") or "make"
    commands = subprocess.run(
        [make, "--dry-run", "lab"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert f"--ServerApp.root_dir={ROOT}/.make/lab " in commands
    assert "examples" in commands  # What is copied.
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert ".make/" in ignored
