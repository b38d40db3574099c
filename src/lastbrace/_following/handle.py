"""Open files, read at an offset: plain ones, and gzip ones as what they hold."""

from __future__ import annotations

import os
import stat
import sys
import zlib
from typing import Protocol

Key = tuple[int, int]
"""Device and inode."""

_RAW = 65536  # compressed bytes to read at a time


class Source(Protocol):
    """The bytes of an open file, by their offset."""

    def read(self, size: int, offset: int) -> bytes:
        """Return up to ``size`` bytes from ``offset`` on, fewer only where the file ends."""

    def key(self) -> Key:
        """Return device and inode of the file that is open, whatever its path leads to now."""

    def close(self) -> None:
        """Let go of the file."""


class PlainSource:
    """A file as it is."""

    def __init__(self, path: str) -> None:
        self._descriptor = _open(path)

    def read(self, size: int, offset: int) -> bytes:
        """Return up to ``size`` bytes from ``offset`` on: what is there, whatever size the file is said to have."""
        data = _read_at(self._descriptor, size, offset)
        while 0 < len(data) < size:
            more = _read_at(self._descriptor, size - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def key(self) -> Key:
        """Return device and inode."""
        status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)


class GzipSource:
    """What a gzip file holds, also of one that is still being written. Reading backwards begins at the beginning.

    Data that is no gzip raises OSError.
    """

    def __init__(self, path: str) -> None:
        self._file = PlainSource(path)
        self._path = path
        self._rewind()

    def _rewind(self) -> None:
        self._at = self._raw_at = 0
        self._raw = b""
        self._text = b""
        self._inflate = zlib.decompressobj(31)

    def read(self, size: int, offset: int) -> bytes:
        """Return up to ``size`` decompressed bytes from ``offset`` on."""
        if offset < self._at:
            self._rewind()
        while self._at + len(self._text) < offset + size:
            if self._at + len(self._text) <= offset:
                self._at += len(self._text)
                self._text = b""
            more = self._more()
            if not more:
                break
            self._text += more
        text = self._text[max(0, offset - self._at) :][:size] if offset <= self._at + len(self._text) else b""
        if offset > self._at:  # keep from the offset on, so that what was returned can be read again
            cut = min(offset - self._at, len(self._text))
            self._at, self._text = self._at + cut, self._text[cut:]
        return text

    def _more(self) -> bytes:
        while True:
            if self._inflate.eof:
                self._raw = self._inflate.unused_data.lstrip(b"\0")  # padding between members
                if not self._raw:
                    self._raw = self._next_raw().lstrip(b"\0")
                if not self._raw:
                    return b""
                self._inflate = zlib.decompressobj(31)
            elif not self._raw:
                self._raw = self._next_raw()
            if not self._raw:
                return b""
            try:
                text = self._inflate.decompress(self._raw, _RAW)
            except zlib.error as error:
                raise OSError(f"{self._path}: no gzip data: {error}") from error
            self._raw = self._inflate.unconsumed_tail
            if text:
                return text

    def _next_raw(self) -> bytes:
        raw = self._file.read(_RAW, self._raw_at)
        self._raw_at += len(raw)
        return raw

    def key(self) -> Key:
        """Return device and inode of the compressed file."""
        return self._file.key()

    def close(self) -> None:
        """Close the descriptor."""
        self._file.close()


def is_gzip(path: str) -> bool:
    """Tell whether a path is that of a compressed file, by its name."""
    return path.endswith((".gz", ".GZ"))


def open_source(path: str) -> Source:
    """Open the file for reading, without keeping anybody from renaming or removing it. Raises OSError."""
    return GzipSource(path) if is_gzip(path) else PlainSource(path)


if sys.platform == "win32":  # pragma: no cover - os.open would keep others from renaming or removing the file
    import _winapi
    import msvcrt

    def _open(path: str) -> int:
        share_all = 0x7  # read, write, delete
        handle = _winapi.CreateFile(path, _winapi.GENERIC_READ, share_all, 0, _winapi.OPEN_EXISTING, 0x80, 0)
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY)

    def _read_at(descriptor: int, size: int, offset: int) -> bytes:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)

else:

    def _open(path: str) -> int:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # it was one when it was looked at
            os.close(descriptor)
            raise OSError(f"{path}: not a regular file")
        return descriptor

    _read_at = os.pread
