"""What is remembered of a dead candidate while its bytes are read again."""

from __future__ import annotations

import re
from collections.abc import Callable


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


class DeadRegions:
    """The dead regions that reading has not left behind yet."""

    __slots__ = ("_regions",)

    def __init__(self) -> None:
        self._regions: list[DeadRegion] = []

    def __bool__(self) -> bool:
        return bool(self._regions)

    def add(self, region: DeadRegion) -> None:
        """Take in one more."""
        self._regions.append(region)

    def is_unfinished(self, position: int) -> bool:
        """Tell whether ``position`` lies inside an object that was open at the end of the input."""
        return any(region.whole and position < region.end for region in self._regions)

    def seek(
        self, find: Callable[..., re.Match[bytes] | None], data: bytes | bytearray, index: int, base: int
    ) -> tuple[int, bool | None]:
        """Return the index of the next bracket that did not die with a region, and whether one read it as structure.

        None where that bracket lies beyond all regions, or where there is none: the index is then that of the end.
        ``find`` finds brackets, ``base`` is the position of ``data``.
        """
        while True:
            match = find(data, index)
            at = len(data) if match is None else match.start()
            position = base + at
            self._regions = [region for region in self._regions if region.end > position]
            if match is None or not self._regions:
                return at, None
            if not any(position in region.containers for region in self._regions):
                return at, any(region.is_structure(position) for region in self._regions)
            index = at + 1
