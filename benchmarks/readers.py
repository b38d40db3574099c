"""lastbrace as a reader: of a binary file, in chunks, for the value of the newest object in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Any

import lastbrace

Reader = Callable[[IO[bytes]], Any]
CHUNK = 64 * 1024  # bytes: what a read of a busy pipe gives
NO_ANSWER = object()
"""What a reader returns that looks for no object."""


def bytes_find() -> Reader:
    """No reader at all: ``bytes.find`` for what is not there, the floor under any scan; it knows no object."""

    def read(file: IO[bytes]) -> Any:
        for chunk in chunks_of(file):
            chunk.find(b"\x00")
        return NO_ANSWER

    return read


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what is in the file, a chunk at a time."""
    while chunk := file.read(CHUNK):
        yield chunk


def scanner() -> Reader:
    """``lastbrace.Scanner``, fed in chunks; the newest object is decoded at the end."""

    def read(file: IO[bytes]) -> Any:
        scan = lastbrace.Scanner()
        for chunk in chunks_of(file):
            scan.feed(chunk)
        scan.close()
        return scan.last and scan.last.value

    return read


def watcher() -> Reader:
    """``lastbrace.Watcher`` with the completion contract, which each object is held against as it closes."""

    def read(file: IO[bytes]) -> Any:
        watch = lastbrace.Watcher()
        for chunk in chunks_of(file):
            watch.feed(chunk)
        outcome = watch.close()
        return outcome.last and outcome.last.value

    return read


def every_value() -> Reader:
    """``lastbrace.Scanner``, every object decoded as it closes."""

    def read(file: IO[bytes]) -> Any:
        scan = lastbrace.Scanner()
        newest = None
        for chunk in chunks_of(file):
            for event in scan.feed(chunk):
                if isinstance(event, lastbrace.Found) and not event.fragment:
                    newest = event.value
        scan.close()
        return newest

    return read


def whole_text() -> Reader:
    """``lastbrace.last_object`` of the whole text."""
    return lambda file: lastbrace.last_object(file.read())
