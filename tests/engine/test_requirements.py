"""A workflow says what it needs of the kernel; what is missing is said before a cell is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import OwnKernelSource
from notebook_bcc_ext.engine.requirements import check_requirements
from notebook_bcc_ext.errors import RequirementsError
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from tests.engine.harness import lab

STAGES = [{"id": "load", "steps": [{"id": "read"}]}]


def workflow(**requires: Any) -> WorkflowTemplate:
    return WorkflowTemplate.parse({"name": "Report", "stages": STAGES, "requires": requires})


@asynccontextmanager
async def kernel(name: str | None = None, code: str = "") -> AsyncIterator[KernelRunner]:
    """A kernel in which the person has run that code."""
    runner = KernelRunner(OwnKernelSource(name) if name else OwnKernelSource())
    await runner.start()
    result = await runner.run(code, "cell", lambda _: None)
    assert result.status == "ok"
    try:
        yield runner
    finally:
        await runner.close()


async def test_d4_a_package_that_the_kernel_lacks_is_named() -> None:
    packages = {"pandas": "pandas", "no_such_module": "scikit-learn", "json": "json"}
    async with kernel(code="import sys; sys.modules['pandas'] = None") as runner:
        with pytest.raises(RequirementsError) as refused:
            await check_requirements(workflow(language="python", packages=packages), runner)
    assert str(refused.value) == (
        "'Report' needs pandas, scikit-learn, which this notebook's kernel does not have: run "
        "`pip install pandas scikit-learn` there, or choose another kernel, and start again"
    )


async def test_d4_another_language_is_told(jp_environ: Any, echo_kernel_spec: Any) -> None:
    needs = workflow(language="python", packages={"pandas": "pandas"})
    told = r"needs a python kernel, .* one for echo: choose"
    async with kernel("echo") as runner:
        with pytest.raises(RequirementsError, match=told):
            await check_requirements(needs, runner)


async def test_d4_what_is_there_is_not_asked_for() -> None:
    async with kernel() as runner:
        await check_requirements(workflow(language="python", packages={"json": "json"}), runner)
        await check_requirements(WorkflowTemplate.parse({"stages": STAGES}), runner)


async def test_c4_a_name_that_only_the_kernel_knows_of_is_not_taken() -> None:
    async with kernel(code="def df(): ...\nimport json as facts\nfindings = 1") as runner:
        with pytest.raises(RequirementsError, match="under the name df, facts in this"):
            await check_requirements(workflow(free_names=["df", "facts", "report"]), runner)


async def test_d4_nothing_is_written_before(tmp_path: Path) -> None:
    plan = {"stages": STAGES, "name": "Report", "requires": {"packages": {"no_such": "no-such"}}}
    async with lab(tmp_path, plan) as room:
        await room.go()
        assert "`pip install no-such`" in str(room.run.view().error)
        assert await room.cells() == []
