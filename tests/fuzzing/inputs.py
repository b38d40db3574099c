"""What the targets read their inputs with: choices at the beginning, ways of cutting the rest, either scanner."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from typing import TYPE_CHECKING, Any, TypeVar

from lastbrace.pipeline import Pipeline

from ..feeding import in_bytes, random_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lastbrace import Stats

T = TypeVar("T")

MAX_BYTES = 1024  # of an input: a fault that needs more is seldom found by chance
BYTE_BY_BYTE_BELOW = 300


class Input:
    """The bytes of one execution: first what they choose, a byte each ("0" the first), then the rest of them."""

    def __init__(self, data: bytes) -> None:
        self.rest = data[:MAX_BYTES]

    def choose(self, options: Sequence[T]) -> T:
        """Take one byte, and return what it stands for."""
        byte, self.rest = self.rest[:1] or b"0", self.rest[1:]
        return options[(byte[0] - ord("0")) % len(options)]

    def parts(self, count: int, separator: bytes = b"\x1e") -> list[bytes]:
        """Return the rest in so many parts, of which the last may be empty."""
        parts = self.rest.split(separator, count - 1)
        return parts + [b""] * (count - len(parts))


def few_ways(text: bytes) -> Iterator[list[bytes]]:
    """Yield the chunks for a few ways of feeding `text`, always the same ones."""
    rng = random.Random(text)
    yield [text]
    yield in_bytes(text) if len(text) <= BYTE_BY_BYTE_BELOW else random_chunks(text, rng, 5)
    yield random_chunks(text, rng)


def two_ways(text: bytes) -> Iterator[list[bytes]]:
    """Yield the whole `text`, and the chunks of one other way; for what takes its time."""
    whole, *others = few_ways(text)
    yield whole
    yield random.Random(text).choice(others)


@contextlib.contextmanager
def scanned_by(kind: str) -> Iterator[None]:
    """Have all that scans use this automaton, where it is not told which."""
    defaults: dict[str, Any] = Pipeline.__init__.__kwdefaults__
    before, defaults["_implementation"] = defaults["_implementation"], kind
    try:
        yield
    finally:
        defaults["_implementation"] = before


def told(stats: Stats) -> Stats:
    """Return `stats` without what depends on cuts: how much was read again."""
    return dataclasses.replace(stats, reread=0)


def must_be_same(first: Any, other: Any, how: object) -> None:
    """Fail where `other` is not `first`; NaN is NaN."""
    assert other == first or repr(other) == repr(first), f"{how}:\n  {other!r}\n  but whole:\n  {first!r}"
