"""How the time grows when the input doubles: 2 where it is linear, 4 where it goes with the square."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import lastbrace

from . import workloads
from .timing import clock

if TYPE_CHECKING:
    from .readers import Reader

SMALLEST = 4 * 1024  # bytes
LARGEST = 8 << 20
DOUBLINGS = 2  # over which the growth is taken, so that a disturbed clock weighs less
ATTEMPTS = 3  # when it looks worse than linear, before that is believed


class Growth(NamedTuple):
    """The factor of the time per doubling, and the seconds for the largest size, in bytes and in units (chunks)."""

    factor: float
    seconds: float
    size: int
    units: int


Cell = Growth | str
Run = Callable[[int], tuple[float, int, int]]
"""Reads a text of about so many bytes, and returns the seconds it took, its bytes and its units."""


def growth(run: Run, *, enough: float, rounds: int, good: float, largest: int = LARGEST) -> Cell:
    """Return how the time of ``run`` grows, at the size where it takes ``enough`` seconds.

    The least time of ``rounds`` counts. A factor above ``good`` is measured again before it is believed.
    """
    try:
        size = SMALLEST << DOUBLINGS
        while size < largest and run(size)[0] < enough:
            size *= 2
        best: Growth | None = None
        for _ in range(ATTEMPTS):
            small, large = [], []
            for _ in range(rounds):
                small.append(run(size >> DOUBLINGS))
                large.append(run(size))
            seconds, length, units = min(large)
            factor = (seconds / min(small)[0]) ** (1 / DOUBLINGS)
            if best is None or factor < best.factor:
                best = Growth(factor, seconds, length, units)
            if best.factor <= good:
                break
        return best or "not measured"
    except Exception as error:
        return f"raises {type(error).__name__}"


def of_text(read: Reader, piece: bytes) -> Run:
    """Return a run that reads a hostile text."""

    def run(size: int) -> tuple[float, int, int]:
        text = workloads.hostile(piece, size)
        return clock(read, text)[1], len(text), len(text)

    return run


def of_tokens(begin: Callable[[], Callable[[bytes], Any]], chunk: int) -> Run:
    """Return a run that feeds one object in chunks of so many bytes, and asks for the newest object after each."""

    def run(size: int) -> tuple[float, int, int]:
        data = workloads.one_object(size)
        chunks = [data[at : at + chunk] for at in range(0, len(data), chunk)]
        step = begin()
        gc.collect()
        started = time.process_time()
        for piece in chunks:
            newest = step(piece)
        seconds = time.process_time() - started
        if newest is None:
            raise LookupError("it has not seen the object")
        return seconds, len(data), len(chunks)

    return run


def scanner_steps() -> Callable[[bytes], Any]:
    """Return what feeds a Scanner with a chunk and returns its newest object."""
    scanner = lastbrace.Scanner()

    def step(chunk: bytes) -> lastbrace.Found | None:
        scanner.feed(chunk)
        return scanner.last

    return step


def watcher_steps() -> Callable[[bytes], Any]:
    """Return what feeds a Watcher with a chunk and returns the completion so far."""
    watcher = lastbrace.Watcher()

    def step(chunk: bytes) -> lastbrace.Completion | None:
        watcher.feed(chunk)
        return watcher.completion

    return step


def json_steps() -> Callable[[bytes], Any]:
    """Return what tries ``json.loads`` on all that has come so far, with each chunk, as harnesses do."""
    text = bytearray()

    def step(chunk: bytes) -> Any:
        text.extend(chunk)
        try:
            return json.loads(text)
        except ValueError:
            return None

    return step


def long_string(megabytes: int, windows: int, sample: int) -> Iterator[float]:
    """Yield the microseconds a chunk takes, when a string grows to ``megabytes`` in chunks of one byte.

    ``windows`` stretches of ``sample`` chunks are timed, the last one at the end; between them the string grows in
    larger steps.
    """
    scanner = lastbrace.Scanner()
    scanner.feed(b'{"text": "')
    between = b"x" * ((megabytes * 1_000_000 - windows * sample) // max(windows - 1, 1))
    feed = scanner.feed
    for window in range(windows):
        if window:
            feed(between)
        started = time.process_time()
        for _ in range(sample):
            feed(b"x")
        yield (time.process_time() - started) / sample * 1e6
    if len(scanner.feed(b'"}')) != 1:
        raise LookupError("the object was not found")
