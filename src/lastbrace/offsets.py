"""From positions in cleaned text back to offsets of the input as it was fed."""

from __future__ import annotations


class OffsetMap:
    """A record of what a stage took out of, or added to, the bytes that passed it.

    It is kept as runs: ``size`` bytes of output came from ``source`` bytes of input. In an ordinary run the output is
    the run's beginning and what was removed followed it; with ``scaled`` the two grow evenly (two bytes of UTF-16 for
    each of ASCII). Two small numbers a run, so that noise inside a long object costs no more than the noise did.

    Positions must be asked for in ascending order, save that ``at`` may look ahead without forgetting.
    """

    __slots__ = ("_append", "_index", "_last", "_position", "_runs", "_scaled", "_source")

    def __init__(self, *, scaled: bool = False) -> None:
        self._scaled = scaled
        self._runs = bytearray()
        self._append = self._runs.append
        self._last: tuple[int, int] | None = None  # the newest run, which may still grow
        self._index = 0  # the next run to read, with the position and source offset at which it begins
        self._position = 0
        self._source = 0

    def add(self, size: int, source: int) -> None:
        """Record a run: the next ``size`` bytes of output came from ``source`` bytes of input.

        A run without output belongs to the one before, so that a thousand sequences in a row take no more than one.
        """
        if self._last is not None:
            if not size:
                self._last = (self._last[0], self._last[1] + source)
                return
            for number in self._last:
                while number > 127:
                    self._append(number & 127 | 128)
                    number >>= 7  # noqa: PLW2901 - a varint, seven bits at a time
                self._append(number)
        self._last = (size, source)

    @property
    def shift(self) -> int | None:
        """What to add to any position from now on, or None while runs lie ahead."""
        return self._source - self._position if self._last is None else None

    def at(self, position: int) -> int:
        """Return the input offset of the output byte at ``position``."""
        if self._last is None:
            return self._source + position - self._position
        return self._find(position)[2]

    def advance(self, position: int) -> None:
        """Forget what lies before ``position``."""
        if self._last is None or position <= self._position:
            return
        index, start, _, source = self._find(position)
        self._index, self._position, self._source = index, start, source
        if index > len(self._runs):
            self._runs.clear()
            self._index, self._last = 0, None
        elif index > 4096 and index * 2 > len(self._runs):
            del self._runs[:index]
            self._index = 0

    def _find(self, position: int) -> tuple[int, int, int, int]:
        """Return the run that holds ``position`` (its index, output position and input offset, third the answer)."""
        assert self._last is not None
        index, start, source = self._index, self._position, self._source
        end = len(self._runs)
        while index <= end:
            (size, taken), after = self._read(index) if index < end else (self._last, end + 1)
            if position < start + size:
                inside = position - start
                return index, start, source + (inside * taken // size if self._scaled else inside), source
            index, start, source = after, start + size, source + taken
        return index, start, source + position - start, source

    def _read(self, index: int) -> tuple[tuple[int, int], int]:
        """Return the run at ``index``, and the index of the next."""
        numbers = []
        for _ in range(2):
            number = shift = 0
            while True:
                byte = self._runs[index]
                index += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            numbers.append(number)
        return (numbers[0], numbers[1]), index
