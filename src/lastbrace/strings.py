"""One JSON string, decoded as its bytes come."""

from __future__ import annotations

import codecs
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not know it

from . import possessive

_HEX = r"[0-9a-fA-F]"
_HIGH = rf"[dD][89abAB]{_HEX}{{2}}"
_LOW = rf"[dD][c-fC-F]{_HEX}{{2}}"
_PLAIN = r"[ !#-\[\]-\xff]"  # all but quote, backslash and controls; sre is twice as fast without a negation
# What may follow the first half of a surrogate pair while it is open whether the second half comes.
_UNDECIDED = rf"(?:\\(?:u(?:[dD](?:[c-fC-F]{_HEX}?)?)?)?)?\Z"

_simple = rf'["\\/bfnrt]|u(?![dD][89a-fA-F]){_HEX}{{4}}|u{_HIGH}\\u{_LOW}'
_lone = rf"u{_HIGH}(?!{_UNDECIDED})|u{_LOW}"

# A body without lone surrogates; the second one without bytes beyond ASCII.
PAIRED_BODY, PAIRED_ASCII_BODY = (rf"{plain}*+(?:\\(?:{_simple}){plain}*+)*+" for plain in (_PLAIN, r"[ !#-\[\]-\x7f]"))
_FEW = 65536  # characters

_body = possessive.compile(rf"{_PLAIN}*+(?:\\(?:{_simple}|{_lone}){_PLAIN}*+)*+".encode()).match
_skipped = possessive.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match


class StringReader:
    r"""Decodes the body of a string as ``json`` would, whatever the cuts; invalid UTF-8 becomes U+FFFD.

    Never half a character, half an escape or half a surrogate pair is in ``text``: what is cut is left to the next
    piece. With ``keep=False`` nothing is decoded and only the end is looked for.

    >>> string = StringReader()
    >>> string.feed(b'caf\\u00e9 \\ud83d\\ud', 0)
    10
    >>> string.text
    'café '
    """

    __slots__ = ("_decode", "_pieces", "_size", "_text", "ended")

    def __init__(self, *, keep: bool = True) -> None:
        self.ended = False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode if keep else None
        self._text = ""
        self._pieces: list[str] = []  # what comes after it
        self._size = 0  # of those, in characters

    def feed(self, data: bytes, at: int) -> int:
        """Read on from index ``at``, and return the index after the closing quote, or of what is left to next time."""
        if self._decode is None:
            end = _skipped(data, at).end()  # type: ignore[union-attr]  # it matches the empty string
            self.ended = data[end : end + 1] == b'"'
            return end + self.ended
        end = _body(data, at).end()  # type: ignore[union-attr]  # likewise
        self.ended = data[end : end + 1] == b'"'
        body = data[at:end]
        text = self._decode(body, end < len(data))  # a quote or backslash follows: no character goes on there
        if b"\\" in body:
            text = scanstring(text + '"', 0)[0]
        self._pieces.append(text)
        self._size += len(text)
        if self._size > _FEW and self._size * 16 > len(self._text):
            self._join()
        return end + self.ended

    @property
    def is_kept(self) -> bool:
        """Whether its text is decoded and kept."""
        return self._decode is not None

    @property
    def text(self) -> str:
        """What was read so far."""
        if self._pieces:
            self._join()
        return self._text

    def _join(self) -> None:
        # CPython adds to a string in place when a local variable alone holds it: a list of pieces, joined at the end,
        # would take twice the memory. Where it does not, the time is still in proportion to the text.
        text, self._text = self._text, ""
        text += "".join(self._pieces)
        self._text = text
        self._pieces.clear()
        self._size = 0
