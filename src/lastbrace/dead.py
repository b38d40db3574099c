"""What is remembered of a dead candidate while its bytes are read again."""

from __future__ import annotations


class Marks:
    """Ascending positions: the newest as they are in ``new``, the others packed as distances.

    A distance takes one byte, and one more for every 255 in it. Append to ``new``; ``pack`` when it has grown.
    """

    __slots__ = ("_distances", "_last", "new", "origin")

    PACK_ABOVE = 1024  # positions; few enough to cost nothing, enough to pack in one go

    def __init__(self) -> None:
        self.new: list[int] = []
        self.origin = self._last = 0
        self._distances = bytearray()

    def restart(self, origin: int) -> None:
        """Forget all positions; the next ones lie beyond ``origin``."""
        self.origin = self._last = origin
        if self.new:
            self.new.clear()
        if self._distances:
            self._distances = bytearray()

    def pack(self) -> bytearray:
        """Return all positions, packed."""
        for position in self.new:
            whole, rest = divmod(position - self._last, 255)
            self._last = position
            if whole:
                self._distances += b"\xff" * whole
            self._distances.append(rest)
        self.new.clear()
        return self._distances


class DeadRegion:
    """The bytes that a dead candidate read: from its start to ``end``.

    ``containers`` are the brackets that were open when it died, as the automaton keeps them: they die where it died.
    ``whole`` says that it did not die but was open at the end of the input, so that everything inside it is a piece of
    it. Positions are asked for in ascending order.
    """

    __slots__ = ("_at", "_distances", "_index", "containers", "end", "whole")

    def __init__(self, end: int, containers: list[int], marks: Marks, *, whole: bool = False) -> None:
        self.end = end
        self.whole = whole
        self.containers = frozenset(container >> 1 for container in containers)
        self._distances = marks.pack()
        self._at = marks.origin
        self._index = 0

    def is_structure(self, position: int) -> bool:
        """Tell whether the bracket at ``position`` was read as structure, not as a character of a string."""
        if self.whole:
            return position < self.end
        distances, index = self._distances, self._index
        while self._at < position and index < len(distances):
            distance = distances[index]
            index += 1
            self._at += distance
            while distance == 255:
                distance = distances[index]
                index += 1
                self._at += distance
        self._index = index
        return self._at == position
