"""Turns at starting kernels: few at once, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import time

import pytest

from notebook_bcc_ext.adapters.kernel.starts import KernelStarts


async def test_as_many_start_at_once_as_are_allowed() -> None:
    starts, now, most = KernelStarts(2), 0, 0

    async def start() -> None:
        nonlocal now, most
        async with starts.turn():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*(start() for _ in range(20)))
    assert (now, most) == (0, 2)


async def test_a_start_that_fails_gives_its_turn_back() -> None:
    starts = KernelStarts(1)
    for _ in range(3):
        with pytest.raises(OSError, match="no kernel"):
            async with starts.turn():
                raise OSError("no kernel")
    async with asyncio.timeout(5), starts.turn():
        pass


async def test_whoever_is_cancelled_while_waiting_takes_no_turn() -> None:
    starts = KernelStarts(1)

    async def start() -> None:
        async with starts.turn():
            pass

    async with starts.turn():
        waiting = asyncio.create_task(start())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with asyncio.timeout(5):
        await start()


async def test_a_kernel_that_hangs_keeps_nobody_waiting() -> None:
    starts = KernelStarts(1, longest_turn_s=0.5)
    async with starts.turn(), asyncio.timeout(5), starts.turn():
        pass
    # And its turn was given back once only.
    held = asyncio.Event()

    async def start() -> None:
        async with starts.turn():
            held.set()
            await asyncio.Event().wait()

    first = asyncio.create_task(start())
    await held.wait()
    second = asyncio.create_task(start())
    await asyncio.sleep(0)
    assert starts._free.locked()
    for task in (first, second):
        task.cancel()
    await asyncio.wait([first, second])


async def keep_server_busy(turns: int) -> None:
    for _ in range(turns):
        time.sleep(0.02)  # noqa: ASYNC251  what is to be noticed
        await asyncio.sleep(0)


async def test_the_next_kernel_waits_until_the_server_is_calm() -> None:
    starts = KernelStarts(1, longest_rest_s=60)
    async with starts.turn():
        pass
    busy = asyncio.create_task(keep_server_busy(20))
    async with starts.turn():
        assert busy.done()


async def test_a_server_that_is_never_calm_starts_kernels_all_the_same() -> None:
    starts = KernelStarts(1, longest_rest_s=0.2)
    async with starts.turn():
        pass
    busy = asyncio.create_task(keep_server_busy(10_000))
    async with asyncio.timeout(20), starts.turn():
        assert not busy.done()
    busy.cancel()
    await asyncio.wait([busy])


async def test_whoever_is_cancelled_while_the_server_is_busy_gives_the_turn_back() -> None:
    starts = KernelStarts(1, longest_rest_s=60)
    async with starts.turn():
        pass
    busy = asyncio.create_task(keep_server_busy(10_000))

    async def start() -> None:
        async with starts.turn():
            pass

    waiting = asyncio.create_task(start())
    await asyncio.sleep(0.1)
    assert starts._free.locked()
    for task in (waiting, busy):
        task.cancel()
    await asyncio.wait([waiting, busy])
    assert not starts._free.locked()
