"""Target: a piece that comes thousands of times, as no input of a fuzzer has room for.

What the scanner keeps for later is then more than it keeps for good, and is given back, moved and enlarged.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import lastbrace
from lastbrace.implementation import AUTOMATA

from ..feeding import in_chunks
from ..fuzz_oracle import facts
from .inputs import Input, must_be_same, told

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (4_000, 40_000, 300_000, 1_200_000)
FEW_WAYS = 4
PYTHON_READS = 40_000  # bytes at most: it would take seconds for more


def flood(data: bytes) -> Any:
    """A head, a piece many times, and a tail: what is found, and how it ended, is the same whatever the cuts."""
    chosen = Input(data)
    size = chosen.choose(SIZES)
    options: dict[str, Any] = {
        "roots": chosen.choose(("object", "any", "array")),
        "framing": chosen.choose(("free", "lines")),
        "max_depth": chosen.choose((200, 3, 10**9)),
        "max_object_bytes": chosen.choose((None, 20, 100_000)),
    }
    chunk = chosen.choose((65_536, 1_000, 4_097, 262_145))
    head, piece, tail = chosen.parts(3)
    text = head + piece * (size // max(1, len(piece))) + tail
    kinds = [*AUTOMATA] if size <= PYTHON_READS else [kind for kind in AUTOMATA if kind == "c"]
    first: Any = None
    for kind in kinds:
        for chunks in _few_ways(text, chunk, near=(len(head), len(text) - len(tail))):
            seen = _scan(chunks, {**options, "_implementation": kind})
            first = seen if first is None else first
            must_be_same(first, seen, (kind, *map(len, chunks[-2:])))
    return first


def _few_ways(text: bytes, chunk: int, near: tuple[int, int]) -> Iterator[list[bytes]]:
    """Yield chunks: the whole text, chunks of one size, and a few between which it is cut near these places."""
    yield [text]
    yield in_chunks(text, chunk)
    rng = random.Random(text)
    for _ in range(FEW_WAYS):
        cuts = sorted(rng.choice((0, *near, len(text))) + rng.randint(-3, 8) for _ in range(rng.randint(2, 5)))
        inside = [0, *(cut for cut in cuts if 0 < cut < len(text)), len(text)]
        yield [text[start:end] for start, end in itertools.pairwise(inside)]


def _scan(chunks: list[bytes], options: dict[str, Any]) -> Any:
    scanner, watcher = lastbrace.Scanner(**options), lastbrace.Watcher(**options)
    events = []
    for chunk in chunks:
        events += scanner.feed(chunk)
        watcher.feed(chunk)
    events += scanner.close()
    outcome = watcher.close()
    stats = scanner.stats
    assert stats.reread <= 2 * stats.bytes, stats
    newest = outcome.match and (outcome.match.start, outcome.match.raw)
    return facts(events), told(stats), outcome.state, newest, outcome.completion
