"""What an agent may be asked to do: one program run, left, killed or cancelled, and what must hold afterwards."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

import lastbrace
from lastbrace import BackendError, BackendTimeout, Status

from ..agents.driving import CAPTURES
from ..processes import runs, sh
from . import programs
from .checking import expect, expect_numbers

DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast"]


def _numbers(found: list[Any]) -> list[int]:
    return [value["n"] for value in found if value.get("n", -1) >= 0]


def _any_options(rng: random.Random) -> dict[str, Any]:
    """Return options of `run` that change nothing in what must come out."""
    options: dict[str, Any] = rng.choice(
        ({}, {}, {"buffer_limit": 200}, {"recover": True}, {"framing": "lines"}, {"agent": None}, {"pty": True})
    )
    return {**options, "stderr": rng.choice(("keep", "keep", lambda text: None))}


async def demo(rng: random.Random) -> None:
    objects = 0

    def count(found: object) -> None:
        nonlocal objects
        objects += 1

    async with lastbrace.run(DEMO, on_object=count, stop=rng.choice(("exit", "final"))) as backend:
        pass
    outcome = backend.outcome
    expect(outcome.ok and outcome.completion and outcome.completion.status is Status.DONE, f"demo: {outcome}")
    expect(objects == 8 or backend.returncode != 0, f"demo: {objects} objects")


async def counted(rng: random.Random) -> None:
    count = rng.choice((1, 20, 200))
    called: list[Any] = []
    options = {**_any_options(rng), "on_object": lambda found: called.append(found.value)}
    got = []
    async with lastbrace.run(programs.numbered(count, rng), **options) as backend:
        async for found in backend:
            got.append(found.value)
    expect_numbers(_numbers(got), count)
    expect(called == got, "callbacks and iteration differ")
    expect(backend.outcome.ok, f"{backend.outcome}")


async def in_a_thread(rng: random.Random) -> None:
    called: list[Any] = []
    argv = programs.numbered(50, rng)
    outcome = await anyio.to_thread.run_sync(
        lambda: lastbrace.run_sync(argv, on_object=lambda found: called.append(found.value))
    )
    expect_numbers(_numbers(called), 50)
    expect(outcome.ok, f"{outcome}")


async def killed(rng: random.Random) -> None:
    argv, how = programs.numbered(100, rng, pause=0.003), rng.choice((signal.SIGKILL, signal.SIGTERM))
    last, got = rng.randrange(100), []
    backend = lastbrace.run(argv)
    try:
        async with backend:
            async for found in backend:
                got.append(found.value)
                if found.value.get("n") == last:
                    with suppress(ProcessLookupError):  # it was faster
                        os.kill(backend.pid, how)
    except BackendError as error:
        raise AssertionError("it had printed something") from error
    expect_numbers(_numbers(got))
    expect(len(_numbers(got)) > last, "a record was lost")
    expect(backend.returncode in (-how, 0), f"killed by {how}: {backend.returncode}")
    expect(backend.outcome.ok == (backend.returncode == 0), f"{backend.outcome}")


async def cancelled(rng: random.Random) -> None:
    got, pid = [], 0
    with anyio.move_on_after(rng.random() * 0.4):
        async with lastbrace.run(programs.numbered(200, rng, pause=0.002), **_any_options(rng)) as backend:
            pid = backend.pid
            async for found in backend:
                got.append(found.value)
    expect_numbers(_numbers(got))
    expect(not pid or not runs(pid), "cancelled, and it still runs")


async def timed_out(rng: random.Random) -> None:
    backend = lastbrace.run(programs.numbered(3, rng, hang=programs.FOREVER), timeout=rng.choice((0.05, 0.3)))
    try:
        async with backend:
            pass
    except BackendTimeout as error:
        expect(error.outcome is backend.outcome, "the error has another outcome")
    else:
        expect(False, "there was no timeout")
    expect(not runs(backend.pid), "timed out, and it still runs")


async def silent(rng: random.Random) -> None:
    try:
        async with lastbrace.run(programs.SILENT, idle_timeout=0.2):
            pass
    except BackendTimeout:
        return
    expect(False, "there was no idle timeout")


async def left_early(rng: random.Random) -> None:
    async with lastbrace.run(programs.STUBBORN, grace=0.1) as backend:
        async for found in backend:
            child = found.value["child"]
            break
    expect(backend.returncode == -signal.SIGKILL, f"{backend.returncode}")
    expect(not runs(child), "its child still runs")


async def leaves_a_child(rng: random.Random) -> None:
    child = 0

    def see(found: lastbrace.Found) -> None:
        nonlocal child
        child = found.value.get("child") or child

    async with lastbrace.run(programs.LEAVES_A_CHILD, grace=0.2, on_object=see) as backend:
        pass
    expect(backend.outcome.ok, f"{backend.outcome}")
    expect(child and not runs(child), "what it left behind still runs")


async def failing(rng: random.Random) -> None:
    argv = rng.choice(([*DEMO, "--fail"], ["/nowhere/agent"], sh("kill -9 $$"), sh("exit 3")))
    try:
        async with lastbrace.run(argv):
            pass
    except BackendError:
        return
    expect(False, f"{argv} raised nothing")


async def hostile(rng: random.Random) -> None:
    name = rng.choice(list(programs.HOSTILE))
    text = programs.HOSTILE[name].encode() + b'\n{"status": "done"}\n'
    async with lastbrace.run(["cat"], input=text, **_any_options(rng) | {"pty": False}) as backend:
        pass
    expect(backend.outcome.ok, f"{name}: {backend.outcome}")


async def fed(rng: random.Random) -> None:
    closed = False

    async def records() -> AsyncIterator[str]:
        nonlocal closed
        try:
            for number in range(100):
                yield f'{{"n": {number}, "pad": "{"x" * rng.choice((0, 10, 10_000))}"}} '
        finally:
            closed = True

    got = []
    async with lastbrace.run(["cat"], input=records(), contract=None) as backend:
        async for found in backend:
            got.append(found.value)
    expect_numbers(_numbers(got), 100)
    expect(closed, "its input was not closed")


async def reads_nothing(rng: random.Random) -> None:
    async with lastbrace.run(sh("""echo '{"status": "done"}'"""), input=b"x" * 1_000_000) as backend:
        pass
    expect(backend.outcome.ok, f"{backend.outcome}")


async def flood(rng: random.Random) -> None:
    got = []
    async with lastbrace.run(programs.FLOOD, stderr=rng.choice(("keep", "merge"))) as backend:
        async for found in backend:
            got.append(found.value)
    expect_numbers(_numbers(got), 40)
    expect(backend.outcome.ok, f"{backend.outcome}")


@cache
def _captures() -> dict[Path, lastbrace.Reply]:
    paths = sorted(CAPTURES.glob("*/*.stdout"), key=lambda path: path.stat().st_size)[:60]
    return {path: lastbrace.parse_reply(path.read_bytes()) for path in paths}


async def captured(rng: random.Random) -> None:
    path, reply = rng.choice(list(_captures().items()))
    try:
        async with lastbrace.run(["cat", path]) as backend:
            pass
    except BackendError as error:
        raise AssertionError(f"{path}: {error}") from error
    got = backend.outcome.reply
    expect(got and (got.agent, got.text, got.usage) == (reply.agent, reply.text, reply.usage), f"{path.name}: {got}")


async def abandoned(rng: random.Random) -> None:
    """A generator around a run, left half-way: it is closed when the event loop comes to it."""

    async def values() -> AsyncIterator[Any]:
        nonlocal pid
        async with lastbrace.run(programs.numbered(50, rng, hang=programs.FOREVER)) as backend:
            pid = backend.pid
            async for found in backend:
                yield found.value

    pid, got, generator = 0, [], values()
    async for value in generator:
        got.append(value)
        if len(got) >= 5:
            break
    await generator.aclose()
    expect_numbers(_numbers(got))
    expect(not runs(pid), "its program still runs")


JOBS = {
    demo: 3, counted: 6, in_a_thread: 2, killed: 4, cancelled: 4, timed_out: 2, silent: 1, left_early: 2,
    leaves_a_child: 2, failing: 2, hostile: 3, fed: 2, reads_nothing: 1, flood: 1, captured: 3, abandoned: 2,
}  # fmt: skip
