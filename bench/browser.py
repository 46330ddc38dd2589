"""Measurements that need a browser: `ui-tests/bench/NAME.bench.ts` takes them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def measured_in_browser(name: str, variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """What that bench reports, one object after the other."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.jsonl")
        environment = {
            **os.environ,
            "BCC_BENCH_RESULTS": str(results),
            "BCC_UI_TEST_OUTPUT": os.environ.get("BCC_UI_TEST_OUTPUT", folder),
            **variables,
        }
        config = ["--config", "ui-tests/bench.config.ts", f"{name}.bench"]
        command = ["npx", "playwright", "test", *config]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
        )
        if done.returncode != 0:
            print(done.stdout[-4000:], done.stderr[-2000:])
            raise SystemExit(done.returncode)
        return [json.loads(line) for line in results.read_text().splitlines()]
