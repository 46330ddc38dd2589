"""One cell's way through the kernel, message by message."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from notebook_bcc_ext.adapters.kernel import execution as kernel_execution
from notebook_bcc_ext.adapters.kernel.cells import CellBook
from notebook_bcc_ext.adapters.kernel.execution import Execution
from notebook_bcc_ext.adapters.kernel.outputs import OutputLimits
from notebook_bcc_ext.adapters.kernel.sockets import KernelMessage
from tests.support.code_runners import Notebook


def message(msg_type: str, parent: str = "request", **content: Any) -> KernelMessage:
    channel: Any = "shell" if msg_type.endswith("reply") else "iopub"
    return KernelMessage(channel, msg_type, "kernel", parent, "us", "execute_request", content)


def sent() -> Execution:
    execution = Execution(CellBook(OutputLimits()).open("cell", Notebook().apply))
    execution.sent("request")
    return execution


@pytest.mark.parametrize("reply_first", [True, False])
async def test_reply_and_idle_in_any_order_end_the_cell(*, reply_first: bool) -> None:
    execution = sent()
    execution.take_iopub(message("status", execution_state="busy"))
    ends = [
        lambda: execution.take_reply(message("execute_reply", status="ok", execution_count=7)),
        lambda: execution.take_iopub(message("status", execution_state="idle")),
    ]
    first, second = ends if reply_first else reversed(ends)
    first()
    assert not execution.finished.is_set()
    second()
    assert execution.finished.is_set()
    result = execution.result()
    assert (result.status, result.execution_count, result.notice) == ("ok", 7, None)


@pytest.mark.parametrize("heard", ["reply", "idle"])
async def test_one_end_and_then_silence_is_an_end_with_a_notice(
    monkeypatch: pytest.MonkeyPatch, heard: str
) -> None:
    monkeypatch.setattr(kernel_execution, "_SILENCE_SECONDS", 0.05)
    execution = sent()
    execution.take_iopub(message("status", execution_state="busy"))
    await asyncio.sleep(0.1)
    execution.finish_if_silent()
    assert not execution.finished.is_set()
    if heard == "reply":
        execution.take_reply(message("execute_reply", status="ok"))
    else:
        execution.take_iopub(message("status", execution_state="idle"))
    execution.finish_if_silent()
    assert not execution.finished.is_set()
    await asyncio.sleep(0.1)
    execution.finish_if_silent()
    assert execution.finished.is_set()
    result = execution.result()
    assert result.status == "ok"
    assert result.notice is not None
    assert "incomplete" in result.notice


async def test_messages_of_other_cells_change_nothing() -> None:
    execution = sent()
    execution.take_iopub(message("status", "another", execution_state="idle"))
    execution.take_iopub(message("error", "another", ename="E"))
    execution.take_reply(message("execute_reply", "another", status="error"))
    assert not execution.finished.is_set()
    assert execution.result().error is None


async def test_a_cell_that_stays_aborted_is_an_error() -> None:
    execution = sent()
    execution.take_reply(message("execute_reply", status="aborted"))
    execution.take_iopub(message("status", execution_state="idle"))
    assert execution.aborted
    result = execution.result()
    assert result.status == "error"
    assert result.error is not None
    assert result.error.name == "Aborted"


async def test_a_gone_kernel_ends_the_cell() -> None:
    execution = sent()
    execution.kernel_gone("the kernel was restarted")
    assert execution.finished.is_set()
    result = execution.result()
    assert (result.status, result.notice) == ("gone", "the kernel was restarted")
