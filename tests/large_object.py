"""One object larger than memory should hold, read through a pipe: what it takes, and whether its value is right.

`python -m tests.large_object --size 1000 --string 200` writes an object of 1,000 MB with three wanted members, one of
them a string of 200 MB, into a process of its own, and prints how far that process's memory rose above the interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
ROW = json.dumps(
    {
        "id": 7,
        "name": "Ærøskøbing \u2028 \ud83d\ude00",
        "tags": ["a", 1.5e3, None, {"deep": [[]]}],
        "text": "lorem ipsum " * 8,
    }
).encode()
MEGABYTE = 1_000_000
LIMIT = 1 << 20


@dataclass
class Reading:
    """What came of reading it: what the wanted members were like, the peak of memory in bytes, the seconds it took."""

    value: Any
    peak: int
    seconds: float


def write(stream: Any, size: int, string: int) -> None:
    """Write an object of about so many bytes, a string of so many among them."""
    rows = (ROW + b",") * (MEGABYTE // len(ROW))
    text = b"xyz " * (MEGABYTE // 4)
    stream.write(b'{"first": [1, 2.5], "rows": [')
    for _ in range(max(1, (size - string) // len(rows) // 2)):
        stream.write(rows)
    stream.write(b'null], "text": "')
    for _ in range(string // MEGABYTE):
        stream.write(text)
    stream.write(b'", "again": [')
    for _ in range(max(1, (size - string) // len(rows) // 2)):
        stream.write(rows)
    stream.write(b'null], "status": "done"}\n')


def read(size: int, string: int, mode: str = "watch") -> Reading:
    """Write it into a process that reads it: with a watcher, a scanner that wants no string, or not at all."""
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.large_object", "--child", mode],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        write(child.stdin, size, string)
        child.stdin.close()
        result = json.loads(child.stdout.read())
    return Reading(result["value"], result["peak"], time.monotonic() - started)


def consume(mode: str) -> None:
    """Read standard input and print what the object was like, and the peak of memory."""
    feed, value = (lambda chunk: None), None
    if mode != "nothing":
        from lastbrace import Watcher

        wanted = ["first", "text", "status"] if mode == "watch" else ["first", "status"]
        watcher = Watcher(buffer_limit=LIMIT, max_object_bytes=None, fields=wanted)
        feed = watcher.feed
    while chunk := os.read(0, 65536):
        feed(chunk)
    if mode != "nothing":
        outcome = watcher.close()
        assert outcome.ok
        assert outcome.match is not None
        assert outcome.match.raw is None
        value = outcome.match.value
        value = {key: len(member) if key == "text" else member for key, member in value.items()}
    print(json.dumps({"value": value, "peak": peak()}))


def peak() -> int:
    """Return this process's own peak; ``ru_maxrss`` can be that of the process that started it."""
    try:
        return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="of the object, in MB")
    parser.add_argument("--string", type=int, default=0, help="of one member of it, in MB")
    parser.add_argument("--child", choices=["nothing", "watch", "skip"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        consume(options.child)
        return
    nothing = read(MEGABYTE, 0, "nothing")
    for mode in ("watch", "skip"):
        reading = read(options.size * MEGABYTE, options.string * MEGABYTE, mode)
        above = (reading.peak - nothing.peak) / MEGABYTE
        what = "the string wanted" if mode == "watch" else "the string not wanted"
        print(
            f"{options.size} MB, {what}: {above:.1f} MB above the interpreter, {reading.seconds:.0f} s: {reading.value}"
        )


if __name__ == "__main__":
    main()
