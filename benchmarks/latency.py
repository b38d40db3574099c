"""From the last byte to the known completion: what is left to do when the last brace comes."""

from __future__ import annotations

import gc
import inspect
import statistics
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

import lastbrace

from . import workloads
from .readers import CHUNK

if TYPE_CHECKING:
    from collections.abc import Callable

FEWEST, MOST = 3, 1000  # rounds, by size
READ = 30_000_000  # bytes that are read in all for one size, as long as that gives enough rounds
LIMIT = 1 << 20  # bytes: the buffer_limit that is tried
HAS_LIMIT = "buffer_limit" in inspect.signature(lastbrace.Watcher).parameters


class Contract(msgspec.Struct):
    """The completion contract as one who decodes the whole object would write it: what is not in it is skipped."""

    status: Literal["continue", "done", "error"]
    summary: str = ""
    next: str = ""


class Latency(NamedTuple):
    """Median seconds: from the last byte to the completion, of one typed decode, and the median of their ratios.

    ``floor`` is what is left where there is no Watcher: a Scanner, one typed decode of what it finds, and a callback.
    """

    known: float
    floor: float
    decode: float
    ratio: float
    rounds: int
    size: int


def latency(size: int, **watch: Any) -> Latency:
    """Return how long an object of ``size`` bytes takes from its last byte to its completion.

    Each round feeds a new Watcher all but the last byte and times the last, then the same with a Scanner, and then one
    decode of the same bytes, which too comes when all but the last byte was read: alone in a loop it would find all
    that it needs in the caches, as no decode does that waits for a program.
    """
    data = workloads.findings(size)
    decoder = msgspec.json.Decoder(Contract)
    known, floors, decoded = [], [], []
    rounds = max(FEWEST, min(MOST, READ // size))
    for _ in range(rounds):
        seen: deque[lastbrace.Completion] = deque()  # unlike a list it has room before the first is put in
        watcher = lastbrace.Watcher(max_object_bytes=None, on_completion=seen.append, **watch)
        _feed_all_but_one(data, watcher.feed)
        if seen:
            raise LookupError("it knew before the last byte")
        started = time.perf_counter()
        watcher.feed(b"}")
        known.append(time.perf_counter() - started)
        if not seen or seen[0].status != "done":
            raise LookupError("it has not seen the completion")
        floors.append(_floor(data, decoder.decode, seen.append))
        _feed_all_but_one(data, lastbrace.Watcher(max_object_bytes=None).feed)
        started = time.perf_counter()
        decoder.decode(data)
        decoded.append(time.perf_counter() - started)
    ratios = statistics.median(mine / theirs for mine, theirs in zip(known, decoded, strict=True))
    known_at, floor, decode = map(statistics.median, (known, floors, decoded))
    return Latency(known_at, floor, decode, ratios, rounds, len(data))


def _floor(data: bytes, decode: Callable[[bytes], object], call: Callable[[Any], object]) -> float:
    scanner = lastbrace.Scanner(max_object_bytes=None)
    _feed_all_but_one(data, scanner.feed)
    started = time.perf_counter()
    for found in scanner.feed(b"}"):
        call(decode(found.raw))  # type: ignore[union-attr]  # it is a Found
    return time.perf_counter() - started


def _feed_all_but_one(data: bytes, feed: Callable[[bytes], object]) -> None:
    for at in range(0, len(data) - 1, CHUNK):
        feed(data[at : min(at + CHUNK, len(data) - 1)])
    gc.collect(0)
