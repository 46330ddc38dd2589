"""The operation log: numbers, readers, bounds."""

from __future__ import annotations

import asyncio

import pytest

from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.operation_rows import forget_unused
from notebook_bcc_ext.adapters.store.operation_text import pack_image
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    ChangeOutputs,
    SetNotebookMetadata,
    SetSource,
)


def source(number):
    return SetSource(cell_id="c", source=f"text {number}")


async def dumped(log, log_id, seq=0):
    return [op.model_dump() for op in await log.since(log_id, seq)]


async def numbers(log, log_id, seq=0):
    ops = await log.since(log_id, seq)
    return None if ops is None else [op.seq for op in ops]


async def test_numbers_are_contiguous_per_log(database):
    log = OperationLog(database)
    one, two = await log.start("one.ipynb"), await log.start("two.ipynb")
    assert await log.append(one.log_id, [source(1), source(2)]) == 2
    assert await log.append(two.log_id, [source(1)]) == 1
    assert await log.append(one.log_id, [source(3)]) == 3
    assert await numbers(log, one.log_id) == [1, 2, 3]
    assert await numbers(log, one.log_id, 2) == [3]
    assert await numbers(log, one.log_id, 9) == []
    assert (await log.head(one.log_id), await log.head(two.log_id)) == (3, 1)
    assert await dumped(log, one.log_id, 2) == [{"seq": 3, "op": source(3).model_dump()}]


async def test_many_appends_at_once_keep_their_order(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    seqs = await asyncio.gather(*(log.append(state.log_id, [source(n)]) for n in range(500)))
    assert seqs == list(range(1, 501))
    ops = await dumped(log, state.log_id)
    assert [op["op"]["source"] for op in ops] == [f"text {n}" for n in range(500)]


async def test_subscribers_are_told_in_order_before_the_caller_goes_on(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    told: list[tuple[str, int]] = []
    stop = log.subscribe(lambda log_id, ops: told.extend((log_id, op.seq) for op in ops))
    for number in range(1, 4):
        await log.append(state.log_id, [source(number)])
        assert told[-1] == (state.log_id, number)
    stop()
    await log.append(state.log_id, [source(4)])
    assert [seq for _, seq in told] == [1, 2, 3]


async def test_outputs_get_their_number_as_revision(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    await log.append(state.log_id, [source(1), ChangeOutputs(cell_id="c", change="clear")])
    [_, clear] = await dumped(log, state.log_id)
    assert clear["op"]["revision"] == 2


async def test_half_a_surrogate_pair_does_not_stop_the_log(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    broken = ChangeOutputs(
        cell_id="c",
        change="append",
        outputs=[{"output_type": "stream", "name": "stdout", "text": "a\ud83d"}],
    )
    await log.append(state.log_id, [broken])
    [entry] = await dumped(log, state.log_id)
    assert entry["op"]["outputs"][0]["text"] == "a?"


async def test_what_is_in_the_file_is_forgotten_beyond_the_limit(database):
    log = OperationLog(database, keep_operations=3)
    state = await log.start("a.ipynb")
    await log.append(state.log_id, [source(n) for n in range(10)])
    await log.record_flush(state.log_id, 4)
    assert await numbers(log, state.log_id, 4) == [5, 6, 7, 8, 9, 10]
    assert await numbers(log, state.log_id, 3) is None
    await log.record_flush(state.log_id, 10)
    assert await numbers(log, state.log_id, 7) == [8, 9, 10]
    assert await numbers(log, state.log_id, 6) is None
    assert await log.append(state.log_id, [source(11)]) == 11


async def test_large_operations_are_forgotten_by_size(database):
    log = OperationLog(database, keep_bytes=10_000)
    state = await log.start("a.ipynb")
    big = SetNotebookMetadata(metadata={"x": "y" * 4_000})
    await log.append(state.log_id, [big] * 5)
    await log.record_flush(state.log_id, 5)
    assert await numbers(log, state.log_id, 3) == [4, 5]
    assert await numbers(log, state.log_id, 2) is None


async def test_a_reader_is_waited_for_but_not_for_ever(database):
    log = OperationLog(database, keep_operations=1)
    state = await log.start("a.ipynb")
    log.acknowledge(state.log_id, "tab", 2)
    await log.append(state.log_id, [source(n) for n in range(8)])
    await log.record_flush(state.log_id, 8)
    assert await numbers(log, state.log_id, 2) == [3, 4, 5, 6, 7, 8]
    await log.append(state.log_id, [source(n) for n in range(12)])
    await log.record_flush(state.log_id, 20)
    assert await numbers(log, state.log_id, 2) is None
    assert await numbers(log, state.log_id, 10) == list(range(11, 21))
    log.dismiss(state.log_id, "tab")
    await log.record_flush(state.log_id, 20)
    assert await numbers(log, state.log_id, 19) == [20]


async def test_a_log_follows_its_notebook(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    await log.start("b.ipynb")
    await log.append(state.log_id, [source(1)], anchor_id="c")
    await log.move(state.log_id, "b.ipynb")
    moved = await log.find(place="b.ipynb")
    assert moved is not None
    assert (moved.log_id, moved.head_seq, moved.anchor_id) == (state.log_id, 1, "c")
    assert await log.find(place="a.ipynb") is None


async def test_a_log_that_lost_its_tail_numbers_on(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    await log.append(state.log_id, [source(1)])
    await log.advance(state.log_id, 7)
    assert await log.append(state.log_id, [source(2)]) == 8
    assert await numbers(log, state.log_id, 7) == [8]


async def test_images_are_kept_one_per_log(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    assert await log.image(state.log_id) is None
    notebook = {"cells": [{"id": "a"}, {"id": "数据"}], "metadata": {"名": 1}}
    for seq, kept in ((1, {"cells": []}), (2, notebook)):
        await log.store_image(state.log_id, seq, pack_image(kept))
    assert await log.image(state.log_id) == (2, notebook)
    await log.drop_image(state.log_id)
    assert await log.image(state.log_id) is None


async def test_unused_logs_are_forgotten_with_all_they_had(database):
    log = OperationLog(database)
    state = await log.start("a.ipynb")
    await log.append(state.log_id, [source(1)])
    await log.store_image(state.log_id, 1, pack_image({"cells": []}))
    await log.record_flush(state.log_id, 1)
    now = database.now()
    await database.write(lambda connection: forget_unused(now - 1, (), connection))
    assert await log.find(log_id=state.log_id) is not None
    await database.write(lambda connection: forget_unused(now + 1, (), connection))
    assert await log.find(log_id=state.log_id) is None
    counts = await database.read(
        lambda connection: [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("operations", "images")
        ]
    )
    assert counts == [0, 0]
    for call in (log.since(state.log_id, 0), log.head(state.log_id)):
        with pytest.raises(StoreError, match="reopen the notebook"):
            await call
