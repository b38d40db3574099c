"""`run_sync`, and `run` in an application on plain asyncio."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from typing import Any

import pytest

import lastbrace
from lastbrace import BackendError, BackendTimeout, Completion, Status

from .processes import DONE, FAMILY, FOREVER, nothing_left, runs, sh


def test_run_sync_returns_the_outcome() -> None:
    seen: list[Any] = []
    with nothing_left():
        outcome = lastbrace.run_sync(
            ["cat"], input=f'{{"n": 1}} {DONE}', on_object=lambda found: seen.append(found.value)
        )
    assert outcome.completion == Completion(Status.DONE)
    assert seen == [{"n": 1}, {"status": "done"}]


def test_run_sync_raises_as_run_does() -> None:
    with nothing_left():
        with pytest.raises(BackendError, match="cannot start"):
            lastbrace.run_sync(["no-such-agent"])
        with pytest.raises(BackendTimeout):
            lastbrace.run_sync(sh(FAMILY), timeout=0.2)
        with pytest.raises(TypeError):
            lastbrace.run_sync("agent --json")


@pytest.mark.asyncio
async def test_run_sync_inside_a_running_loop_blocks_it_and_works() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0)
    before = ticks
    outcome = lastbrace.run_sync(sh(f"echo '{DONE}'"))
    assert outcome.ok
    assert ticks == before
    ticker.cancel()


@pytest.mark.asyncio
async def test_a_task_that_is_cancelled_ends_the_program() -> None:
    child = 0

    async def work() -> None:
        nonlocal child
        async with lastbrace.run(sh(FAMILY)) as backend:
            async for found in backend:
                child = found.value.get("child", child)

    with nothing_left():
        task = asyncio.create_task(work())
        while not child:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not runs(child)


@pytest.mark.asyncio
async def test_an_impatient_second_cancel_leaves_nothing_either() -> None:
    child = 0

    async def work() -> None:
        nonlocal child
        async with lastbrace.run(sh(f"trap '' TERM; {FAMILY}; wait"), grace=FOREVER) as backend:
            async for found in backend:
                child = found.value.get("child", child)

    with nothing_left():
        task = asyncio.create_task(work())
        while not child:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0.1)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not runs(child)


@pytest.mark.asyncio
async def test_within_asyncio_timeout() -> None:
    with nothing_left(), pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(0.2), lastbrace.run(sh(FAMILY)) as backend:
            async for _ in backend:
                pass
    assert not isinstance(caught.value, BackendTimeout)


@pytest.mark.asyncio
async def test_tasks_of_an_application_share_the_loop() -> None:
    async def one(number: int) -> Any:
        async with lastbrace.run(sh(f"""echo '{{"n": {number}}}'"""), contract=None) as backend:
            return (await backend.wait()).value

    assert await asyncio.gather(*map(one, range(5))) == [{"n": number} for number in range(5)]


@pytest.mark.parametrize("backend", ["sync", "asyncio", "trio"])
def test_control_c_ends_the_program_and_passes(backend: str) -> None:
    code = f"""
import anyio, lastbrace, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
argv = ["/bin/sh", "-c", {FAMILY!r}]
def show(found):
    print(found.value.get("child", ""), flush=True)
async def main():
    async with lastbrace.run(argv, on_object=show):
        pass
try:
    lastbrace.run_sync(argv, on_object=show) if {backend!r} == "sync" else anyio.run(main, backend={backend!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen([sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        child = int(program.stdout.readline())
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        assert program.stdout.read().strip() == "interrupted"
    assert program.returncode == 0
    assert not runs(child)
