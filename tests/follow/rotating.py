"""Two writers, and one who rotates their log in every way and knows what that destroys: for `torture`."""

from __future__ import annotations

import fcntl
import gzip
import json
import multiprocessing
import os
import random
import shutil
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lastbrace

NAME = "log.jsonl"
KEPT = 6  # older generations
FORK = multiprocessing.get_context("fork")


class Shared:
    """What writers and the one who rotates know of each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self.generation = FORK.Value("i", 0)  # of the text at the path
        self.renamed = FORK.Value("i", 0)  # how often the file at the path was replaced
        self.reopen = FORK.Value("i", 0)  # how often writers had to open it anew at once
        self.left = FORK.Value("i", 0)  # writers that still write

    def lock(self) -> Any:
        file = open(self.folder.parent / "lock", "a")  # noqa: SIM115 - closed by its user
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


def record(writer: int, number: int, generation: int, rng: random.Random) -> bytes:
    fields = {"w": writer, "n": number, "g": generation, "pad": "x" * rng.choice((0, 5, 50, 300, 3000))}
    fields["c"] = zlib.crc32(json.dumps(fields).encode())
    return json.dumps(fields).encode()


def write(shared: Shared, writer: int, count: int, seed: int) -> None:
    """Write so many numbered records, some in two halves, some halves never finished."""
    rng = random.Random(f"{seed}:{writer}")
    fd, renamed, reopened, generation, behind = -1, -1, -1, 0, b""
    number = 0
    while number < count:
        with shared.lock():
            late = renamed != shared.renamed.value and rng.random() < 0.02
            if fd < 0 or late or reopened != shared.reopen.value:
                if fd >= 0:
                    os.close(fd)
                fd = os.open(shared.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                renamed, reopened, behind = shared.renamed.value, shared.reopen.value, b""
            if renamed == shared.renamed.value:
                generation = shared.generation.value
            for _ in range(rng.choice((1, 1, 3, 10))):
                if number >= count:
                    break
                data = record(writer, number, generation, rng)
                if rng.random() < 0.02:  # a crash in the middle of a record
                    os.write(fd, behind + data[: data.index(b"pad") + 1])
                    behind = b"\n"
                    continue
                if rng.random() < 0.2:
                    cut = rng.randrange(data.index(b"pad"), data.index(b'"c"') - 4)
                    os.write(fd, behind + data[:cut])
                    time.sleep(rng.random() * 0.003)
                    os.write(fd, data[cut:] + b"\n")
                else:
                    os.write(fd, behind + data + b"\n")
                behind = b""
                number += 1
        time.sleep(rng.choice((0, 0, 0.001, 0.004)))
    os.close(fd)
    with shared.left.get_lock():
        shared.left.value -= 1


@dataclass
class Rotation:
    """Rotates the log in every way, and notes what that destroys."""

    shared: Shared
    rng: random.Random
    weights: dict[str, int]
    destroyed: set[tuple[int, int]] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        self.path = self.shared.path

    def step(self) -> None:
        name = self.rng.choices(list(self.weights), list(self.weights.values()))[0]
        if self.path.exists():
            self.counts[name] += 1
            getattr(self, name)()

    def older(self, number: int) -> Path:
        return self.path.with_name(f"{NAME}.{number}")

    def make_room(self) -> None:
        """Count the older generations up by one."""
        for suffix in ("", ".gz"):
            oldest = Path(f"{self.older(KEPT)}{suffix}")
            if oldest.exists():
                self.note(oldest)
                oldest.unlink()
                self.shared.reopen.value += 1  # what is still written to it is on no disk
        for number in range(KEPT - 1, 0, -1):
            for suffix in ("", ".gz"):
                file = Path(f"{self.older(number)}{suffix}")
                if file.exists():
                    file.rename(f"{self.older(number + 1)}{suffix}")

    def note(self, file: Path) -> None:
        """Note all records in a file that is about to go."""
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for found in lastbrace.iter_objects(data, framing="lines"):
            self.destroyed.add((found.value["w"], found.value["n"]))

    def all_reopen(self) -> None:
        """Have writers let go of older generations: nothing is written to them any more."""
        with self.shared.lock():
            self.shared.reopen.value += 1

    def rename(self) -> None:
        with self.shared.lock():
            self.shared.reopen.value += self.rng.random() < 0.5 or self.shared.renamed.value % 3 == 0
            self.make_room()
            self.path.rename(self.older(1))
            self.shared.generation.value += 1
            self.shared.renamed.value += 1
        if self.rng.random() < 0.5:
            self.path.touch()

    def copytruncate(self) -> None:
        if self.rng.random() < 0.5:
            self.all_reopen()
        with self.shared.lock():
            self.make_room()
        copy = self.older(1)
        with self.path.open("rb") as source, copy.open("wb", buffering=0) as target:
            while self.rng.random() < 0.9 and (block := source.read(self.rng.choice((10, 1000, 5000, 100_000)))):
                target.write(block)  # while it grows
                time.sleep(self.rng.choice((0, 0, 0.001, 0.02)))
            if self.rng.random() < 0.3:
                time.sleep(0.3)
            with self.shared.lock():
                target.write(source.read())
                if self.rng.random() < 0.3:
                    time.sleep(0.05)
                os.truncate(self.path, 0)
                self.shared.generation.value += 1

    def truncate(self) -> None:
        with self.shared.lock():
            self.note(self.path)
            os.truncate(self.path, 0)
            self.shared.generation.value += 1

    def rewrite(self) -> None:
        """Truncate, and write at once as much as there was, or more."""
        with self.shared.lock():
            self.note(self.path)
            size = self.path.stat().st_size
            self.path.write_bytes(
                b"# %r begins\n" % self.rng.random() + b"-" * (size + self.rng.choice((0, 1000))) + b"\n"
            )
            self.shared.generation.value += 1

    def delete(self) -> None:
        with self.shared.lock():
            self.note(self.path)
            self.path.unlink()
            self.shared.generation.value += 1
            self.shared.renamed.value += 1
            self.shared.reopen.value += 1

    def compress(self) -> None:
        self.all_reopen()
        for number in range(1, KEPT):
            file = self.older(number)
            packed = Path(f"{file}.gz")
            if file.exists() and not packed.exists():
                with file.open("rb") as source, gzip.open(packed, "wb") as target:
                    while block := source.read(self.rng.choice((1000, 100_000))):
                        target.write(block)
                        time.sleep(self.rng.choice((0, 0.002)))
                file.unlink()
                return

    def backup(self) -> None:
        """Copy the log, and leave it as it is."""
        shutil.copyfile(self.path, self.path.with_name(f"{NAME}.bak"))

    def fork(self) -> None:
        """Copy the log, and have the copy go its own way for a moment."""
        copy = self.path.with_name(f"{NAME}.fork")
        with self.shared.lock():
            shutil.copyfile(self.path, copy)
        with copy.open("ab") as file:
            file.write(b"\n# something else\n")
        time.sleep(self.rng.random() * 0.3)
        copy.unlink()
