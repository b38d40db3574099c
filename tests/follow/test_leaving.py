"""Leaving the block in every way: nothing is left, nothing hangs, and one can come back."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace

from ..processes import descriptors
from .files import SOON, append, followed, line, take, values

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    append(tmp_path / "a.log", line(n=1) + line(n=2))
    return tmp_path / "a.log"


async def test_break_return_and_exceptions(path: Path) -> None:
    async def first() -> lastbrace.Record:
        async with followed(path, start="start") as log:
            async for record in log:
                return record
        raise AssertionError

    assert (await first()).value == {"n": 1}
    before = len(descriptors())
    for _ in range(3):
        async with followed(path, start="start") as log:
            async for _record in log:
                break
        with pytest.raises(KeyError, match="mine"):
            async with followed(path, start="start") as log:
                async for _ in log:
                    raise KeyError("mine")
        async with followed(path):
            pass
    with anyio.fail_after(SOON):
        while len(descriptors()) > before:  # change notices are given up by a thread of their own
            await anyio.sleep(0.01)
    assert threading.active_count() < 10


@pytest.mark.parametrize("seconds", [0, 0.001, 0.01, 0.1])
async def test_cancelled_from_outside(path: Path, seconds: float) -> None:
    with anyio.fail_after(SOON):
        for _ in range(5):
            with anyio.move_on_after(seconds) as scope:
                async with followed(path) as log:
                    async for _record in log:
                        raise AssertionError
            assert scope.cancelled_caught


async def test_cancelled_with_its_task_group(path: Path) -> None:
    left = []

    async def read() -> None:
        try:
            async with followed(path) as log, anyio.create_task_group() as inner:
                inner.start_soon(anyio.sleep_forever)
                async for _ in log:
                    raise AssertionError
        finally:
            left.append(log.buffered)

    with anyio.fail_after(SOON):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            tasks.start_soon(read)
            await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()
    assert left == [0, 0]


async def test_a_time_limit_around_one_record_loses_none(path: Path) -> None:
    async with followed(path, start="start") as log:
        got = []
        with anyio.fail_after(SOON):
            while len(got) < 50:
                append(path, line(n=3))
                with anyio.move_on_after(0.003):
                    got.append((await anext(log)).value["n"])
        assert got == [1, 2] + [3] * 48


async def test_what_was_read_and_not_yielded_comes_again(path: Path) -> None:
    async with followed(path, start="start") as log:
        await take(log, 1)
    with pytest.raises(StopAsyncIteration):
        await anext(log)
    async with followed(path, start=log.cursor) as log:
        assert await values(log, 1) == [{"n": 2}]


async def test_a_log_is_followed_once(path: Path) -> None:
    log = lastbrace.follow(path)
    with pytest.raises(RuntimeError, match="async with"):
        await anext(log)
    async with log:
        assert "buffered" in repr(log)
    with pytest.raises(RuntimeError, match="again"):
        async with log:
            pass


async def test_two_tasks_cannot_iterate_at_once(path: Path) -> None:
    async with followed(path) as log, anyio.create_task_group() as tasks:

        async def wait() -> None:
            await anext(log)

        tasks.start_soon(wait)
        await anyio.sleep(0.01)
        with pytest.raises(anyio.BusyResourceError):
            await anext(log)
        append(path, line(n=3))


async def test_a_fault_of_ours_is_raised_and_does_not_hang(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with followed(path) as log:
        monkeypatch.setattr(log._looker, "look", lambda *arguments: 1 / 0)
        with anyio.fail_after(SOON), pytest.raises(ZeroDivisionError):
            await anext(log)


async def records(path: Path) -> AsyncIterator[Any]:
    async with followed(path, start="start") as log:
        async for record in log:
            yield record.value


@pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning")
async def test_a_generator_that_is_never_exhausted_is_closed_by_the_loop(path: Path) -> None:
    before = len(descriptors())
    async for _ in records(path):
        break
    gc.collect()
    with anyio.fail_after(SOON):
        while len(descriptors()) > before:
            await anyio.sleep(0.01)
    with anyio.CancelScope() as scope:  # scopes are in order: one that is cancelled ends here
        scope.cancel()
        await anyio.sleep(SOON)
    assert scope.cancelled_caught


async def test_entered_in_one_task_and_left_in_another(path: Path) -> None:
    log = lastbrace.follow(path, start="start")

    async def enter() -> None:
        await log.__aenter__()

    async def leave() -> None:
        assert await values(log, 2) == [{"n": 1}, {"n": 2}]
        await log.__aexit__(None, None, None)

    for act in (enter, leave):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(act)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_generator_that_is_still_open_when_the_loop_ends(path: Path, backend: str) -> None:
    kept: list[Any] = []

    async def leave_it() -> None:
        kept.append(records(path))
        assert await anext(kept[0]) == {"n": 1}

    anyio.run(leave_it, backend=backend)
    kept.clear()
