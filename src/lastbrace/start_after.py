"""Waits for a text to go by: what comes before its end does not count."""

from __future__ import annotations


class StartAfter:
    """Holds back a stream until ``text`` has gone by in it, then lets everything through."""

    __slots__ = ("_seen", "_text", "skipped")

    def __init__(self, text: bytes) -> None:
        self._text: bytes | None = text
        self._seen = b""
        self.skipped = 0

    def feed(self, chunk: bytes) -> bytes:
        """Return what of the chunk comes after the text; ``skipped`` counts the bytes that did not."""
        if self._text is None:
            return chunk
        window = self._seen + chunk
        at = window.find(self._text)
        if at < 0:
            keep = len(self._text) - 1
            self._seen = window[-keep:] if keep else b""
            self.skipped += len(chunk)
            return b""
        rest = window[at + len(self._text) :]
        self._text, self._seen = None, b""
        self.skipped += len(chunk) - len(rest)
        return rest
