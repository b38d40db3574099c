"""The pipes of a program that runs: read with an exact end, written without deadlock.

On POSIX the pipes are our own, read as soon as bytes are there: four times as fast as the event loops' streams, no
buffer between the program and its reader (so that back-pressure is the pipe's), and closed when they are closed. What
is more, a pipe can tell whether some process still holds its other end, which a stream cannot.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import anyio
from anyio.lowlevel import checkpoint

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, ByteSendStream

CHUNK = 1 << 18
"""Bytes to read or write at a time, and to have room for in the pipe of the output where that can be asked for: four
times what is usual. A program that writes as fast as it can then waits a quarter as often for us, and we for it."""
_TURN = 0.001  # seconds that a reader may take before other tasks have their turn


class Source(Protocol):
    """The reading end of a pipe."""

    waiting_since: float | None
    """``time.monotonic()`` since when a reader waits and there is nothing to read; None while there is."""

    async def receive(self) -> bytes:
        """Return the next bytes, at most 256 KiB; ``b""`` at the end, and from then on."""
        ...

    def held(self) -> bool:
        """Return whether some process can still write to it."""
        ...

    async def cut(self) -> None:
        """Let the end come after what is in the pipe by now, whoever holds the other end."""
        ...

    def close(self) -> None:
        """Give the pipe back to the system."""
        ...


class Sink(Protocol):
    """The writing end of a pipe."""

    async def send(self, data: bytes) -> bool:
        """Write all of ``data``; False when nobody reads it any more."""
        ...

    async def close(self) -> None:
        """Let the program see the end of its input."""
        ...


if sys.platform != "win32":
    import fcntl
    import select
    import struct
    import termios

    def widen(fd: int) -> None:
        """Give a pipe room for a chunk, where the system lets us."""
        if sys.platform == "linux":
            with suppress(OSError):  # one that is no pipe, or the user has many
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, CHUNK)

    class FdSource:
        """A `Source` on a file descriptor of ours."""

        def __init__(self, fd: int) -> None:
            os.set_blocking(fd, False)
            self.waiting_since: float | None = None
            self._fd = fd
            self._ended = False
            self._last_turn = -_TURN  # when another task could run
            self._left: int | None = None  # bytes until the end, once cut
            self._wait: anyio.CancelScope | None = None

        async def receive(self) -> bytes:
            if time.monotonic() - self._last_turn > _TURN:  # a pipe that is never empty would not let another task run
                await checkpoint()
                self._last_turn = time.monotonic()
            while not self._ended:
                try:
                    data = os.read(self._fd, CHUNK if self._left is None else min(CHUNK, self._left))
                except BlockingIOError:
                    if self._left is not None:
                        break
                    await self._wait_readable()
                    continue
                except OSError as error:
                    if error.errno != errno.EIO:  # how Linux says that nobody holds the terminal any more
                        raise
                    break
                if not data:
                    break
                if self._left is not None:
                    self._left -= len(data)
                return data
            self._ended = True
            return b""

        async def _wait_readable(self) -> None:
            self.waiting_since = time.monotonic()
            try:
                with anyio.CancelScope() as self._wait:
                    await anyio.wait_readable(self._fd)
            finally:
                self.waiting_since = self._wait = None
                self._last_turn = time.monotonic()

        def held(self) -> bool:
            if self._ended or self._fd < 0:
                return False
            poll = select.poll()
            poll.register(self._fd, select.POLLIN | select.POLLHUP)
            return not any(event & ~select.POLLIN for _, event in poll.poll(0))

        async def cut(self) -> None:
            if self._fd >= 0:
                (self._left,) = struct.unpack("i", fcntl.ioctl(self._fd, termios.FIONREAD, bytes(4)))
            if self._wait is not None:
                self._wait.cancel()

        def close(self) -> None:
            self._ended = True
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    class FdSink:
        """A `Sink` on a file descriptor of ours."""

        def __init__(self, fd: int) -> None:
            os.set_blocking(fd, False)
            self._fd = fd

        async def send(self, data: bytes) -> bool:
            view = memoryview(data).cast("B")  # bytes, whatever its items are
            while view:
                try:
                    view = view[os.write(self._fd, view[:CHUNK]) :]
                    await checkpoint()
                except BlockingIOError:
                    await anyio.wait_writable(self._fd)
                except BrokenPipeError:
                    return False
            return True

        async def close(self) -> None:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

else:
    _GONE = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)

    class StreamSource:
        """A `Source` on the event loop's own stream, where a pipe cannot be polled."""

        def __init__(self, stream: ByteReceiveStream) -> None:
            self.waiting_since: float | None = None
            self._stream = stream
            self._ended = False

        async def receive(self) -> bytes:
            if self._ended:
                return b""
            self.waiting_since = time.monotonic()
            try:
                return await self._stream.receive(CHUNK)
            except _GONE:
                self._ended = True
                return b""
            finally:
                self.waiting_since = None

        def held(self) -> bool:
            return not self._ended

        async def cut(self) -> None:
            await self._stream.aclose()

        def close(self) -> None:
            self._ended = True

    class StreamSink:
        """A `Sink` on the event loop's own stream."""

        def __init__(self, stream: ByteSendStream) -> None:
            self._stream = stream

        async def send(self, data: bytes) -> bool:
            try:
                await self._stream.send(data)
            except _GONE:
                return False
            return True

        async def close(self) -> None:
            await self._stream.aclose()
