"""Files that others write, opened to be read at any offset: plain ones, and ``.gz`` as the text in them."""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .identity import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAGS = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"))
_BLOCK = 65536


class FileId(NamedTuple):
    """What tells one file from another, as long as it exists."""

    device: int
    inode: int


Stamp = tuple[int, int, int, int, int]
"""Device, inode, size and times: what changes when a file is written to or replaced, within the clock's grain."""


def id_of(status: os.stat_result) -> FileId:
    """Return which file a status is of."""
    return FileId(status.st_dev, status.st_ino)


def ids_in(folder: str) -> Iterator[FileId]:
    """Return which files are in a directory; none where it cannot be read."""
    with contextlib.suppress(OSError), os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                yield id_of(os.stat(entry.path, follow_symlinks=False))


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp in a status."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class File(Protocol):
    """An open file, read at any offset of its text."""

    id: FileId

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes from ``offset`` on, fewer only at the end."""

    def status(self) -> os.stat_result:
        """Return the file's status, whatever its name is by now."""

    def close(self) -> None:
        """Close the file."""


def open_file(name: str) -> File:
    """Open a regular file to read. Raises OSError."""
    fd = os.open(name, _FLAGS)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a regular file")
    except BaseException:
        os.close(fd)
        raise
    return GzipFile(fd, status) if name.endswith(".gz") else PlainFile(fd, status)


class PlainFile:
    """A file as it is."""

    def __init__(self, fd: int, status: os.stat_result) -> None:
        self._fd = fd
        self.id = id_of(status)

    def status(self) -> os.stat_result:
        """Return the file's status, whatever its name is by now."""
        return os.fstat(self._fd)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes from ``offset`` on, fewer only at the end."""
        parts = []
        while size > 0 and (part := _pread(self._fd, size, offset)):
            parts.append(part)
            offset, size = offset + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


class GzipFile:
    """The text in a gzip file, also while that is being written. What is no gzip gives an OSError."""

    def __init__(self, fd: int, status: os.stat_result) -> None:
        self._raw = PlainFile(fd, status)
        self.id = self._raw.id
        self._head = b""
        self._restart()

    def _restart(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self._raw_offset = 0
        self._kept = bytearray()  # the newest text, whose first byte is at this offset:
        self._kept_from = 0

    def status(self) -> os.stat_result:
        """Return the status of the compressed file."""
        return self._raw.status()

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes of the text from ``offset`` on, fewer only where it ends by now."""
        if offset + size <= len(self._head):
            return self._head[offset : offset + size]
        if offset < self._kept_from:
            self._restart()
        while self._kept_from + len(self._kept) < offset + size:
            text = self._more()
            if text is None:
                break
            if self._kept_from == 0 and len(self._head) < EVIDENCE:
                self._head = bytes((self._kept + text)[:EVIDENCE])
            self._kept += text
            surplus = min(offset, self._kept_from + len(self._kept) - EVIDENCE) - self._kept_from
            if surplus > _BLOCK:
                del self._kept[:surplus]
                self._kept_from += surplus
        start = offset - self._kept_from
        return bytes(self._kept[start : start + size])

    def _more(self) -> bytes | None:
        """Return more text, or None where the file ends by now."""
        if self._inflate.eof:
            rest = self._inflate.unused_data
            if not rest.strip(b"\0") and not self._raw.read_at(self._raw_offset, 1):
                return None
            self._raw_offset -= len(rest)
            self._inflate = zlib.decompressobj(wbits=31)
        raw = self._raw.read_at(self._raw_offset, _BLOCK)
        if not raw:
            return None
        self._raw_offset += len(raw)
        try:
            return self._inflate.decompress(raw)
        except zlib.error as error:
            raise OSError(f"no gzip file: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._raw.close()


if hasattr(os, "pread"):
    _pread = os.pread
else:

    def _pread(fd: int, size: int, offset: int) -> bytes:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, size)
