"""What a workflow needs of the kernel, looked at before anything is written."""

from __future__ import annotations

from notebook_bcc_ext.errors import KernelError, RequirementsError
from notebook_bcc_ext.ports import CodeRunner
from notebook_bcc_ext.protocol.plan import WorkflowTemplate


async def check_requirements(workflow: WorkflowTemplate, runner: CodeRunner) -> None:
    """Raises RequirementsError. A kernel that cannot say what it has gets the benefit of doubt."""
    requires = workflow.requires
    if requires is None:
        return
    name = workflow.name or "this workflow"
    if requires.language and runner.language and runner.language != requires.language:
        raise RequirementsError(
            f"'{name}' needs a {requires.language} kernel, and this notebook has one for "
            f"{runner.language}: choose a {requires.language} kernel and start again"
        )
    try:
        there = await runner.importable(list(requires.packages))
        taken = sorted(await runner.present(requires.free_names))
    except KernelError:
        return
    missing = sorted(
        package for module, package in requires.packages.items() if module not in there
    )
    if missing:
        names = ", ".join(missing)
        raise RequirementsError(
            f"'{name}' needs {names}, which this notebook's kernel does not have: run "
            f"`pip install {' '.join(missing)}` there, or choose another kernel, and start again"
        )
    if taken:
        raise RequirementsError(
            f"'{name}' would overwrite what you have under the name {', '.join(taken)} in this "
            "notebook's kernel: rename it, or choose a notebook of its own, and start again"
        )
