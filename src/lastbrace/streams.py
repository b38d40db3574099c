"""Objects out of a stream, one by one as they close: files, pipes, iterables, async streams."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Protocol, Unpack

from .chunks import Chunk
from .events import Found, Inner
from .pipeline import Pipeline, ScanOptions
from .suggestions import check_options

CHUNK_SIZE = 65536  # bytes asked for at a time: what a pipe holds


class Readable(Protocol):
    """A binary or text file, or anything with its ``read``."""

    def read(self, size: int, /) -> Any:
        """Return up to ``size`` bytes or characters, nothing at the end."""


class AsyncReadable(Protocol):
    """``asyncio.StreamReader``, or anything with its ``read``."""

    async def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, nothing at the end."""


def iter_objects(
    source: Chunk | Readable | Iterable[Chunk], *, fragments: bool = False, **scan: Unpack[ScanOptions]
) -> Iterator[Found]:
    """Yield the objects of ``source``, each as soon as it is complete.

    ``source`` is bytes or ``str``, a binary or text file (a pipe best binary: its text form waits for full blocks), or
    an iterable of chunks. ``scan`` are the options of ``Scanner``; with ``fragments``, pieces of broken records too.

    >>> [found.value for found in iter_objects(['{"n": ', '1}{"n"', ": 2}"])]
    [{'n': 1}, {'n': 2}]
    """
    if isinstance(source, os.PathLike):
        raise TypeError("iter_objects takes an open file, not a path")
    check_options(scan, ScanOptions.__annotations__)
    pipeline = Pipeline(**scan)
    return _iterate(pipeline, source, fragments)


def _iterate(pipeline: Pipeline, source: Chunk | Readable | Iterable[Chunk], fragments: bool) -> Iterator[Found]:
    for chunk in _chunks(source):
        yield from _objects(pipeline.feed(chunk), fragments)
    yield from _objects(pipeline.close(), fragments)


async def aiter_objects(
    source: AsyncReadable | AsyncIterable[Chunk],
    *,
    fragments: bool = False,
    **scan: Unpack[ScanOptions],
) -> AsyncIterator[Found]:
    """Yield the objects of an async ``source``, each as soon as it is complete.

    ``source`` is an ``asyncio.StreamReader``, or an async iterable of bytes or ``str``: an anyio byte stream, what
    ``httpx`` and the SDKs of model vendors give. ``scan`` are the options of ``Scanner``; with ``fragments``, pieces of
    broken records too. The source stays the caller's: it is not closed.

    >>> import asyncio
    >>> async def tokens():
    ...     yield '{"n": '
    ...     yield "1}"
    >>> async def main():
    ...     return [found.value async for found in aiter_objects(tokens())]
    >>> asyncio.run(main())
    [{'n': 1}]
    """
    check_options(scan, ScanOptions.__annotations__)
    pipeline = Pipeline(**scan)
    async with aclosing(_async_chunks(source)) as chunks:
        async for chunk in chunks:
            for found in _objects(pipeline.feed(chunk), fragments):
                yield found
    for found in _objects(pipeline.close(), fragments):
        yield found


def _objects(events: list[Inner], fragments: bool) -> Iterator[Found]:
    return (event for event in events if isinstance(event, Found) and (fragments or not event.fragment))


def _chunks(source: Any) -> Iterable[Chunk]:
    if isinstance(source, bytes | bytearray | memoryview | str):
        return (source,)
    # A buffered pipe gives with read1 what is there, where read would wait for a full block.
    read = getattr(source, "read1", None) or getattr(source, "read", None)
    if read is None:
        chunks: Iterable[Chunk] = iter(source)
        return chunks
    return iter(lambda: read(CHUNK_SIZE) or b"", b"")


async def _async_chunks(source: Any) -> AsyncGenerator[Chunk, None]:
    # A StreamReader would be iterated line by line, up to a limit.
    if hasattr(source, "read"):
        while chunk := await source.read(CHUNK_SIZE):
            yield chunk
    else:
        async for chunk in source:
            yield chunk
