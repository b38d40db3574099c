"""Goes through streams, holds all ways of reading each against one another, and reports what differs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..fuzz_oracle import shrink
from .checks import check_async, check_callback, check_files, check_subprocess, options_of
from .texts import Stream, corpus, random_stream
from .ways import AGENTS, Difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .ways import Options

    Check = Callable[[Stream, Options, list[str], int], Iterator[Difference | None]]
    Find = Callable[[Stream], Difference | None]

THROUGH = ("callback", "async", "subprocess", "file")
TRIALS = {"callback": 3000, "async": 1000, "subprocess": 300, "file": 60}  # to find a shorter text that fails
FILES = 40  # that are followed at once
USUAL: list[Options] = [
    {"agent": "auto"},
    {"agent": None},
    {"agent": None, "contract": "marker"},
    {"agent": "auto", "recover": True, "framing": "lines"},
]


class Comparison:
    """Counts what was compared, and reports what differs.

    ``through`` are the ways in, ``every`` that one generated stream in so many goes through a subprocess and a file.
    """

    def __init__(self, scanners: list[str], through: list[str], every: int) -> None:
        self.failures = 0
        self._scanners = scanners
        self._through = through
        self._every = every
        self._counts = dict.fromkeys(through, 0)
        self._waiting: list[Stream] = []
        self._following: Options = USUAL[0]

    def __str__(self) -> str:
        counts = ", ".join(f"{count} by {name}" for name, count in self._counts.items())
        return f"{counts}; {self.failures} failures"

    def read_corpus(self) -> None:
        """Compare all that is in `tests/data`, with the usual options, half of it with its agent named."""
        for options in USUAL:
            for number, stream in enumerate(corpus()):
                named = options["agent"] and number % 2 and stream.agent in AGENTS
                self._check(stream, {**options, "agent": stream.agent} if named else options, number)
                self._follow(stream, options)
            self.finish()

    def read_generated(self, seed: int) -> None:
        """Compare one generated stream."""
        stream, is_shared = random_stream(seed), seed % self._every == 0
        self._check(stream, options_of(stream, seed), seed, is_shared=is_shared)
        if is_shared:  # files are followed together, with the same options
            self._follow(stream, self._following if self._waiting else options_of(stream, seed))

    def finish(self) -> None:
        """Follow the files that still wait for others."""
        together, self._waiting = self._waiting, []
        if not together:
            return
        self._counts["file"] += len(together)
        for stream, found in check_files(together, self._following, self._scanners, len(together)):
            if found is not None:
                find = partial(_find, _check_file, self._following, self._scanners, len(together))
                self._report("file", stream, str(self._following), find, found)

    def _check(self, stream: Stream, options: Options, seed: int, *, is_shared: bool = True) -> None:
        checks = {"callback": check_callback, "async": check_async, "subprocess": check_subprocess}
        for name, check in checks.items():
            if name in self._through and (is_shared or name != "subprocess"):
                self._counts[name] += 1
                find = partial(_find, check, options, self._scanners, seed)
                found = find(stream)
                if found is not None:
                    self._report(name, stream, f"(seed {seed}) {options}", find, found)

    def _follow(self, stream: Stream, options: Options) -> None:
        """Follow a file as soon as there are enough to follow at once."""
        if "file" in self._through:
            self._following = options
            self._waiting.append(stream)
            if len(self._waiting) == FILES:
                self.finish()

    def _report(self, name: str, stream: Stream, about: str, find: Find, found: Difference) -> None:
        self.failures += 1
        small = _shrink(stream.data, lambda data: find(stream._replace(data=data)) is not None, TRIALS[name])
        print(f"{name}: {stream.name} {about} status {stream.status} stderr {stream.stderr[:80]!r}")
        print(f"  text {small[:4000]!r}\n  {find(stream._replace(data=small)) or found}", flush=True)


def _shrink(data: bytes, fails: Callable[[bytes], bool], most: int) -> bytes:
    """Return a shorter text that still fails, after so many trials at most."""
    trials = 0

    def fails_still(shorter: bytes) -> bool:
        nonlocal trials
        trials += 1
        return trials <= most and fails(shorter)

    return shrink(data, fails_still)


def _find(check: Check, options: Options, scanners: list[str], seed: int, stream: Stream) -> Difference | None:
    """Return the first difference that a check finds."""
    return next((found for found in check(stream, options, scanners, seed) if found is not None), None)


def _check_file(stream: Stream, options: Options, scanners: list[str], seed: int) -> Iterator[Difference | None]:
    return (found for _, found in check_files([stream], options, scanners, seed))
