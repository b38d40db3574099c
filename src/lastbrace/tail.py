"""The end of a text, kept while the text goes by."""

from __future__ import annotations

DEFAULT_MAX_BYTES = 256 << 10  # larger than any answer written by hand or model, small enough to keep beside a stream


class Tail:
    """Keeps the last ``max_bytes`` of what it is fed, in time linear in all of it.

    >>> tail = Tail(4)
    >>> tail.feed(b"first")
    >>> tail.feed(b" last")
    >>> tail.text()
    'last'
    """

    __slots__ = ("_data", "_max")

    def __init__(self, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._max = max_bytes
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Read the next piece of the text."""
        if len(data) >= self._max:
            self._data[:] = data[-self._max :]
            return
        self._data += data
        if len(self._data) > 2 * self._max:
            del self._data[: -self._max]

    @property
    def data(self) -> bytes:
        """The end of the text."""
        return bytes(self._data[-self._max :])

    def text(self) -> str:
        """Return the end of the text, decoded; bytes that are no UTF-8 become U+FFFD."""
        return self.data.decode("utf-8", "replace")


def check_max_bytes(max_bytes: int) -> int:
    """Return ``max_bytes``. Raises TypeError where that is no count, ValueError where it keeps nothing."""
    if not isinstance(max_bytes, int):
        raise TypeError(f"how much of the end to keep must be a whole number of bytes, not {max_bytes!r}")
    if max_bytes < 1:
        raise ValueError(f"how much of the end to keep must be at least 1 byte, not {max_bytes}")
    return max_bytes
