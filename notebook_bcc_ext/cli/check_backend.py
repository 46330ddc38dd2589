"""`jupyter bcc check-backend URL`: does a planner service keep to the protocol? (J8)"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from notebook_bcc_ext.cli.output import say, say_json
from notebook_bcc_ext.cli.parsing import assignment
from notebook_bcc_ext.cli.planner_conformance import Finding, PlannerCheck, is_unreachable
from notebook_bcc_ext.cli.settings import settings_with
from notebook_bcc_ext.settings.layers import Layer
from notebook_bcc_ext.settings.names import Settings

USUAL_VARIABLES = {"goal": "Understand the data", "data_path": "data.csv"}
"""What a run usually begins with; a planner may rightly refuse to plan without."""


async def check_backend(
    settings: Settings,
    variables: Mapping[str, Any] | None = None,
    custom_actions: frozenset[str] = frozenset(),
) -> list[Finding]:
    """Every judgement on the service at `settings.dslc_base_url`, in the order it was made."""
    return await PlannerCheck(settings, variables, custom_actions).run()


def report(url: str, findings: Sequence[Finding]) -> str:
    """One line a judgement; a violation also says what was expected and what was seen."""
    violations = [finding for finding in findings if not finding.ok]
    lines = [f"Planner service {url}", ""]
    for finding in findings:
        lines.append(
            f"  {'ok       ' if finding.ok else 'VIOLATION'}  {finding.row:<4}{finding.check}"
        )
        if not finding.ok:
            lines += [
                f"             expected: {finding.expected}",
                f"             seen: {finding.seen}",
            ]
    if is_unreachable(findings):
        lines += ["", "No planner service answers there. Is it running, and is this its address?"]
    verdict = _counted(len(violations), "violation") if violations else "no violations"
    return "\n".join([*lines, "", f"{_counted(len(findings), 'check')}, {verdict}."])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="address of the service")
    parser.add_argument("--dialect", choices=("v2", "v1"), help="which dialect it speaks")
    parser.add_argument("--timeout", type=float, help="seconds to wait for each answer")
    parser.add_argument(
        "--var",
        action="append",
        default=[],
        type=assignment,
        metavar="K=V",
        help="a variable the planner needs; a JSON value or text",
    )
    parser.add_argument(
        "--custom-action",
        action="append",
        default=[],
        metavar="TYPE",
        help="an action type that is registered where the planner is used",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a judgement")


def execute(options: argparse.Namespace) -> int:
    # Typed by the person at this terminal: as trustworthy as their environment.
    typed = Layer(
        "the command line",
        {
            "dslc_base_url": options.url,
            "dialect": options.dialect,
            "read_timeout": options.timeout,
            "idle_timeout": options.timeout,
        },
    )
    settings = settings_with(typed)
    custom_actions = frozenset(options.custom_action)
    variables = {**USUAL_VARIABLES, **dict(options.var)}
    findings = asyncio.run(check_backend(settings, variables, custom_actions))
    if options.json:
        for finding in findings:
            say_json(vars(finding))
    else:
        say(report(settings.planner_address, findings))
    return 0 if all(finding.ok for finding in findings) else 1
