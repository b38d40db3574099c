"""The one way into every case: feed a text whole, byte by byte, at every two-way cut and at random cuts.

Whatever the cuts, the events must be the same, and each must come after the same byte.
"""

from __future__ import annotations

import random
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import lastbrace
from lastbrace import Dropped, Found, Outcome, Scanner, Stats, Unfinished, Watcher
from lastbrace.implementation import AUTOMATA
from lastbrace.object_reader import ObjectReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pytest

Event = Found | Dropped | Unfinished
SCANNERS: dict[str, Callable[..., Scanner]] = {kind: partial(Scanner, _implementation=kind) for kind in AUTOMATA}
WATCHERS: dict[str, Callable[..., Watcher]] = {kind: partial(Watcher, _implementation=kind) for kind in AUTOMATA}

ALL_CUTS_BELOW = 768  # bytes; longer texts are cut at a sample of places
SAMPLED_CUTS = 48
LARGE = 100_000  # bytes; longer texts are cut at a few places only
FEW_CUTS = 3
RANDOM_WAYS = 6
BYTE_BY_BYTE_BELOW = 180_000


def random_chunks(text: bytes, rng: random.Random, most: int | None = None) -> list[bytes]:
    """Return `text` in chunks of random lengths, empty ones among them."""
    most = most or rng.choice((2, 5, 17, 100, 5000) if len(text) < LARGE else (5000, 50_000, 500_000))
    chunks, at = [], 0
    while at < len(text):
        step = rng.randint(0, most)
        chunks.append(text[at : at + step])
        at += step
    return chunks


def in_bytes(text: bytes) -> list[bytes]:
    """Return `text` in chunks of one byte."""
    return [text[at : at + 1] for at in range(len(text))]


def in_chunks(text: bytes, size: int) -> list[bytes]:
    """Return `text` in chunks of `size` bytes."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def two_way_cuts(text: bytes, rng: random.Random) -> Iterable[int]:
    """Return where to cut `text` in two: everywhere, or at a sample of places when it is long."""
    if len(text) <= ALL_CUTS_BELOW:
        return range(1, len(text))
    return sorted(rng.sample(range(1, len(text)), SAMPLED_CUTS if len(text) <= LARGE else FEW_CUTS))


def ways(text: bytes, seed: int = 0) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield a name and the chunks for each way of feeding `text`."""
    rng = random.Random(f"{seed}:{len(text)}")
    yield "whole", [text]
    if len(text) <= BYTE_BY_BYTE_BELOW:
        yield "byte by byte", in_bytes(text)
    for cut in two_way_cuts(text, rng):
        yield f"cut at {cut}", [text[:cut], text[cut:]]
    for number in range(RANDOM_WAYS if len(text) <= LARGE else FEW_CUTS):
        yield f"random cuts {seed}/{number}", random_chunks(text, rng)
    yield "bytearray and memoryview", [bytearray(text[: len(text) // 2]), memoryview(text)[len(text) // 2 :]]
    try:
        characters = text.decode()
    except UnicodeDecodeError:
        return
    yield "str", [characters]
    cut = rng.randint(0, len(characters))
    yield f"str cut at {cut}", [characters[:cut], characters[cut:]]


def scan(chunks: Iterable[Any], implementation: str = "python", **options: Any) -> list[Event]:
    """Return the events of one scanner fed with `chunks` and closed."""
    scanner = SCANNERS[implementation](**options)
    events: list[Event] = []
    for chunk in chunks:
        events += scanner.feed(chunk)
    return events + scanner.close()


def scan_stats(chunks: Iterable[Any], implementation: str = "python", **options: Any) -> Stats:
    """Return the statistics of one scanner fed with `chunks` and closed."""
    scanner = SCANNERS[implementation](**options)
    for chunk in chunks:
        scanner.feed(chunk)
    scanner.close()
    return scanner.stats


def when_known(text: bytes, implementation: str = "python", **options: Any) -> list[tuple[int | None, Event]]:
    """Return each event with the number of bytes after which it came, or None for those that came with `close`."""
    scanner = SCANNERS[implementation](**options)
    events: list[tuple[int | None, Event]] = []
    for at, byte in enumerate(in_bytes(text), 1):
        events += [(at, event) for event in scanner.feed(byte)]
    return events + [(None, event) for event in scanner.close()]


def events_of(text: bytes, *, seed: int = 0, **options: Any) -> list[Event]:
    """Return the events of `text` after checking that no way of feeding it gives others, or gives them later."""
    first: list[Event] | None = None
    for implementation in SCANNERS:
        for name, chunks in ways(text, seed):
            events = scan(chunks, implementation, **options)
            first = events if first is None else first
            assert events == first, f"{implementation}, {name}: {text[:500]!r} {options}"
        if len(text) <= BYTE_BY_BYTE_BELOW:
            _check_earliness(text, seed, implementation, options)
    assert first is not None
    return first


def _check_earliness(text: bytes, seed: int, implementation: str, options: dict[str, Any]) -> None:
    known = when_known(text, implementation, **options)
    for cut in two_way_cuts(text, random.Random(seed)):
        now = SCANNERS[implementation](**options).feed(text[:cut])
        by_then = [event for at, event in known if at is not None and at <= cut]
        assert now == by_then, f"{implementation}, first {cut} bytes: {text[:500]!r} {options}"


def objects_of(text: bytes, *, fragments: bool = False, **options: Any) -> list[Any]:
    """Return the values of the objects in `text`, checked under every cut."""
    found = [event for event in events_of(text, **options) if isinstance(event, Found)]
    return [event.value for event in found if fragments or not event.fragment]


class Seen:
    """What the callbacks of a watcher were given, in order."""

    def __init__(self) -> None:
        self.objects: list[Found] = []
        self.texts: list[str] = []
        self.matches: list[tuple[Found, Any]] = []
        self.completions: list[lastbrace.Completion] = []

    def callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            "on_object": self.objects.append,
            "on_text": self.texts.append,
            "on_match": lambda found, value: self.matches.append((found, value)),
            "on_completion": self.completions.append,
        }

    def summary(self) -> tuple[Any, ...]:
        return self.objects, "".join(self.texts), self.matches, self.completions


def bytes_read_by_object_readers(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return a count, ``bytes``, of what readers of large and growing objects read from now on, again or not."""
    count = SimpleNamespace(bytes=0)
    read = ObjectReader._read

    def counting(self: ObjectReader, data: bytes) -> None:
        count.bytes += len(data)
        read(self, data)

    monkeypatch.setattr(ObjectReader, "_read", counting)
    return count


def watch(
    chunks: Iterable[Any], implementation: str = "python", *, returncode: int | None = None, **options: Any
) -> tuple[Outcome, Seen]:
    """Return the outcome of one watcher fed with `chunks` and closed, and what its callbacks saw."""
    seen = Seen()
    watcher = WATCHERS[implementation](**seen.callbacks(), **options)
    for chunk in chunks:
        watcher.feed(chunk)
    return watcher.close(returncode), seen


def outcome_of(text: bytes, *, seed: int = 0, returncode: int | None = None, **options: Any) -> Outcome:
    """Return the outcome of `text` after checking that no way of feeding it gives another, nor calls back otherwise."""
    first: tuple[Any, ...] | None = None
    outcome: Outcome | None = None
    for implementation in WATCHERS:
        for name, chunks in ways(text, seed):
            outcome, seen = watch(chunks, implementation, returncode=returncode, **options)
            result = (_facts(outcome), seen.summary())
            first = result if first is None else first
            assert result == first, f"{implementation}, {name}: {text[:500]!r} {options}"
    assert outcome is not None
    return outcome


def _facts(outcome: Outcome) -> tuple[Any, ...]:
    match = outcome.match
    return (
        outcome.ok, outcome.reason, outcome.state, outcome.completion, outcome.last, match, outcome.value,
        outcome.unfinished, outcome.recovered, outcome.returncode, outcome.stderr_tail, outcome.stats.last_dead,
    )  # fmt: skip
