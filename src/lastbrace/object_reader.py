"""The value of one object while its bytes come: all of it or the members wanted, and word of each as it closes.

Rules

1. ijson's push parser reads the structure. It is fed at token boundaries only, since a token that it gets in pieces
   costs it the square of its length.
2. What ijson would read otherwise than ``json`` is read here and its place taken by an empty string: a string that the
   bytes at hand cut, one with a lone surrogate or with invalid UTF-8, ``NaN`` and ``Infinity``, a long exponent, an
   integer longer than the interpreter allows (at which ijson 3.6 crashes).
3. A value that nobody wants is passed over, a string without being decoded.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from typing import Any

from ijson.backends import yajl2_c  # type: ignore[import-untyped]  # it has no types

from . import possessive
from .grammar import MAX_INTEGER_DIGITS
from .member_builder import UNSET, Member, MemberBuilder
from .paths import Node
from .strings import PAIRED_ASCII_BODY, PAIRED_BODY, StringReader

_QUOTE = 0x22
_SCALAR = b"0123456789+-.eEtrufalsnINity"  # the bytes of numbers and words
_WORDS = {
    b"true": True, b"false": False, b"null": None,
    b"NaN": float("nan"), b"Infinity": float("inf"), b"-Infinity": float("-inf"),
}  # fmt: skip
_LONGEST_WORD = 9  # bytes


@functools.cache
def _easy(body: str, max_digits: int | None) -> Callable[..., re.Match[bytes] | None]:
    """Return what matches as much as ijson reads as ``json`` does, strings in it whole and exponents short."""
    other = r'[^"NIeE]*+'
    if max_digits is not None:
        other = rf'[^"NIeE0-9]*+(?:(?<![0-9])[0-9]{{1,{max_digits}}}+(?![0-9])[^"NIeE0-9]*+)*+'
    e = r"(?<=tru)e|(?<=fals)e|[eE][-+]?+[0-9]{1,8}+(?![0-9])"
    return possessive.compile(rf'{other}(?:(?:"{body}"|{e}){other})*+'.encode()).match


_scalar = re.compile(b"[" + re.escape(_SCALAR) + b"]*+").match
_whole_number = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").match
_is_integer = re.compile(rb"-?[0-9]+").fullmatch


class ObjectReader:
    """Builds the value of an object from its bytes, which come in pieces cut anywhere and are good JSON so far.

    ``wanted`` says which members are kept and which are told as they close; None keeps everything. Without ``keep``
    only members to be told are built, and let go then. ``failed`` says why the value stopped growing, if it did.

    >>> reader = ObjectReader()
    >>> reader.feed(b'{"status": "do')
    >>> reader.partial()
    {'status': 'do'}
    """

    __slots__ = ("_builder", "_rest", "_scalar", "_send", "_string", "consumed", "failed")

    def __init__(self, wanted: Node | None = None, *, keep: bool = True) -> None:
        self.consumed = 0
        self.failed = ""
        self._builder = MemberBuilder(wanted, keep=keep)
        events = self._builder.events()
        next(events)
        self._send = yajl2_c.basic_parse_basecoro(events).send
        # The token that the bytes at hand cut: a string, the bytes of a number or word, and an escape in a string.
        self._string: StringReader | None = None
        self._scalar = bytearray()
        self._rest = b""

    @property
    def value(self) -> Any:
        """The growing value, strings, numbers and words that are not finished left out."""
        self._builder.uncover()
        return self._builder.value

    @property
    def is_empty(self) -> bool:
        """Whether it is, once it has closed, ``{}`` or ``[]``."""
        return self._builder.is_empty

    def take_members(self) -> list[Member]:
        """Return the members that closed since the last time and that somebody watches."""
        members = self._builder.members
        if members:
            self._builder.members = []
        return members

    def partial(self, *, unended: bool = False) -> Any:
        """Return the growing value, with the string being read as far as it goes.

        ``unended`` shows a number too as far as it goes, and a word from its first letter.
        """
        builder = self._builder
        builder.uncover()
        if self._string is not None and self._string.is_kept:
            builder.cover(self._string.text)
        elif unended and self._scalar and builder.wants_next:
            value = _guess(bytes(self._scalar))
            if value is not UNSET:
                builder.cover(value)
        return builder.value

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the object."""
        self.consumed += len(data)
        self._builder.uncover()
        if self.failed:
            return
        if self._rest:
            data, self._rest = self._rest + data, b""
        try:
            self._read(data)
        except ValueError as error:  # an integer longer than sys.get_int_max_str_digits() allows
            self.failed = str(error)

    def _read(self, data: bytes) -> None:
        at, size = 0, len(data)
        if self._string is not None:
            at = self._read_string(self._string, data, 0)
        elif self._scalar:
            at = self._read_scalar(data, 0)
        limit = sys.get_int_max_str_digits()
        body = PAIRED_BODY if data.isascii() or _is_utf8(data) else PAIRED_ASCII_BODY
        easy = _easy(body, limit if 0 < limit < MAX_INTEGER_DIGITS else None)
        while at < size:
            end = easy(data, at).end()  # type: ignore[union-attr]  # it matches the empty string
            if end > at:
                piece = data[at:end]
                if data[end - 1] in _SCALAR:
                    piece = piece.rstrip(_SCALAR)
                if piece:
                    self._send(piece)
                    at += len(piece)
                if at == size:
                    return
            if data[at] == _QUOTE:
                self._string = StringReader(keep=self._builder.wants_next)
                at = self._read_string(self._string, data, at + 1)
            else:
                at = self._read_scalar(data, at)

    def _read_string(self, string: StringReader, data: bytes, at: int) -> int:
        """Read on in a string from index ``at`` and return where it ends, or the data."""
        at = string.feed(data, at)
        if not string.ended:
            self._rest = data[at:]
            return len(data)
        self._string = None
        self._send_instead(string.text)
        return at

    def _read_scalar(self, data: bytes, at: int) -> int:
        """Read on in a number or word from index ``at`` and return where it ends, or the data."""
        end = _scalar(data, at).end()  # type: ignore[union-attr]  # it matches the empty string
        self._scalar += data[at:end]
        if end < len(data) or (len(self._scalar) <= _LONGEST_WORD and bytes(self._scalar) in _WORDS):
            token = bytes(self._scalar)
            self._scalar.clear()
            self._send_instead(_value_of(token))
        return end

    def _send_instead(self, value: Any) -> None:
        """Send an empty string in place of a token whose value is known."""
        self._builder.instead = value
        self._send(b'""')
        self._builder.instead = UNSET


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _value_of(token: bytes) -> Any:
    """Return the value of a number or word as ``json`` reads it."""
    if token in _WORDS:
        return _WORDS[token]
    return int(token) if _is_integer(token) else float(token)


def _guess(token: bytes) -> Any:
    """Return what a number or word is so far, UNSET where nothing can be said."""
    for word, value in _WORDS.items():
        if word.startswith(token) and token != b"-":
            return value
    match = _whole_number(token)
    try:
        return UNSET if match is None else _value_of(match[0])
    except ValueError:
        return UNSET
