"""Text in the encoding that a program writes and reads, cut anywhere."""

from __future__ import annotations

import codecs
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS: dict[str | None, tuple[bytes, ...]] = {  # by encoding, where a mark decides
    None: _UTF_16_MARKS,
    "utf-16": _UTF_16_MARKS,
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}
_TAIL = 65536  # bytes of UTF-8, what a pipe holds: more than anyone reads of a program's last words


class TextDecoder:
    r"""Decodes bytes as they come; what is none of the encoding becomes U+FFFD, and nothing raises.

    Without an encoding it is UTF-8, or UTF-16 where a byte-order mark says so.

    >>> decoder = TextDecoder(None)
    >>> decoder.decode(b"caf\xc3"), decoder.decode(b"\xa9")
    ('caf', 'é')
    """

    def __init__(self, encoding: str | None) -> None:
        self._name = None if encoding is None else codecs.lookup(encoding).name
        self._marks = _MARKS.get(self._name, ())
        self._decoder = None if self._marks else codecs.getincrementaldecoder(encoding or "")("replace")
        self._head = b""  # may be part of a mark

    def decode(self, data: bytes, *, final: bool = False) -> str:
        """Return the text as far as it is whole; with ``final`` the rest too."""
        if self._decoder is None:
            data = self._head + data
            if not final and any(mark.startswith(data) and mark != data for mark in self._marks):
                self._head = data
                return ""
            is_marked = data.startswith(self._marks)
            if self._name is None:
                name = "utf-16" if is_marked else "utf-8-sig"
            else:
                name = self._name if is_marked else f"{self._name}-le"  # as Windows has it
            self._decoder = codecs.getincrementaldecoder(name)("replace")
        return self._decoder.decode(data, final)


class TextTail:
    """The end of a text that is read to its end, decoded; ``on_text`` sees all of it as it comes.

    ``on_error`` is called with what ``on_text`` raises.
    """

    def __init__(
        self, encoding: str | None, on_text: Callable[[str], object] | None, on_error: Callable[[Exception], None]
    ) -> None:
        self._decoder = TextDecoder(encoding)
        self._on_text, self._on_error = on_text, on_error
        self._pieces: deque[str] = deque()
        self._size = 0  # characters

    def feed(self, data: bytes, *, final: bool = False) -> None:
        """Take the next bytes."""
        text = self._decoder.decode(data, final=final)
        if not text:
            return
        self._pieces.append(text)
        self._size += len(text)
        while self._size - len(self._pieces[0]) >= _TAIL:
            self._size -= len(self._pieces.popleft())
        if len(self._pieces) > 1024:  # a program that writes byte by byte
            self._pieces = deque(["".join(self._pieces)])
        if self._on_text is not None:
            try:
                self._on_text(text)
            except Exception as error:
                self._on_error(error)

    @property
    def text(self) -> str:
        """The end of the text, at most 64 KiB, from a whole character on."""
        return "".join(self._pieces).encode("utf-8", "replace")[-_TAIL:].decode("utf-8", "ignore")


def check_encoding(encoding: str | None) -> None:
    """Raise ValueError for what is no encoding of text, or one that cannot be read with replacement."""
    if encoding is None:
        return
    try:
        TextDecoder(encoding).decode(bytes(range(256)), final=True)
        codecs.getincrementalencoder(encoding)()
        b" ".decode(encoding, "replace")  # the one that refuses codecs of no text, such as rot13
    except (LookupError, UnicodeError, ValueError, TypeError, AssertionError) as error:
        raise ValueError(f"encoding must be the name of a text encoding such as 'cp1252', not {encoding!r}") from error
