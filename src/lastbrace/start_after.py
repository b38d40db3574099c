"""Waits for a text to go by: what comes before its end does not count."""

from __future__ import annotations

from array import array


class StartAfter:
    """Holds back a stream until ``text`` has gone by in it, then lets everything through.

    The search is that of Knuth, Morris and Pratt, so that a long text costs no more in small chunks than in large ones.
    """

    __slots__ = ("_borders", "_matched", "_text", "skipped")

    def __init__(self, text: bytes) -> None:
        self.skipped = 0
        self._text = text
        self._matched = 0  # bytes of the text that end what was read
        self._borders = _borders(text)

    @property
    def is_waiting(self) -> bool:
        """Whether the text has not gone by yet."""
        return self._matched < len(self._text)

    def feed(self, chunk: bytes) -> bytes:
        """Return what of the chunk comes after the text; ``skipped`` counts the bytes that did not."""
        text, matched, borders = self._text, self._matched, self._borders
        if matched == len(text):
            return chunk
        index = 0
        while index < len(chunk) and matched < len(text):
            if matched == 0:
                index = chunk.find(text[0], index)
                if index < 0:
                    break
            byte = chunk[index]
            while matched and text[matched] != byte:
                matched = borders[matched - 1]
            if text[matched] == byte:
                matched += 1
            index += 1
        rest = chunk[index:] if matched == len(text) else b""
        self._matched = matched
        self.skipped += len(chunk) - len(rest)
        return rest


def _borders(text: bytes) -> array[int]:
    """Return for each beginning of the text how long its longest end is that is also a beginning of it."""
    borders = array("L", [0]) * len(text)
    length = 0
    for index in range(1, len(text)):
        while length and text[length] != text[index]:
            length = borders[length - 1]
        if text[length] == text[index]:
            length += 1
        borders[index] = length
    return borders
