"""The value of an object that is still being read, as far as it goes, whenever somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .object_reader import ObjectReader


class Source(Protocol):
    """Where the bytes of the open candidate come from: the automaton."""

    @property
    def open(self) -> tuple[int, int] | None:
        """Where the candidate begins, and how many bytes of it have been read."""

    def open_bytes(self, since: int) -> bytes:
        """Return what was read of it, from its offset ``since``."""


class SettledObject:
    """An object whose value will not change any more."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def partial(self, *, unended: bool = False) -> Any:
        """Return it, the same whether ``unended`` or not."""
        return self._value

    def __reduce__(self) -> tuple[type[SettledObject], tuple[Any]]:
        return SettledObject, (self._value,)


class OpenObject:
    """The object that begins at position ``start``, which grows in ``source`` or is all in ``rest``.

    Its value is built when it is asked for, from what is new. ``reader`` is one that reads it anyway.
    """

    __slots__ = ("_reader", "_rest", "_source", "start")

    def __init__(
        self, start: int, source: Source | None, *, rest: bytes = b"", reader: ObjectReader | None = None
    ) -> None:
        self.start = start
        self._source = source
        self._rest = rest
        self._reader = reader

    def settle(self) -> None:
        """Take what is new out of the source, which is about to let go of it."""
        self._rest = self._take() or b""
        self._source = None

    def partial(self, *, unended: bool = False) -> Any:
        """Return the growing value; see ``Unfinished.partial``."""
        if self._reader is None:
            from .object_reader import ObjectReader  # noqa: PLC0415 - a parser that few who scan need

            self._reader = ObjectReader()
        data = self._take()
        if data is None:
            return None
        if data:
            self._reader.feed(data)
        return self._reader.partial(unended=unended)

    def __reduce__(self) -> tuple[type[SettledObject], tuple[Any]]:
        # A copy, in this process or another, has the value of now: the parser cannot be copied.
        return SettledObject, (self.partial(),)

    def _take(self) -> bytes | None:
        """Return what was not read yet; None where it is not kept, as the object has grown beyond the limit."""
        if self._source is None:
            rest, self._rest = self._rest, b""
            return rest
        opened = self._source.open
        if opened is None or opened[0] != self.start:
            return b""
        consumed = 0 if self._reader is None else self._reader.consumed
        return self._source.open_bytes(consumed) or (None if consumed < opened[1] else b"")


class Growing:
    """The object that is open in ``source``, kept from one question to the next; ``chunk`` is what it reads now."""

    __slots__ = ("_base", "_object", "_source", "chunk")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._object: OpenObject | None = None
        self._base = 0
        self.chunk = b""

    def pass_chunk(self) -> None:
        """Note that the chunk has been read."""
        self._base += len(self.chunk)
        self.chunk = b""

    def get(self, start: int, size: int) -> OpenObject:
        """Return the object that begins at ``start``; where that is not open any more, it lies in the chunk."""
        if self._object is not None and self._object.start == start:
            return self._object
        opened = self._source.open
        if opened is None or opened[0] != start:
            at = max(0, start - self._base)
            return OpenObject(start, None, rest=self.chunk[at : at + size])
        self._object = OpenObject(start, self._source)
        return self._object

    def settle(self) -> None:
        """Take what may be asked for later of the object that is open, and will not be after the next byte."""
        if self._source.open is not None:
            self.get(*self._source.open).settle()

    def forget(self, start: int) -> None:
        """Forget any object but the one that begins at ``start``."""
        if self._object is not None and self._object.start != start:
            self._object = None
