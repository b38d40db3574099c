"""Who leaves the block of a run, and from where: other tasks, abandoned generators, the end of the loop."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest
import trio

import lastbrace

from .processes import DONE, FAMILY, FOREVER, nothing_left, runs, sh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def values(started: list[int]) -> AsyncIterator[Any]:
    async with lastbrace.run(sh(FAMILY)) as backend:
        started.append(backend.pid)
        async for found in backend:
            yield found.value


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning")
def test_a_generator_that_is_never_exhausted_is_closed_by_the_loop(backend: str) -> None:
    started: list[int] = []

    async def abandon() -> None:
        async for value in values(started):
            started.append(value["child"])
            break
        gc.collect()
        with anyio.fail_after(60):
            while any(runs(pid) for pid in started):
                await anyio.sleep(0.01)
        with anyio.CancelScope() as scope:  # scopes are in order: one that is cancelled ends here
            scope.cancel()
            await anyio.sleep(FOREVER)
        assert scope.cancelled_caught

    with nothing_left():
        anyio.run(abandon, backend=backend)
    assert len(started) == 2


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_generator_that_is_still_open_when_the_loop_ends(backend: str) -> None:
    started: list[int] = []
    kept: list[Any] = []

    async def leave_it() -> None:
        kept.append(values(started))
        started.append((await anext(kept[0]))["child"])

    with nothing_left():
        anyio.run(leave_it, backend=backend)
        kept.clear()
    assert not any(runs(pid) for pid in started)


@pytest.mark.anyio
async def test_entered_in_one_task_and_left_in_another() -> None:
    backend = lastbrace.run(sh(FAMILY))

    async def enter() -> None:
        await backend.__aenter__()

    async def leave() -> None:
        assert (await anext(backend)).value["child"]
        await backend.__aexit__(None, None, None)

    with nothing_left():
        for act in (enter, leave):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(act)
    assert backend.outcome.returncode == -15


@pytest.mark.anyio
async def test_runs_inside_runs_inside_task_groups_cancelled_from_outside() -> None:
    started: list[int] = []
    ready = anyio.Event()

    async def nest(depth: int) -> None:
        async with anyio.create_task_group() as tasks, lastbrace.run(sh(FAMILY)) as backend:
            started.append((await anext(backend)).value["child"])
            if depth:
                tasks.start_soon(nest, depth - 1)
            else:
                ready.set()
            async for _ in backend:
                pass

    with nothing_left():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(nest, 3)
            await ready.wait()
            tasks.cancel_scope.cancel()
        assert len(started) == 4
        assert not any(runs(pid) for pid in started)


@pytest.mark.anyio
async def test_an_exception_passes_through_nested_runs_and_groups_once() -> None:
    with nothing_left(), pytest.raises(ExceptionGroup) as caught:
        async with anyio.create_task_group(), lastbrace.run(sh(FAMILY)) as outer:
            await anext(outer)
            async with lastbrace.run(sh(FAMILY)) as inner:
                async for _ in inner:
                    raise KeyError("mine")
    assert [repr(error) for error in caught.value.exceptions] == ["KeyError('mine')"]


@pytest.mark.anyio
@pytest.mark.parametrize("option", ["timeout", "idle_timeout"])
async def test_times_of_zero(option: str) -> None:
    with nothing_left(), pytest.raises(lastbrace.BackendTimeout, match="0 s"):
        async with lastbrace.run(sh(f"sleep {FOREVER}"), grace=0, **{option: 0}) as backend:
            pass
    assert backend.outcome.returncode in (-15, -9)


@pytest.mark.anyio
async def test_times_stand_still_while_the_program_is_stopped() -> None:
    async with lastbrace.run(sh(f"echo '{{}}'; sleep 0.2; echo '{DONE}'"), timeout=3, idle_timeout=2) as backend:
        await anext(backend)
        backend.send_signal(signal.SIGSTOP)
        await anyio.sleep(3.2)
        assert backend.returncode is None
        backend.send_signal(signal.SIGCONT)
        assert (await backend.wait()).ok
        backend.send_signal(signal.SIGTERM)  # over: nobody's
        backend.kill()


@pytest.mark.anyio
async def test_a_program_that_was_stopped_can_still_end_well() -> None:
    script = """trap 'exit 7' TERM; echo '{"n": 1}'; kill -STOP $$; while :; do sleep 0.01; done"""
    began = time.monotonic()
    with nothing_left():
        async with lastbrace.run(sh(script), grace=FOREVER) as backend:
            await anext(backend)
            await anyio.sleep(0.1)
    assert backend.returncode == 7
    assert time.monotonic() - began < FOREVER / 10


@pytest.mark.anyio
async def test_hundreds_of_short_runs_leave_nothing() -> None:
    async def some() -> None:
        for _ in range(20):
            assert (await _outcome(sh(f"echo '{DONE}'"))).ok

    with nothing_left():
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(some)


async def _outcome(argv: list[str]) -> lastbrace.Outcome[Any]:
    async with lastbrace.run(argv) as backend:
        pass
    return backend.outcome


def test_a_loop_that_is_told_to_cancel_all_its_tasks_leaves_no_program() -> None:
    started: list[int] = []

    async def main() -> None:
        async def work() -> None:
            async with lastbrace.run(sh(FAMILY)) as backend:
                async for found in backend:
                    started.append(found.value.get("child", backend.pid))

        task = asyncio.create_task(work())
        while len(started) < 2:
            await asyncio.sleep(0.01)
        for other in asyncio.all_tasks() - {asyncio.current_task()}:
            other.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with nothing_left():
        asyncio.run(main())
    assert not any(runs(pid) for pid in started)


def test_within_a_trio_nursery() -> None:
    started: list[int] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery, lastbrace.run(sh(FAMILY)) as backend:
            started.append((await anext(backend)).value["child"])
            nursery.cancel_scope.cancel()
            await backend.wait()

    with nothing_left():
        trio.run(main)
    assert not any(runs(pid) for pid in started)


def test_control_c_twice_in_run_sync() -> None:
    code = f"""
import lastbrace, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
argv = ["/bin/sh", "-c", {f"trap '' TERM INT; {FAMILY}; wait"!r}]
try:
    lastbrace.run_sync(argv, grace={FOREVER}, on_object=lambda found: print(found.value.get("child", ""), flush=True))
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        child = int(program.stdout.readline())
        program.stdout.readline()
        for _ in range(2):
            program.send_signal(signal.SIGINT)
            time.sleep(0.5)
        program.stdout.read()
    assert not runs(child)


def test_an_input_that_waits_for_what_was_cancelled_is_told_and_the_program_read_on() -> None:
    async def words() -> AsyncIterator[bytes]:
        yield b"x"
        other = asyncio.ensure_future(asyncio.sleep(FOREVER))
        asyncio.get_running_loop().call_soon(other.cancel)
        await other

    async def main() -> None:
        with pytest.raises(RuntimeError, match="the input was cancelled"):
            async with lastbrace.run(sh(f"cat; echo '{DONE}'"), input=words()) as backend:
                pass
        assert backend.outcome.ok

    with nothing_left():
        asyncio.run(main())


@pytest.mark.parametrize("option", ["stderr", "on_output"])
def test_a_callback_of_stderr_that_raises_a_cancellation_ends_the_program_and_does_not_hang(option: str) -> None:
    def refuse(*_: object) -> None:
        raise asyncio.CancelledError

    async def main() -> None:
        with pytest.raises(RuntimeError, match="was cancelled"):
            async with lastbrace.run(sh(f"echo x >&2; sleep {FOREVER}"), **{option: refuse}):  # type: ignore[arg-type]
                pass

    with nothing_left():
        asyncio.run(main())
