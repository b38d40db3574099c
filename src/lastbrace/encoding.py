"""Byte-order marks: a UTF-8 one is removed, a UTF-16 one switches decoding, so that what follows reads UTF-8."""

from __future__ import annotations

import codecs

from .offsets import OffsetMap

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Utf8Input:
    r"""Turns the chunks it is fed into UTF-8, by the byte-order mark that the first ones begin with.

    Without a mark chunks pass through as they are, valid UTF-8 or not. UTF-16 that cannot be decoded becomes U+FFFD.

    >>> text = Utf8Input()
    >>> text.feed('\ufeff{"a":'.encode("utf-16-le")) + text.feed("1}".encode("utf-16-le"))
    b'{"a":1}'
    >>> text.offsets.at(1)
    4
    """

    __slots__ = ("_decoder", "_head", "offsets")

    def __init__(self) -> None:
        self.offsets = OffsetMap(scaled=True)
        self._head: bytes | None = b""  # what may still be the beginning of a mark; None once that is known
        self._decoder: codecs.IncrementalDecoder | None = None

    @property
    def is_utf8(self) -> bool:
        """Whether it is known that chunks pass as they are."""
        return self._head is None and self._decoder is None

    def feed(self, chunk: bytes) -> bytes:
        """Return the chunk as UTF-8; a byte or two may be held back until it is known whether they are a mark."""
        if self._head is not None:
            chunk = self._head + chunk
            mark = next((mark for mark in _MARKS if chunk.startswith(mark)), None)
            if mark is None and any(mark.startswith(chunk) for mark in _MARKS):
                self._head = chunk
                return b""
            self._head = None
            if mark is not None:
                chunk = chunk[len(mark) :]
                self.offsets.add(0, len(mark))
                if mark is not codecs.BOM_UTF8:
                    name = "utf-16-le" if mark is codecs.BOM_UTF16_LE else "utf-16-be"
                    self._decoder = codecs.getincrementaldecoder(name)("replace")
        return chunk if self._decoder is None else self._transcode(self._decoder.decode(chunk))

    def close(self) -> bytes:
        """Return what was held back, now that the input has ended."""
        head, self._head = self._head, None
        if self._decoder is not None:
            return self._transcode(self._decoder.decode(b"", final=True))
        return head or b""

    def _transcode(self, text: str) -> bytes:
        """Encode decoded UTF-16, and record runs of characters that take as many bytes in both."""
        run = size = width = 0
        for char in text:
            code = ord(char)
            char_size = 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
            char_width = 4 if code > 0xFFFF else 2
            if (char_size, char_width) != (size, width):
                if run:
                    self.offsets.add(run * size, run * width)
                run, size, width = 0, char_size, char_width
            run += 1
        if run:
            self.offsets.add(run * size, run * width)
        return text.encode()
