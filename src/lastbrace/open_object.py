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
        self._rest = self._take()
        self._source = None

    def partial(self, *, unended: bool = False) -> Any:
        """Return the growing value; see ``Unfinished.partial``."""
        if self._reader is None:
            from .object_reader import ObjectReader  # noqa: PLC0415 - a parser that few who scan need

            self._reader = ObjectReader()
        data = self._take()
        if data:
            self._reader.feed(data)
        return self._reader.partial(unended=unended)

    def _take(self) -> bytes:
        """Return what was not read yet."""
        if self._source is None:
            rest, self._rest = self._rest, b""
            return rest
        opened = self._source.open
        if opened is None or opened[0] != self.start:
            return b""
        return self._source.open_bytes(0 if self._reader is None else self._reader.consumed)
