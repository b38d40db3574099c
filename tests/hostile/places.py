"""Hostile files, programs, disks and clocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

import lastbrace

from .case import MB, Case

if TYPE_CHECKING:
    from collections.abc import Iterator

SOON = 300  # seconds in which what must happen does, however loaded the machine is
YEARS = 10 * 365 * 86400.0  # seconds


@contextmanager
def folder() -> Iterator[Path]:
    """Make a directory for a while."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def followed(paths: Path | list[Path], count: int, **options: Any) -> tuple[list[lastbrace.Record], list[str]]:
    """Return the first so many records of files that are there, and what could not be read, once all was looked at."""
    problems: list[str] = []

    async def main() -> list[lastbrace.Record]:
        watch = {"start": "start", "agent": None, "contract": None, **options}
        with anyio.fail_after(SOON):
            async with lastbrace.follow(paths, on_problem=lambda path, why: problems.append(why), **watch) as log:
                records = [await anext(log) for _ in range(count)]
                with anyio.move_on_after(0.1):
                    records.append(await anext(log))
                return records

    return anyio.run(main), problems


def many_files(size: int) -> None:
    """Follow so many files."""
    with folder() as place:
        for number in range(size):
            (place / f"{number}.jsonl").write_text(f'{{"n":{number}}}\n')
        records, problems = followed(place, size)
        assert sorted(record.value["n"] for record in records) == list(range(size))
        assert not problems


def circles(size: int) -> None:
    """Follow a folder with so many links to itself and to the folder above."""
    with folder() as place:
        (place / "x").mkdir()
        (place / "x" / "a.jsonl").write_text('{"n":1}\n')
        for number in range(size // 2):
            (place / "x" / f"here{number}").symlink_to(".")
            (place / "x" / f"above{number}").symlink_to("..")
        records, problems = followed(place, 1)
        assert [record.value for record in records] == [{"n": 1}]
        assert not problems


def unreadable(size: int) -> None:
    """Follow a folder of so many files that cannot be read, and one that can."""
    with folder() as place:
        for number in range(size):
            (place / f"{number}.jsonl").symlink_to(f"{number}.jsonl")
        (place / "z.jsonl").write_text('{"n":1}\n')
        records, problems = followed([*place.iterdir()], 1)
        assert [record.value for record in records] == [{"n": 1}]
        assert len(problems) == size


def nested(size: int) -> None:
    """Follow folders in folders, so deep."""
    with folder() as place:
        deepest = place / "/".join("d" * size)
        os.makedirs(deepest)
        (deepest / "a.jsonl").write_text('{"n":1}\n')
        records, problems = followed(place, 1)
        assert (len(records), problems) == (1, [])


FLOOD = """
import os, sys
block = b"x" * 65535 + b"\\n"
for _ in range(int(sys.argv[1]) // len(block)):
    for descriptor in map(int, sys.argv[2:]):
        left = block
        while left:
            left = left[os.write(descriptor, left):]
os.write(1, b'{"status": "done"}')
"""


def flood(size: int, *descriptors: str) -> None:
    """Run a program that writes so much to its stdout or stderr as fast as it can."""
    outcome = lastbrace.run_sync([sys.executable, "-S", "-E", "-c", FLOOD, str(size), *descriptors])
    assert outcome.ok
    assert len(outcome.stderr_tail) <= 65536


def flood_of_stdout(size: int) -> None:
    """Write to stdout."""
    flood(size, "1")


def flood_of_both(size: int) -> None:
    """Write to both."""
    flood(size, "1", "2")


FULL = 4096  # bytes that a file can have on the full disk
ON_A_FULL_DISK = f"""
import resource, signal, sys
from lastbrace.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({FULL}, {FULL}))
sys.argv[0] = "lastbrace"
sys.exit(main())
"""


def on_a_full_disk(place: Path, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Return status, stdout and stderr of a command in a folder where no file can grow beyond a few KB."""
    argv = [sys.executable, "-W", "error", "-c", ON_A_FULL_DISK, *arguments]
    done = subprocess.run(argv, cwd=place, input=stdin, capture_output=True, text=True, timeout=SOON, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def full_disk_for_a_recording(_: int) -> None:
    """Record a program: its answer is not lost with the recording, of which there is what the disk could take."""
    program = ["-c", "for _ in range(100): print('x' * 100, flush=True)\nprint('{\"status\": \"done\"}')"]
    with folder() as place:
        status, out, error = on_a_full_disk(place, "run", "--save", "it", "--", sys.executable, *program)
        assert (status, '"done"' in out, error) == (0, True, "lastbrace: it is incomplete: File too large\n")
        assert (place / "it").stat().st_size == FULL
        status, _, error = on_a_full_disk(place, "replay", "it", "--speed", "0")
        assert (status, error) == (1, "lastbrace: it has no end: the recording was cut\n")


def full_disk_for_a_journal(_: int) -> None:
    """Keep a journal: the loop ends where it cannot write down what it did, and goes on from there later."""
    with folder() as place:
        agent = [sys.executable, "-c", f'print(\'{{"status": "continue", "next": "{"x" * 900}"}}\')']
        options = ["loop", "--prompt", "T", "--journal", "it", "--max-turns", "9", "--max-repeats", "99", "--"]
        status, _, error = on_a_full_disk(place, *options, *agent)
        assert (status, "cannot write the journal it: File too large" in error) == (1, True), (status, error)
        lines = (place / "it").read_bytes().splitlines(keepends=True)
        assert all(
            isinstance(json.loads(line), dict) for line in lines
        )  # whole lines, the one that did not fit is gone
        assert 1 < len(lines) < 6


def full_disk_for_a_cursor(_: int) -> None:
    """Save a cursor: the one before stays, and the records are printed."""
    with folder() as place:
        for number in range(40):
            (place / f"{number}.jsonl").write_text(f'{{"n":{number}}}\n')
        (place / "state").write_text("{}")
        cursor = json.dumps({"version": 1, "files": []})
        (place / "state").write_text(cursor)
        options = ["follow", "--state", "state", "--idle-timeout", "0.5", "--agent", "none", "--contract", "none"]
        status, out, error = on_a_full_disk(place, *options, *(f"{number}.jsonl" for number in range(40)))
        assert (status, len(out.splitlines())) == (0, 40), (status, error)
        assert set(error.splitlines()) == {"lastbrace: cannot save to state: File too large"}
        assert (place / "state").read_text() == cursor
        assert len([*place.iterdir()]) == 41  # and nothing of the new one is left


@contextmanager
def jumping_clock() -> Iterator[None]:
    """Set the clock ten years forward or back each time that somebody looks at it."""
    real, calls = time.time, 0

    def now() -> float:
        nonlocal calls
        calls += 1
        return real() + YEARS * (1, -1, 3, -2)[calls % 4]

    time.time = now
    try:
        yield
    finally:
        time.time = real


def clock_jumps(_: int) -> None:
    """Run a program, follow a file and go in a loop with times to keep to."""
    began = time.monotonic()
    with folder() as place, jumping_clock():
        try:
            lastbrace.run_sync([sys.executable, "-S", "-c", "import time; time.sleep(600)"], timeout=0.3)
            raise AssertionError("a time limit was not kept")
        except lastbrace.BackendTimeout:
            pass
        (place / "a.jsonl").write_text('{"n":1}\n')
        ended = anyio.run(_follow_and_loop, place / "a.jsonl")
        assert ended == ([{"n": 1}], "idle", "max_seconds"), ended
    assert time.monotonic() - began < SOON


async def _follow_and_loop(path: Path) -> tuple[list[Any], str | None, str]:
    with anyio.fail_after(SOON):
        watch = {"start": "start", "agent": None, "contract": None}
        async with lastbrace.follow(path, idle_timeout=0.3, **watch) as log:
            values = [record.value async for record in log]
        argv = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
        async with lastbrace.loop(lambda prompt, session: argv, "T", max_seconds=0.3) as turns:
            async for _ in turns:
                pass
        return values, log.ended, str(turns.reason)


PLACES = [
    Case("a flood on stdout", "a program that writes as fast as it can", flood_of_stdout, 128 * MB),
    Case("a flood on both", "one that writes so much to stderr too", flood_of_both, 64 * MB),
    Case("many files", "followed files, read and looked after", many_files, 10_000, "files", 60, 200),
    Case("links in circles", "symbolic links to their own folder and the one above", circles, 400, "links", 30),
    Case("files that cannot be read", "links to themselves", unreadable, 4000, "files", 30, 40),
    Case("nested folders", "folders in folders", nested, 800, "levels", 30),
    Case("a full disk: --save", "recordings: the answer is not lost", full_disk_for_a_recording, 1, "run"),
    Case("a full disk: --journal", "journals: the loop ends, and can go on", full_disk_for_a_journal, 1, "run"),
    Case("a full disk: --state", "cursors: the last one stays", full_disk_for_a_cursor, 1, "run"),
    Case("clock jumps", "ten years forward and back: time limits are kept", clock_jumps, 1, "run"),
]
