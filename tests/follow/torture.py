"""Two writers, one who rotates in every way, and a follower that is killed at random: is every record there, once?

`python -m tests.follow.torture --records 20000 --seed 1` says so for one seed; `--seeds 30` for as many from there on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

import lastbrace

from .rotating import FORK, NAME, Rotation, Shared, write

OPERATIONS = {
    "rename": 4, "copytruncate": 4, "truncate": 1, "delete": 1, "rewrite": 1, "compress": 2, "backup": 1, "fork": 1,
}  # fmt: skip
COPY_HEAVY = {"copytruncate": 8, "backup": 4, "rename": 1, "compress": 1, "fork": 2}
TARGETS = {"path": NAME, "glob": "log*", "folder": ""}


async def follow(target: str, folder: Path, output: Path, state: Path, *rest: str) -> None:
    """Follow, write each record to `output`, and save the cursor now and then, with how much it covers."""
    seed, idle = int(rest[0]), float(rest[1]) or None
    rng = random.Random(seed)
    start: Any = json.loads(state.read_text())["cursor"] if state.exists() else "start"
    out = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    written = os.fstat(out).st_size
    async with lastbrace.follow(
        str(folder / target) if target else folder, start=start, idle_timeout=idle, agent=None, contract=None,
        force_polling=rng.random() < 0.3,
    ) as log:  # fmt: skip
        os.write(out, b"started\n")
        written += 8
        save(log.cursor, written, state)
        async for found in log:
            line = json.dumps([found.path.name, found.start, found.found.raw.decode()]).encode() + b"\n"
            os.write(out, line)
            written += len(line)
            if rng.random() < 0.02 or not log.buffered:
                save(log.cursor, written, state)


def save(cursor: dict[str, Any], written: int, state: Path) -> None:
    temporary = state.with_suffix(".new")
    temporary.write_text(json.dumps({"cursor": cursor, "covers": written}))
    temporary.replace(state)


@dataclass
class Report:
    """What a run gave; `faults` must be empty."""

    faults: list[str]
    written: int
    delivered: int
    again: int
    destroyed: int
    sessions: int
    seconds: float
    operations: dict[str, int]

    def __str__(self) -> str:
        verdict = "FAULTS " + "; ".join(self.faults[:5]) if self.faults else "ok"
        return (
            f"{verdict}: {self.written} written, {self.delivered} delivered, {self.again} again after a kill,"
            f" {self.destroyed} destroyed before; {self.sessions} sessions, {dict(self.operations)},"
            f" {self.seconds:.1f} s"
        )


def check(sessions: list[tuple[list[str], int]], written: dict[int, int], destroyed: set[tuple[int, int]]) -> Report:
    """Compare what was delivered with what was written. A session: its lines, and how many of them a save covers."""
    faults: list[str] = []
    covered: set[tuple[int, int]] = set()
    seen: set[tuple[int, int]] = set()
    again = 0
    for number, (lines, saved) in enumerate(sessions):
        mine: set[tuple[int, int]] = set()
        newest: dict[tuple[int, int], int] = defaultdict(lambda: -1)
        for at, line in enumerate(lines):
            path, start, raw = json.loads(line)
            value = json.loads(raw)
            checksum = value.pop("c", None)
            if checksum != zlib.crc32(json.dumps(value).encode()):
                faults.append(f"session {number}: torn or glued: {raw[:100]}")
                continue
            key = (value["w"], value["n"])
            if key in covered:
                faults.append(
                    f"session {number}: {key} of {value['g']} again at {path}:{start}, though saved as delivered"
                )
            if key in mine:
                faults.append(f"session {number}: {key} of {value['g']} twice at {path}:{start}")
            again += key in seen
            mine.add(key)
            text = (value["w"], value["g"])
            if value["n"] <= newest[text]:
                faults.append(f"session {number}: {key} of {value['g']} out of order")
            newest[text] = value["n"]
            if at < saved:
                covered.add(key)
        seen |= mine
        covered |= {key for key in mine if key in covered}
    missing = {(w, n) for w, count in written.items() for n in range(count)} - seen - destroyed
    for key in sorted(missing)[:5]:
        faults.append(f"{key} is missing")
    if missing:
        faults.append(f"{len(missing)} missing in all")
    return Report(faults, sum(written.values()), len(seen), again, len(destroyed), len(sessions), 0.0, {})


def torture(records: int, seed: int, target: str, weights: dict[str, int], *, kills: bool = True) -> Report:
    """Run it all once."""
    began = time.monotonic()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "logs")
        folder.mkdir()
        output, state = Path(scratch, "out"), Path(scratch, "state")
        shared = Shared(folder)
        shared.left.value = 2
        counts = {0: records // 2, 1: records - records // 2}
        writers = [FORK.Process(target=write, args=(shared, w, count, seed)) for w, count in counts.items()]
        rotation = Rotation(shared, random.Random(f"{seed}:rotation"), weights)
        sessions: list[tuple[list[str], int]] = []

        def start_follower(idle: float = 0) -> subprocess.Popen[bytes]:
            arguments = [TARGETS[target], folder, output, state, seed * 1000 + len(sessions), idle]
            return subprocess.Popen([sys.executable, "-m", "tests.follow.torture", "--follow", *map(str, arguments)])

        def ended() -> None:
            lines = output.read_bytes()[done() :].split(b"\n")[:-1]
            covers = json.loads(state.read_text())["covers"] if state.exists() else 0
            saved, at = 0, done()
            for number, line in enumerate(lines):
                at += len(line) + 1
                if at <= covers:
                    saved = number + 1
            kept = [(line.decode(), number < saved) for number, line in enumerate(lines) if line != b"started"]
            sessions.append(([line for line, _ in kept], sum(is_saved for _, is_saved in kept)))
            sizes.append(output.stat().st_size)

        def done() -> int:
            return sizes[-1] if sizes else 0

        sizes: list[int] = []
        output.touch()
        follower = start_follower()
        while not state.exists():
            time.sleep(0.01)
        for writer in writers:
            writer.start()
        try:
            while shared.left.value:
                time.sleep(rng.random() * 0.15)
                rotation.step()
                if kills and rng.random() < 0.08:
                    follower.kill()
                    follower.wait()
                    ended()
                    for _ in range(rng.choice((0, 0, 1, 2, 3))):  # meanwhile
                        rotation.step()
                        time.sleep(rng.random() * 0.1)
                    follower = start_follower()
            follower.kill()
            follower.wait()
            ended()
            follower = start_follower(idle=2.0)
            if follower.wait(120):
                raise RuntimeError("the follower failed")
            ended()
        finally:
            follower.kill()
            follower.wait()
            for writer in writers:
                writer.join(60)
        report = check(sessions, counts, rotation.destroyed)
        report.seconds = time.monotonic() - began
        report.operations = rotation.counts
        return report


def main() -> None:
    if sys.argv[1:2] == ["--follow"]:
        target, folder, output, state, seed, idle = sys.argv[2:]
        backend = "trio" if int(seed) % 2 else "asyncio"
        anyio.run(follow, target, Path(folder), Path(output), Path(state), seed, idle, backend=backend)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--target", choices=list(TARGETS))
    parser.add_argument("--copies", action="store_true", help="mostly copy-and-truncate")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.seeds):
        target = options.target or list(TARGETS)[seed % len(TARGETS)]
        report = torture(options.records, seed, target, COPY_HEAVY if options.copies else OPERATIONS)
        failed += bool(report.faults)
        print(f"seed {seed}, {target}: {report}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
