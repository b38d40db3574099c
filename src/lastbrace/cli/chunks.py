"""What a file gives, in chunks as they come, for a text that we read and for a program that reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

import anyio

from ..streams import CHUNK_SIZE
from .lines import tell
from .recording import BEGINNING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def chunks_of(file: BinaryIO, size: int = CHUNK_SIZE) -> Iterator[bytes]:
    """Return what a file gives, as it comes, at most ``size`` bytes at a time.

    People are told where it is the terminal, or a recording, whose own lines are hardly what they want.
    """
    if file.isatty():
        tell("reading from the terminal; Ctrl-D ends it")
    read = getattr(file, "read1", file.read)  # what is there, without waiting for more
    head = b""
    while chunk := read(size):
        if len(head) < len(BEGINNING):
            head += chunk[: len(BEGINNING)]
            if head.startswith(BEGINNING):
                tell("this is a recording; what was printed: lastbrace replay --speed max FILE | lastbrace ...")
        yield chunk


async def chunks_for_program(file: BinaryIO) -> AsyncIterator[bytes]:
    """Return what a file gives, without a thread that would outlive the program which it is for."""
    fd = file.fileno()
    pollable = True
    while True:
        if pollable:
            try:
                await anyio.wait_readable(fd)
            except (OSError, NotImplementedError):  # a file on disk, which never makes one wait
                pollable = False
        data = os.read(fd, CHUNK_SIZE)
        if not data:
            return
        yield data
