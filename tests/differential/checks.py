"""Holds every way of reading a stream against reading the whole of it at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ..feeding import SCANNERS, in_bytes, in_chunks, random_chunks
from .edges import by_files, by_subprocess, some_cuts
from .ways import (
    CALLS,
    OUTCOME,
    SCAN,
    Difference,
    Facts,
    Options,
    by_async,
    by_callback,
    compare,
    random_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .texts import Stream

BACKENDS = ("asyncio", "trio")
ONE_BYTE_BELOW = 20_000  # bytes; longer texts are cut in pieces of 7


def check_callback(stream: Stream, options: Options, scanners: list[str], seed: int) -> Iterator[Difference | None]:
    """Feed watchers with the whole text, with single bytes and with random chunks; with callbacks and without."""
    rng, data = random.Random(seed), stream.data
    calls = some_calls(rng)
    want = whole(stream, options, scanners[0])
    told = whole(stream, options, scanners[0], calls)
    yield compare(f"whole, with {calls}", {name: want[name] for name in OUTCOME if name in told}, told)
    small = in_bytes(data) if len(data) < ONE_BYTE_BELOW else in_chunks(data, 7)
    yield compare(f"{scanners[-1]}, whole", want, whole(stream, options, scanners[-1]))
    turns = rng.sample(scanners, len(scanners))
    for scanner, way, chunks in ((turns[0], "1-byte", small), (turns[-1], "random", random_chunks(data, rng))):
        loud = rng.random() < 0.5
        known, names = (told, calls) if loud else (want, [])
        yield compare(f"{scanner}, {way}, with {names}", known, by_callback(chunks, options, scanner, stream, names))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    cut = rng.randint(0, len(text))
    yield compare("str", told, by_callback([text[:cut], text[cut:]], options, scanners[-1], stream, calls))


def some_calls(rng: random.Random) -> list[str]:
    """Return the names of some callbacks: which are given decides what is worked out at all."""
    return [name for name in CALLS if rng.random() < rng.choice((0.2, 0.5))]


def whole(stream: Stream, options: Options, scanner: str, calls: Sequence[str] = ()) -> Facts:
    """Return what a watcher says of the whole text at once: what all other ways are held against."""
    facts = by_callback([stream.data], options, scanner, stream, calls)
    if options["agent"] == "auto":  # how much of the text before the event that shows the agent went out as it came
        facts.pop("texts")
    if "on_partial" in calls and "max_object_bytes" in options:
        facts.pop("partial")  # of what grew beyond the limit there is what was there when it was last asked for
    if not {"on_object", "on_field_void"} <= {*calls} or options["agent"] is not None or "answer" in options:
        facts.pop("fields")  # nothing says when they are no longer provisional
    return facts


def check_async(stream: Stream, options: Options, scanners: list[str], seed: int) -> Iterator[Difference | None]:
    """Iterate over async streams: the objects are those that a watcher is told of."""
    rng = random.Random(seed)
    plain = {name: value for name, value in options.items() if name in SCAN} | {"contract": None}
    want = {"objects": by_callback([stream.data], plain, scanners[0], calls=["on_object"])["objects"]}
    backend = rng.choices(BACKENDS, (9, 1))[0]  # starting trio's loop takes longer than all the rest
    scanner = rng.choice(scanners)
    chunks = rng.choice((random_chunks(stream.data, rng), in_chunks(stream.data, 1 if len(stream.data) < 2000 else 7)))
    yield compare(
        f"async {scanner}, {len(chunks)} chunks, {backend}", want, by_async(chunks, options, scanner, backend)
    )


def check_subprocess(stream: Stream, options: Options, scanners: list[str], seed: int) -> Iterator[Difference | None]:
    """Run a program that writes the stream in pieces."""
    rng = random.Random(seed)
    cuts, calls, backend = some_cuts(stream.data, rng), rng.choice(([], some_calls(rng))), rng.choice(BACKENDS)
    want = whole(stream, options, scanners[0], calls)
    scanner = rng.choice(scanners)
    got = by_subprocess(stream, cuts, options, scanner, calls=calls, backend=backend)
    yield compare(f"subprocess {scanner}, {backend}", want, got)


def check_files(
    streams: list[Stream], options: Options, scanners: list[str], seed: int
) -> Iterator[tuple[Stream, Difference | None]]:
    """Follow files that grow."""
    rng = random.Random(seed)
    scanner, backend = rng.choice(scanners), rng.choice(BACKENDS)
    all_facts = by_files(streams, options, scanner, seed=seed, backend=backend)
    for stream, got in zip(streams, all_facts, strict=True):
        want = whole(stream._replace(status=None, stderr=b""), options, scanners[0])
        if got is not None or stream.data:
            yield stream, compare(f"file {scanner}, {backend}", want, got or dict.fromkeys(want, "not read"))


def options_of(stream: Stream, seed: int) -> Options:
    """Return the options that a generated stream is read with."""
    return random_options(random.Random(seed + 1), stream.agent)


ALL_SCANNERS = list(SCANNERS)
