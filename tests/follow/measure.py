"""How soon a record is delivered, and what following costs when nothing changes: `python -m tests.follow.measure`."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import anyio

import lastbrace


async def delivery(folder: Path, count: int, *, polling: bool) -> list[float]:
    """Return the seconds from each write to the record's delivery."""
    path, delays = folder / "delivery.log", list[float]()
    path.touch()

    async def write() -> None:
        for number in range(count):
            await anyio.sleep(0.05 + number % 7 * 0.11)
            with path.open("a") as file:
                file.write('{"at": %r}\n' % time.time())  # noqa: UP031 - a brace

    async with lastbrace.follow(path, force_polling=polling) as log, anyio.create_task_group() as tasks:
        await anyio.sleep(1)
        tasks.start_soon(write)
        async for record in log:
            delays.append(time.time() - record.value["at"])
            if len(delays) == count:
                break
    return delays


async def at_rest(folder: Path, count: int, seconds: float, *, polling: bool) -> tuple[float, float]:
    """Return the seconds that beginning to follow so many files takes, and then the share of one processor."""
    for number in range(count):
        (folder / f"{number}.log").write_text('{"n": 1}\n')
    await anyio.sleep(2.5)  # files that were written to just now are looked at more often
    began = time.perf_counter()
    async with lastbrace.follow(folder, force_polling=polling):
        first = time.perf_counter() - began
        await anyio.sleep(3)
        used, began = time.process_time(), time.perf_counter()
        await anyio.sleep(seconds)
        return first, (time.process_time() - used) / (time.perf_counter() - began)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    for polling in (False, True):
        how = "polling" if polling else "notices"
        with tempfile.TemporaryDirectory() as folder:
            delays = await delivery(Path(folder), options.records, polling=polling)
            print(f"{how}: delivered after {statistics.median(delays):.3f} s, at most {max(delays):.3f} s", flush=True)
        for count in (1, 1_000, 10_000):
            with tempfile.TemporaryDirectory() as folder:
                first, share = await at_rest(Path(folder), count, options.seconds, polling=polling)
                print(f"{how}: {count} files: begun in {first:.2f} s, {share:.2%} of a processor at rest", flush=True)


if __name__ == "__main__":
    anyio.run(main)
