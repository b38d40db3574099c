"""One file, read as it grows, and recognised when it is no longer what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .handle import Source, is_gzip, open_source
from .place import HEAD, TRAIL, Place

if TYPE_CHECKING:
    import os

    from .handle import Key

CHUNK = 65536
_HOLE = 1 << 20  # bytes: a longer run of NUL at the end is taken for a hole, not for data that is still to arrive
_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Rewritten(Exception):  # noqa: N818 - what happened to the file, not a failure
    """The file was cut, or something else was written in its place."""


class Tail:
    """A file that is followed. Its identity is device and inode, its first bytes, and those last read.

    ``offset`` is how far it was read; ``mark`` how far what it held was delivered, as the reader of what it holds says.
    ``state``: ``"new"``, before its first byte; ``"held"``, a new file that may be a copy of one that is followed;
    ``"active"``; ``"leaving"``, no longer found at its path, and read to its end.
    """

    def __init__(self, path: str, key: Key, begin: int | Place | Literal["end"]) -> None:
        self.path, self.key, self.begin = path, key, begin
        self.state: Literal["new", "held", "active", "leaving"] = "new"
        self.compressed = is_gzip(path)
        self.source: Source | None = None
        self.began = False  # its beginning was reported
        self.skip_line = self.skip_all = False
        self.head = self.trail = b""
        self.offset = self.mark = 0
        self.size = 0
        self.changed_at = 0.0
        self.dirty = True
        self.predecessor: Tail | None = None
        """What stood at the path before, to be read to its end first."""
        self._seen: object = None

    def notice(self, status: os.stat_result, now: float) -> None:
        """Take in what the file system says of the file; where that changed there may be something to read."""
        seen = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if seen != self._seen:
            self._seen, self.dirty, self.changed_at = seen, True, now
            self.size = status.st_size

    def open(self) -> Source:
        """Return the open file. Raises OSError, and Rewritten when another file stands at the path."""
        if self.source is None:
            source = open_source(self.path)
            if source.key() != self.key:
                source.close()
                raise Rewritten
            self.source = source
        return self.source

    def close(self) -> None:
        """Let go of the file for now."""
        if self.source is not None:
            self.source.close()
            self.source = None

    def start(self, offset: int) -> None:
        """Read from ``offset`` on, which is where everything before was delivered or is of no interest."""
        source = self.open()
        self.head = source.read(min(HEAD, offset), 0)
        self.trail = source.read(min(TRAIL, offset), max(0, offset - TRAIL))
        self.offset = self.mark = offset

    def read(self) -> bytes:
        """Return the next bytes, none at the end for now. Raises OSError, and Rewritten when the file is another.

        Whether it is the same is looked at after reading: what was read is of this file only if the file still has the
        beginning and the bytes before ``offset`` that it had. Both are read, not taken from the size that it is said
        to have, which network file systems tell late.
        """
        source = self.open()
        data = self._next(source)
        end = self.offset + len(data)
        if not self.compressed:
            head = source.read(HEAD, 0)
            trail = source.read(len(self.trail) + min(len(data), TRAIL), self.offset - len(self.trail))
            if not head.startswith(self.head) or trail != self.trail + data[:TRAIL]:
                raise Rewritten
            self.head = head[: min(HEAD, end)]
        elif len(self.head) < HEAD and len(self.head) == self.offset:
            self.head = (self.head + data)[:HEAD]
        self.trail = (self.trail + data[-TRAIL:])[-TRAIL:]
        self.offset = end
        return data

    def _next(self, source: Source) -> bytes:
        """Return the bytes after ``offset``, but for NULs at the very end: data may still take their place."""
        data = source.read(CHUNK, self.offset)
        if self.compressed or not data.endswith(b"\0") or (self.head or data).startswith(_MARKS):
            return data
        kept = data.rstrip(b"\0")
        if kept:
            return kept
        hole = source.read(_HOLE, self.offset)
        return hole if len(hole) == _HOLE else hole.rstrip(b"\0")

    def place(self) -> Place:
        """Return where reading has come to."""
        return Place.at(self.path, self.key, self.head, self.offset, self.trail)

    def is_copy_so_far(self, other: Tail) -> bool:
        """Tell whether this new file has, as far as it goes, the text of the other, up to where that was read."""
        source = self.open()
        head = source.read(HEAD, 0)
        if not head or not other.head.startswith(head[: len(other.head)]) or len(head) < min(8, len(other.head)):
            return False
        if self.compressed:
            return True
        return self.size <= other.offset and self._ends_alike(source, other)

    def _ends_alike(self, source: Source, other: Tail) -> bool:
        size = min(TRAIL, self.size)
        try:
            return source.read(size, self.size - size) == other.open().read(size, self.size - size)
        except (OSError, Rewritten):
            return False
