"""Streams through real pipes and real files."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio

import lastbrace

from ..feeding import random_chunks
from .ways import Facts, Options, Seen, facts_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from .texts import Stream

SOON = 120  # seconds in which what must happen does, however loaded the machine is
ROUNDS = 8  # in which the followed files grow

# Writes a file in pieces of the sizes it is told, each when it was told that the one before has been read.
PROGRAM = """
import os, sys
folder, sizes, status = sys.argv[1:]
os.write(2, open(folder + "/stderr", "rb").read())
data, at = open(folder + "/stdout", "rb").read(), 0
for size in map(int, sizes.split(",")):
    end = at + size
    while at < end:
        at += os.write(1, data[at:end])
    if not os.read(0, 1):
        break
sys.exit(int(status))
"""


def by_subprocess(
    stream: Stream, cuts: list[bytes], options: Options, scanner: str, *, calls: Sequence[str], backend: str
) -> Facts:
    """Return what running a program gives that writes these pieces, each of which is read before it writes the next."""
    sizes = [len(piece) for piece in cuts if piece] or [0]
    seen = Seen(calls)

    async def main() -> lastbrace.Outcome[Any]:
        read, due, news = 0, 0, anyio.Event()

        def count(name: Literal["stdout", "stderr"], data: bytes) -> None:
            nonlocal read
            if name == "stdout":
                read += len(data)
                news.set()

        async def answer() -> AsyncIterator[bytes]:
            nonlocal due, news
            for size in sizes:
                due += size
                while read < due:
                    news = anyio.Event()
                    await news.wait()
                yield b"."

        with tempfile.TemporaryDirectory() as folder, anyio.fail_after(SOON):
            Path(folder, "stdout").write_bytes(stream.data)
            Path(folder, "stderr").write_bytes(stream.stderr)
            argv = [sys.executable, "-S", "-E", "-c", PROGRAM, folder, ",".join(map(str, sizes)), str(stream.status)]
            watch = {**options, **seen.callbacks(), "_implementation": scanner}
            backend = lastbrace.run(argv, input=answer(), on_output=count, **watch)
            try:
                async with backend:
                    return await backend.wait()
            except lastbrace.BackendError as error:
                if error.outcome is None:
                    raise
                return error.outcome

    outcome = anyio.run(main, backend=backend)
    return facts_of(outcome) | seen.facts()


def by_files(streams: list[Stream], options: Options, scanner: str, *, seed: int, backend: str) -> list[Facts | None]:
    """Return for each stream what following it gives while all of them grow at once; None for an empty one."""
    rng = random.Random(seed)

    async def main() -> list[lastbrace.Outcome[Any] | None]:
        with tempfile.TemporaryDirectory() as folder, anyio.fail_after(SOON):
            paths = [Path(os.path.realpath(folder), str(number), "agent.log") for number in range(len(streams))]
            for path in paths:
                path.parent.mkdir()
            rest = [_in_rounds(stream.data, rng) for stream in streams]
            watch = {"framing": "free", **options, "_implementation": scanner}
            async with lastbrace.follow(paths, start="start", **watch) as log, anyio.create_task_group() as tasks:
                tasks.start_soon(log.wait)
                for _ in range(ROUNDS):
                    for path, pieces in zip(paths, rest, strict=True):
                        with path.open("ab") as file:
                            file.write(pieces.pop())
                    while any(_size(log, path) < path.stat().st_size for path in paths):
                        await anyio.sleep(0.005)
                tasks.cancel_scope.cancel()
            return [log.outcomes.get(path) for path in paths]

    return [None if outcome is None else facts_of(outcome) for outcome in anyio.run(main, backend=backend)]


def _in_rounds(data: bytes, rng: random.Random) -> list[bytes]:
    """Return what is to be written in each round, the first one last."""
    at = sorted(rng.randint(0, len(data)) for _ in range(ROUNDS - 1))
    return [data[start:end] for start, end in zip([0, *at], [*at, len(data)], strict=True)][::-1]


def _size(log: lastbrace.Log, path: Path) -> int:
    source = log.sources.get(path)
    return 0 if source is None else source.bytes


def some_cuts(data: bytes, rng: random.Random) -> list[bytes]:
    """Return a text in few enough pieces to be waited for one by one."""
    return random_chunks(data, rng, most=max(1, len(data) // rng.choice((2, 5, 20))))
