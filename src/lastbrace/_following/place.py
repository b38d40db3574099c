"""Where in a file reading has come to, in a form that outlives the process: what a cursor is made of."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from .handle import Key, Source

HEAD = 1024  # bytes of a file's beginning that tell it from another
TRAIL = 256  # bytes before an offset that tell whether a file has the same text up to there
_VERSION = 1


def digest(data: bytes) -> str:
    """Return a short hash; not for secrets."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


class Place(msgspec.Struct, frozen=True, gc=False):
    """A file's identity and an offset in it: everything before the offset was delivered.

    ``head_size`` and ``head`` are the length and hash of the file's first bytes (at most 1,024 of them), ``trail_size``
    and ``trail`` of those before the offset. ``offset`` is None for a compressed file that is to be passed over whole.
    ``streams`` holds, for unwrapped container logs, the line and the bytes of its payload delivered, for each stream.
    """

    path: str
    device: int
    inode: int
    head_size: int
    head: str
    offset: int | None
    trail_size: int = 0
    trail: str = ""
    streams: dict[str, tuple[int, int]] = {}

    @classmethod
    def at(cls, path: str, key: Key, head: bytes, offset: int | None, trail: bytes, streams: Any = None) -> Place:
        """Return the place at ``offset`` of the file that begins with ``head`` and has ``trail`` before the offset."""
        return cls(path, *key, len(head), digest(head), offset, len(trail), digest(trail), streams or {})

    @property
    def key(self) -> Key:
        """Device and inode."""
        return self.device, self.inode

    def is_in(self, source: Source) -> bool:
        """Tell whether this file has the same beginning, and the same text just before the offset."""
        if digest(source.read(self.head_size, 0)) != self.head:
            return False
        start = (self.offset or 0) - self.trail_size
        return digest(source.read(self.trail_size, start)) == self.trail


class _Cursor(msgspec.Struct):
    version: int
    files: list[Place]


def dump_cursor(places: list[Place]) -> dict[str, Any]:
    """Return a value of plain dicts, lists, strings and numbers."""
    cursor: dict[str, Any] = msgspec.to_builtins(_Cursor(_VERSION, places))
    for entry in cursor["files"]:
        if not entry["streams"]:
            del entry["streams"]
    return cursor


def load_cursor(cursor: Any) -> list[Place]:
    """Return the places of a cursor. Raises ValueError for what is none."""
    try:
        loaded = msgspec.convert(cursor, _Cursor)
    except msgspec.ValidationError as error:
        raise ValueError(f"not a cursor: {error}") from error
    if loaded.version != _VERSION:
        raise ValueError(f"a cursor of version {loaded.version} is not known here")
    return loaded.files
