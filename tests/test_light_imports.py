"""What only prints, and the server extension before its first run, import no more than they need.

Each is looked at in a process of its own. What may not be there is named with the reason, so that
whoever has to add one knows what it costs.
"""

import subprocess
import sys

import pytest

RUNS_NOTEBOOKS = {"httpx", "IPython", "jupyter_client", "jupyter_server", "nbformat", "tornado"}
# Builds a grammar when it is imported: longer than everything else together.
SLOW_GRAMMAR = {"jsonschema", "jupyter_events", "lark", "rfc3987_syntax"}
SHOWS_RUNS = {"rich"}
MODELS = {"pydantic", "pydantic_core"}
READS_METADATA = {"importlib.metadata", "email"}
HEAVY = RUNS_NOTEBOOKS | SLOW_GRAMMAR | SHOWS_RUNS
PLAIN = HEAVY | MODELS | READS_METADATA
OWN_CORE = {"notebook_bcc_ext.engine", "notebook_bcc_ext.hosting", "notebook_bcc_ext.adapters"}


def loaded_after(code: str) -> set[str]:
    """Every module, and every package that it is in."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = done.stderr.split()
    parts = [name.split(".") for name in names]
    return {".".join(one[: depth + 1]) for one in parts for depth in range(len(one))}


@pytest.mark.parametrize(
    ("arguments", "kept_out"),
    [
        (["--help"], PLAIN | {"yaml"}),
        (["states"], PLAIN | {"yaml"}),
        (["schema"], PLAIN | {"yaml"}),
        (["playbooks"], PLAIN),
        (["schema", "action"], HEAVY | {"yaml"}),
        (["schema", "playbook"], HEAVY),
    ],
)
def test_a_command_that_only_prints(arguments: list[str], kept_out: set[str]) -> None:
    loaded = loaded_after(
        "from notebook_bcc_ext.cli.main import main\n"
        f"try:\n    main({arguments})\nexcept SystemExit:\n    pass"
    )
    assert loaded & (kept_out | OWN_CORE) == set()


def test_the_server_extension() -> None:
    server = "import jupyter_server.serverapp, jupyter_server.extension.application"
    added = loaded_after(f"{server}, notebook_bcc_ext.server.app") - loaded_after(server)
    planners = {"httpx", "tenacity", "notebook_bcc_ext.planners.loader", "pycrdt"}
    assert added & (planners | SHOWS_RUNS) == set()
    assert {name for name in added if "." not in name} <= {
        "notebook_bcc_ext",
        # Settings and messages are models, some settings are in a `.env` file.
        *("pydantic", "pydantic_core", "annotated_types", "typing_inspection"),
        *("dotenv", "difflib", "secrets"),
    }
