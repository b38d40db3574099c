"""What a scanner reports: an object found, one dropped for its size, one still open; and its statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from . import decoding
from .errors import DecodeError
from .open_object import OpenObject, SettledObject
from .spans import is_empty

T = TypeVar("T")

_UNSET: Any = object()
_set = msgspec.structs.force_setattr
_QUOTE = 0x22  # begins most objects' first key
_SHOWN = 60


def show(raw: bytes, limit: int = _SHOWN) -> str:
    """Return the first ``limit`` bytes of ``raw`` as a literal that is safe to print."""
    text = raw[:limit].decode("utf-8", "replace")
    return ascii(text) + ("..." if len(raw) > limit else "")


class Built(msgspec.Struct, frozen=True):
    """The value of an object that was built as its bytes came; ``failed`` says why it could not be."""

    value: Any
    is_empty: bool
    failed: str


# A value of JSON holds nothing that could hold the object, so that the garbage collector need not look at it.
class Found(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An object that was read to its closing brace.

    ``start`` and ``end`` are byte offsets of the input as it was fed (for ``str``, of its UTF-8 form): of the first
    brace, and just past the last. ``raw`` is its text, terminal sequences removed (None for an object larger than
    ``buffer_limit``, which was not stored, only its value built). ``fragment`` says that it is a piece of a broken or
    cut record. ``fence`` is the info word of the Markdown fence it stands in (``""`` for a fence
    without one), or None outside fences.

    >>> import lastbrace
    >>> found = lastbrace.find_objects('so: {"status": "done"} (end)')[0]
    >>> found.start, found.end, found.value
    (4, 22, {'status': 'done'})
    """

    start: int
    end: int
    raw: bytes | Any  # "| Any": None, but only for who asked for it with ``buffer_limit``
    fragment: bool = False
    fence: str | None = None
    _value: Any = _UNSET
    _built: Built | None = None  # of an object that was not stored

    @property
    def value(self) -> Any:
        """The object as Python's ``json`` reads it; decoded once, when first asked for.

        Raises DecodeError for a value too deep for the interpreter.
        """
        if self._built is not None:
            if self._built.failed:
                raise DecodeError(self._built.failed)
            return self._built.value
        if self._value is _UNSET:
            value = decoding.decode(self.raw)
            _set(self, "_value", value)
            return value
        return self._value

    @property
    def empty(self) -> bool:
        """True for ``{}`` and ``[]``, which are reported but answer nothing."""
        raw = self.raw
        if raw is not None:
            return raw[1] != _QUOTE and is_empty(raw)
        return self._built is not None and self._built.is_empty

    def decode(self, type: type[T]) -> T:  # noqa: A002 - the word msgspec uses for it
        """Return the object as a ``type`` that msgspec knows: a Struct, dataclass, TypedDict, ``dict[str, int]``...

        Raises DecodeError when it is not of that type.
        """
        if self._built is not None:
            return decoding.convert_as(self.value, type)
        return decoding.decode_as(self.raw, type)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Found):
            return NotImplemented
        if self.raw is None and other.raw is None and self.value != other.value:
            return False
        return (self.start, self.end, self.raw, self.fragment, self.fence) == (
            other.start, other.end, other.raw, other.fragment, other.fence,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.raw))

    def __repr__(self) -> str:
        fragment = ", fragment=True" if self.fragment else ""
        fence = f", fence={self.fence!r}" if self.fence is not None else ""
        raw = None if self.raw is None else show(self.raw)
        return f"Found({self.start}, {self.end}, {raw}{fragment}{fence})"


class Dropped(msgspec.Struct, frozen=True, gc=False):
    """An object that grew beyond ``max_object_bytes`` and was let go; reading went on at ``end``.

    ``start`` and ``end`` are byte offsets of the input as fed; ``reason`` is the name of the limit.

    >>> import lastbrace
    >>> scanner = lastbrace.Scanner(max_object_bytes=8)
    >>> scanner.feed('{"long": "answer"} {"a": 1}')
    [Dropped(start=0, end=18, reason='max_object_bytes'), Found(19, 27, '{"a": 1}')]
    """

    start: int
    end: int
    reason: str


class Unfinished(msgspec.Struct, frozen=True, eq=False):
    """An object that is still open: ``start`` is the offset of its brace as fed, ``size`` what was read of it in bytes.

    ``partial()`` is its value so far.

    >>> import lastbrace
    >>> scanner = lastbrace.Scanner()
    >>> scanner.feed('text {"status": "do')
    []
    >>> scanner.open
    Unfinished(start=5, size=14)
    >>> scanner.open.partial()
    {'status': 'do'}
    """

    start: int
    size: int
    _object: OpenObject | SettledObject | None = None

    def partial(self, *, unended: bool = False) -> Any:
        """Return the best value so far of the object being read.

        Members and elements that have closed are as they will be, and of the string being read there is what came of
        it: never half a character, half an escape or half a surrogate pair. A key without its value is left out, and
        so is a number or word that may go on; ``unended`` shows those too, a number as far as it goes (``12`` of
        ``12.5``), a word from its first letter.

        It is the growing value itself, not a copy: asking again later, of this or of the next ``open``, gives the same
        list or dict with more in it, at a cost in proportion to what is new, but for the string being read, which is
        built each time. So leave it as it is and copy what you keep. Once the object has closed or died it is what it
        was when last asked for; at the end of the input it is all that there was.

        None where nothing of the object is stored, being larger than ``max_object_bytes``.
        """
        return None if self._object is None else self._object.partial(unended=unended)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Unfinished):
            return NotImplemented
        return (self.start, self.size) == (other.start, other.size)

    def __hash__(self) -> int:
        return hash((self.start, self.size))

    def __repr__(self) -> str:
        return f"Unfinished(start={self.start}, size={self.size})"


class Field(msgspec.Struct, frozen=True):
    """A member that closed while its object, which begins at ``start``, may still be open; who watches it, where."""

    start: int
    watchers: tuple[int, ...]
    path: tuple[str | int, ...]
    value: Any


class FieldsVoid(msgspec.Struct, frozen=True, gc=False):
    """The members told of the object at ``start`` do not count: it is none, or a piece of one."""

    start: int


class Text(msgspec.Struct, frozen=True, gc=False):
    """A stretch of the input that is no object, terminal sequences removed."""

    raw: bytes


Event = Found | Dropped | Unfinished
Inner = Event | Text | Field | FieldsVoid


@dataclass(frozen=True, slots=True)
class DeadCandidate:
    """Where something that began like an object turned out to be none.

    ``start`` is the offset of its brace and ``offset`` that of the illegal byte, both as fed; ``byte`` is that byte;
    ``reason`` says what was expected; ``excerpt`` shows the text just before and after it.

    >>> import lastbrace
    >>> scanner = lastbrace.Scanner()
    >>> scanner.feed('{"status": done}')
    []
    >>> scanner.stats.last_dead.offset, scanner.stats.last_dead.reason
    (11, 'not a value')
    """

    start: int
    offset: int
    byte: bytes
    reason: str
    excerpt: str


@dataclass(slots=True)
class Stats:
    """Counts that explain a result, above all an empty one.

    ``bytes`` read as fed; ``objects``, ``fragments`` and ``dropped`` reported; ``dead`` candidates by reason;
    ``reread``, the bytes read again because a candidate died; ``last_dead``, the last dead candidate that had read a
    key and its colon.

    >>> import lastbrace
    >>> scanner = lastbrace.Scanner()
    >>> _ = scanner.feed("%{name} {}")
    >>> scanner.stats.objects, scanner.stats.dead
    (1, {'not a key': 1})
    """

    bytes: int = 0
    objects: int = 0
    fragments: int = 0
    dropped: int = 0
    dead: dict[str, int] = field(default_factory=dict)
    reread: int = 0
    last_dead: DeadCandidate | None = None
