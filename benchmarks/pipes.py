"""Reading a program that writes as fast as it can: read loops that do nothing, and ``lastbrace.run``.

The seconds on the clock are the writer's own, from its first byte to its last, so that its start does not count; those
of the processor are all that the reader took, its event loop and the start of the program included.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio

import lastbrace

from . import workloads
from .readers import CHUNK
from .timing import Timing, alternate

if TYPE_CHECKING:
    from .scanners import Call

NOTHING = {"asyncio": "asyncio streams, doing nothing", "trio": "trio streams, doing nothing"}
OWN_LOOP = "os.read once readable, doing nothing"
LINES = "asyncio readline, orjson.loads each"
SCANNER = "the scanner alone"
BLOCK = 4 << 20  # bytes
LINE_LIMIT = 1 << 20  # bytes: asyncio's own would end the reading at the first longer line

Argv = list[str]
Read = Callable[[Argv], Awaitable[tuple[Any, bytes]]]
"""Runs a program and reads it to its end; returns the newest object, where it looks for one, and what stderr said."""


async def asyncio_nothing(argv: Argv) -> tuple[Any, bytes]:
    """asyncio's subprocess and streams, as its documentation shows them."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    assert process.stderr is not None
    while await process.stdout.read(CHUNK):
        pass
    return None, await _ended(process)


async def asyncio_lines(argv: Argv) -> tuple[Any, bytes]:
    """Line by line, each decoded by orjson: what programs around agents do today."""
    loads, pipe = import_module("orjson").loads, asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=pipe, limit=LINE_LIMIT)
    assert process.stdout is not None
    newest = None
    while line := await process.stdout.readline():
        newest = loads(line)
    return newest, await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> bytes:
    assert process.stderr is not None
    said = await process.stderr.read()
    await process.wait()
    return said


async def trio_nothing(argv: Argv) -> tuple[Any, bytes]:
    """trio's subprocess and streams."""
    trio = import_module("trio")
    process = await trio.lowlevel.open_process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while await process.stdout.receive_some(CHUNK):
        pass
    said = await process.stderr.receive_some()
    await process.wait()
    return None, bytes(said)


async def own_loop(argv: Argv) -> tuple[Any, bytes]:
    """``os.read`` as soon as there is something: the fastest read loop known, on either event loop."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: ASYNC220 - it takes a millisecond
        assert process.stdout is not None
        assert process.stderr is not None
        fd = process.stdout.fileno()
        os.set_blocking(fd, False)
        while True:
            await anyio.lowlevel.checkpoint()
            try:
                if not os.read(fd, CHUNK):
                    break
            except BlockingIOError:
                await anyio.wait_readable(fd)
        return None, process.stderr.read()


async def run(argv: Argv) -> tuple[Any, bytes]:
    """``lastbrace.run``, which keeps the newest object."""
    async with lastbrace.run(argv, agent=None, contract=None) as backend:
        outcome = await backend.wait()
    return outcome.last and outcome.last.value, outcome.stderr_tail.encode()


def timed(read: Read, loop: str, argv: Argv, newest: Any) -> tuple[float, float]:
    """Return the seconds that one reading took: of this processor, and on the writer's clock."""
    cpu = time.process_time()
    found, said = anyio.run(read, argv, backend=loop)
    cpu = time.process_time() - cpu
    if found not in (None, newest):
        raise LookupError(f"it found {found!r}")
    if read in (run, asyncio_lines) and found is None:
        raise LookupError("it found nothing")
    return cpu, float(said)


def scan_alone(data: bytes, times: int) -> tuple[float, float]:
    """Return the seconds that the scanner takes for the same bytes in the same chunks, which are there already."""
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    scan = lastbrace.Scanner()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        for chunk in chunks:
            scan.feed(chunk)
    return time.process_time() - cpu, time.perf_counter() - wall


class Piped(NamedTuple):
    """The times by event loop and reader, and how many bytes each read."""

    times: dict[str, Timing]
    size: int


def measure(scanners: dict[str, Call], size: int, rounds: int) -> Piped:
    """Return the times of everyone, who read the same program in turns: by reader, event loop and scanner."""
    work = workloads.agent_lines(BLOCK)
    times = max(1, size // len(work.data))
    with tempfile.TemporaryDirectory() as folder:
        block = Path(folder) / "block"
        block.write_bytes(work.data)
        argv = [sys.executable, "-I", "-S", str(Path(__file__).with_name("pipe_child.py")), str(block), str(times)]
        takers: dict[str, Callable[[], tuple[float, float]]] = {}

        def enter(name: str, call: Call, function: Callable[..., Any], *arguments: Any) -> None:
            takers[name] = lambda: call(function, *arguments)

        own = next(iter(scanners.values()))
        enter(LINES, own, timed, asyncio_lines, "asyncio", argv, work.newest)
        for loop, nothing in (("asyncio", asyncio_nothing), ("trio", trio_nothing)):
            enter(NOTHING[loop], own, timed, nothing, loop, argv, work.newest)
            enter(f"{OWN_LOOP} ({loop})", own, timed, own_loop, loop, argv, work.newest)
            for kind, call in scanners.items():
                enter(f"lastbrace.run ({loop}, {kind})", call, timed, run, loop, argv, work.newest)
        for kind, call in scanners.items():
            enter(f"{SCANNER} ({kind})", call, scan_alone, work.data, times)
        slow = {name for name in takers if "python" in name}
        return Piped(alternate(takers, rounds, slow), times * len(work.data))
