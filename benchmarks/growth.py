"""How the time grows when the input doubles: 2 where it is linear, 4 where it goes with the square."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import lastbrace

from . import workloads
from .timing import clock

if TYPE_CHECKING:
    from .readers import Reader

SMALLEST = 1024  # bytes
LARGEST = 8 << 20
LARGEST_IN_TOKENS = 1 << 20
DOUBLINGS = 2  # over which the growth is taken, so that a disturbed clock weighs less
ROUNDS = 3
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


def growth(run: Run, *, enough: float, good: float, largest: int = LARGEST) -> Cell:
    """Return how the time of ``run`` grows, at the size where it takes ``enough`` seconds.

    The least time of some rounds counts. A factor above ``good`` is measured again before it is believed.
    """
    try:
        size = SMALLEST << DOUBLINGS
        while size < largest and run(size)[0] < enough:
            size *= 2
        best: Growth | None = None
        for _ in range(ATTEMPTS):
            small, large = [], []
            for _ in range(ROUNDS):
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


def of_text(make: Callable[[], Reader], piece: bytes, *, enough: float, good: float) -> Cell:
    """Return the growth of reading a hostile text."""

    def run(size: int) -> tuple[float, int, int]:
        text = workloads.hostile(piece, size)
        return clock(make, text)[1], len(text), len(text)

    return growth(run, enough=enough, good=good)


def of_tokens(begin: Callable[[], Callable[[bytes], Any]], chunk: int, *, enough: float, good: float) -> Cell:
    """Return the growth of feeding one object in chunks of so many bytes, and asking what is known after each."""

    def run(size: int) -> tuple[float, int, int]:
        data = workloads.findings(size)
        chunks = [data[at : at + chunk] for at in range(0, len(data), chunk)]
        step = begin()
        gc.collect()
        started = time.process_time()
        for piece in chunks:
            known = step(piece)
        seconds = time.process_time() - started
        if known is None:
            raise LookupError("it has not seen the object")
        return seconds, len(data), len(chunks)

    return growth(run, enough=enough, good=good, largest=LARGEST_IN_TOKENS)


def scanner_steps() -> Callable[[bytes], Any]:
    """Return what feeds a Scanner with a chunk and returns its newest object."""
    return partial(_scanner_step, lastbrace.Scanner())


def _scanner_step(scanner: lastbrace.Scanner, chunk: bytes) -> lastbrace.Found | None:
    scanner.feed(chunk)
    return scanner.last


def watcher_steps() -> Callable[[bytes], Any]:
    """Return what feeds a Watcher with a chunk and returns the completion so far."""
    return partial(_watcher_step, lastbrace.Watcher())


def _watcher_step(watcher: lastbrace.Watcher[Any], chunk: bytes) -> lastbrace.Completion | None:
    watcher.feed(chunk)
    return watcher.completion


def long_string(megabytes: int, windows: int, sample: int) -> list[float]:
    """Return the microseconds a chunk takes, when a string grows to ``megabytes`` in chunks of one byte.

    ``windows`` stretches of ``sample`` chunks are timed, the last one at the end; between them the string grows in
    larger steps.
    """
    scanner = lastbrace.Scanner()
    scanner.feed(b'{"text": "')
    between = b"x" * ((megabytes * 1_000_000 - windows * sample) // max(windows - 1, 1))
    feed, times = scanner.feed, []
    for window in range(windows):
        if window:
            feed(between)
        started = time.process_time()
        for _ in range(sample):
            feed(b"x")
        times.append((time.process_time() - started) / sample * 1e6)
    if len(scanner.feed(b'"}')) != 1:
        raise LookupError("the object was not found")
    return times
