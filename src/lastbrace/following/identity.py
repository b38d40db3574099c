"""What a text is recognised by, whatever its file is called by now, and how far it was read: the cursor in JSON."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from ..printing import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

EVIDENCE = 1024  # bytes at the beginning, and before the offset, that tell one text from another

VERSION = 1
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]  # no file is larger, and systems count not much further
_closing = re.compile(rb"[\s\]}]{0,64}\Z").search


class Print(msgspec.Struct, frozen=True, array_like=True):
    """A fingerprint of bytes: how many they are, and their hash."""

    length: Annotated[int, msgspec.Meta(ge=0, le=EVIDENCE)]
    hash: str

    @classmethod
    def of(cls, data: bytes) -> Print:
        """Return the fingerprint of ``data``.

        >>> Print.of(b"log").length
        3
        """
        return cls(len(data), blake2b(data, digest_size=16).hexdigest())


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far one text was delivered: its file, its first bytes, the offset, and the bytes before that.

    ``skip`` is how many objects after ``offset`` were delivered too; ``known`` says that nothing of it is wanted,
    ``copy`` that it is a copy of another one as far as that.
    """

    path: str
    device: int
    inode: int
    offset: _Count
    head: Print
    tail: Print
    skip: _Count = 0
    known: bool = False
    copy: bool = False


class Cursor(msgspec.Struct, frozen=True):
    """All positions of one follower."""

    version: int
    files: list[Position]


def to_json(positions: Iterable[Position]) -> dict[str, Any]:
    """Return a cursor as a value for ``json.dumps``."""
    cursor: dict[str, Any] = msgspec.to_builtins(Cursor(VERSION, list(positions)))
    return cursor


def from_json(value: Any) -> list[Position]:
    """Return the positions in a cursor. Raises ValueError for what is none."""
    try:
        cursor = msgspec.convert(value, Cursor)
    except msgspec.ValidationError as error:
        raise ValueError(f"this is no cursor of a log: {error}") from error
    if cursor.version != VERSION:
        version = printable(str(cursor.version))
        raise ValueError(f"a cursor of version {version}, and this lastbrace reads version {VERSION}")
    return cursor.files


class Known(NamedTuple):
    """What is known of a text: its first bytes, how far it was read, and the bytes before that."""

    head: bytes
    offset: int
    tail: bytes

    def read_on(self, data: bytes) -> Known:
        """Return what is known after ``data`` came behind it."""
        head = self.head if len(self.head) >= EVIDENCE else (self.head + data)[:EVIDENCE]
        tail = data[-EVIDENCE:] if len(data) >= EVIDENCE else (self.tail + data)[-EVIDENCE:]
        return Known(head, self.offset + len(data), tail)

    def begins(self, head: bytes) -> bool:
        """Tell whether a text with these first bytes may begin with what was read of this one."""
        return head.startswith(self.head)

    def ends_as(self, tail: bytes) -> bool:
        """Tell whether these are the bytes before the offset, but for closing brackets that were written over."""
        if tail == self.tail or len(tail) != len(self.tail):
            return tail == self.tail
        closing = _closing(self.tail)
        assert closing is not None
        return tail.startswith(self.tail[: closing.start()])

    def has_head(self, head: bytes) -> bool:
        """Tell whether these are its first 1,024 bytes."""
        return len(head) == EVIDENCE and head == self.head


NOTHING = Known(b"", 0, b"")
