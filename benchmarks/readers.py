"""lastbrace as a reader: of a binary file, in chunks, for the value of the newest object in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Any

import lastbrace

Reader = Callable[[IO[bytes]], Any]
CHUNK = 64 * 1024  # bytes: what a read of a busy pipe gives
TOKEN = 16  # bytes: about four tokens of a model, as they come over a network
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
    """``lastbrace.Scanner``, every object decoded as it closes; the answer is how many there were, and the newest."""

    def read(file: IO[bytes]) -> Any:
        scan = lastbrace.Scanner()
        count, newest = 0, None
        for chunk in chunks_of(file):
            for event in scan.feed(chunk):
                if isinstance(event, lastbrace.Found) and not event.fragment:
                    count, newest = count + 1, event.value
        scan.close()
        return count, newest

    return read


def scanner_tokens() -> Reader:
    """``lastbrace.Scanner``, fed in tokens and asked for the newest object after each."""

    def read(file: IO[bytes]) -> Any:
        scan = lastbrace.Scanner()
        newest = None
        while chunk := file.read(TOKEN):
            scan.feed(chunk)
            newest = scan.last
        return newest and newest.value

    return read


def watcher_tokens() -> Reader:
    """``lastbrace.Watcher``, fed in tokens and asked for the completion after each."""

    def read(file: IO[bytes]) -> Any:
        watch = lastbrace.Watcher()
        completion = None
        while chunk := file.read(TOKEN):
            watch.feed(chunk)
            completion = watch.completion
        return completion and watch.last and watch.last.value

    return read


def partial_tokens() -> Reader:
    """``lastbrace.Scanner``, fed in tokens and asked for the value so far of the object being read after each."""

    def read(file: IO[bytes]) -> Any:
        scan = lastbrace.Scanner()
        newest: Any = None
        while chunk := file.read(TOKEN):
            scan.feed(chunk)
            newest = scan.last.value if scan.last else scan.open and scan.open.partial()
        return newest

    return read


def whole_text() -> Reader:
    """``lastbrace.last_object`` of the whole text."""
    return lambda file: lastbrace.last_object(file.read())
