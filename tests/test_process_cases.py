"""What went wrong for people with programs, from `tests/data/cases`, through real ones on asyncio and trio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

import lastbrace
from lastbrace import Found

from .cases import ALL, Case
from .processes import nothing_left, py
from .test_cases import BY_NAME, case_ids, same, watcher_options

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.anyio

CASES = [
    case
    for case in ALL
    if case.kind.startswith(("lifecycle.", "async.", "callback."))
    or (case.kind.startswith("transport.") and "scenario" in case.expect)
]
each_case = pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))


def writer(case: Case, *, first: str = "", between: str = "pass") -> list[str]:
    """Return a program that writes the chunks of the case; ``between`` them it does as told."""
    return py(f"import os, sys, time\n{first}\nfor chunk in {case.chunks!r}:\n    os.write(1, chunk)\n    {between}\n")


def judge(case: Case, outcome: lastbrace.Outcome[Any]) -> None:
    answer = outcome.last if "schema" not in case.expect else outcome.match
    assert same(answer and answer.value, case.last)
    assert same(outcome.last and outcome.last.value, case.last_any)
    assert outcome.state == case.expect["state"]
    assert outcome.ok is (case.last is not None)
    assert (outcome.returncode, outcome.stats.objects) == (0, len(case.objects))


@each_case
async def test_its_verdict(case: Case) -> None:
    with nothing_left():
        async with lastbrace.run(writer(case), **watcher_options(case)) as backend:
            values = [found.value async for found in backend]
    assert same(values, case.objects)
    judge(case, backend.outcome)


@each_case
async def test_with_stderr_full_first(case: Case) -> None:
    argv = writer(case, first="os.write(2, b'e' * 200_000)")
    async with lastbrace.run(argv, **watcher_options(case)) as backend:
        pass
    judge(case, backend.outcome)
    assert backend.outcome.stderr_tail.endswith("e" * 100)


TIMED = [case for case in CASES if "emit_after_chunk" in case.expect]


@pytest.mark.parametrize("case", TIMED, ids=case_ids(TIMED))
async def test_each_object_comes_before_the_next_chunk(case: Case) -> None:
    came = 0
    more = anyio.Event()

    async def turns() -> AsyncIterator[str]:
        for number in range(len(case.chunks)):
            while came < sum(chunk <= number for chunk in case.expect["emit_after_chunk"]):
                await more.wait()
            yield "\n"

    with anyio.fail_after(60):
        async with lastbrace.run(
            writer(case, between="sys.stdin.readline()"), input=turns(), **watcher_options(case)
        ) as backend:
            async for _ in backend:
                came += 1
                more.set()
                more = anyio.Event()
    assert came == len(case.objects)
    judge(case, backend.outcome)


async def test_a_callback_that_raises_once_is_told_at_the_end_and_stops_nothing() -> None:
    case = BY_NAME["callback/raises-once"]
    seen = []

    def on_object(found: Found) -> None:
        seen.append(found.value)
        if found.value == {"n": 1}:
            raise ValueError("not this one")

    backend = lastbrace.run(writer(case), on_object=on_object, **watcher_options(case))
    with pytest.raises(ValueError, match="not this one"):
        async with backend:
            pass
    assert seen == case.objects
    judge(case, backend.outcome)


async def test_there_is_no_verdict_before_there_is_an_answer() -> None:
    case = BY_NAME["lifecycle/prose-then-object"]
    go_on = anyio.Event()

    async def turns() -> AsyncIterator[str]:
        await go_on.wait()
        yield "\n\n"

    argv = writer(case, between="sys.stdin.readline()")
    run = lastbrace.run(argv, input=turns(), **watcher_options(case))
    async with anyio.create_task_group() as tasks, run as backend:
        tasks.start_soon(backend.wait)
        with anyio.fail_after(60):
            while not backend.stats.bytes:
                await anyio.sleep(0.01)
        assert (backend.state, backend.last, backend.completion) == ("none", None, None)
        go_on.set()
        outcome = await _of(backend)
    judge(case, outcome)


async def _of(backend: lastbrace.Backend[Any]) -> lastbrace.Outcome[Any]:
    with anyio.fail_after(60):
        while True:
            try:
                return backend.outcome
            except RuntimeError:
                await anyio.sleep(0.01)
