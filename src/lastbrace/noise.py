"""The terminal filter: takes escape sequences and NUL bytes out of a byte stream, wherever chunks cut them.

Rules

1. The states are those of the parser for DEC's ANSI-compatible terminals at vt100.net/emu/dec_ansi_parser, in its
   names; ``sos/pm/apc`` and ``dcs`` strings are read as it reads ``osc`` ones. Its executed C0 controls, but for the
   line ends, go with the sequence.
2. No sequence can swallow the stream. In an escape or control sequence ``{``, ``}``, ``"``, a line end and any byte
   beyond ASCII abort it and are kept. A string ends at BEL, at ST, before a line end (which is kept), at CAN or SUB, or
   after 4,096 bytes.
3. Text is passed through uncopied; what was removed is recorded in ``offsets``.
"""

from __future__ import annotations

import re

from . import possessive
from .offsets import OffsetMap

GROUND, ESCAPE, ESCAPE_INTERMEDIATE, CSI, STRING = range(5)

MAX_STRING_BYTES = 4096  # a window title or link is shorter; an unclosed one must not hide the answer for long

# In every sequence: CAN and SUB end it, other controls and DEL change nothing, these end it and are read again.
_ABORTS = frozenset(b'{}"\r\n\x1b') | frozenset(range(0x80, 0x100))
_CANCELS = frozenset(b"\x18\x1a")
_STRING_OPENERS = frozenset(b"]PX^_")

_CONTROLS = rb"\x00-\x09\x0b\x0c\x0e-\x17\x19\x1c-\x1f\x7f"
_INTERMEDIATES = rb" !#-/"
_PARAMETERS = _INTERMEDIATES + rb"0-?"
_BODY = rb"[^\x07\x18\x1a\x1b\r\n]"
_ABORTED = rb"""(?=[{}"\r\n\x1b\x80-\xff])"""

# By state, what belongs to the sequence and changes nothing.
_passed = {
    ESCAPE: re.compile(rb"[%b]*+" % _CONTROLS).match,
    ESCAPE_INTERMEDIATE: re.compile(rb"[%b%b]*+" % (_CONTROLS, _INTERMEDIATES)).match,
    CSI: re.compile(rb"[%b%b]*+" % (_CONTROLS, _PARAMETERS)).match,
}
_string_body = re.compile(rb"%b*+" % _BODY).match

# By the same rules in one go: runs of NULs and of sequences that end in the text; or the ESC of one that does not.
_AFTER_ESCAPE = (
    rb"\[[%b%b]*+(?:[@-z|~\x18\x1a]|%b)" % (_CONTROLS, _PARAMETERS, _ABORTED),
    rb"[%b][%b%b]*+(?:[0-z|~\x18\x1a]|%b)" % (_INTERMEDIATES, _CONTROLS, _INTERMEDIATES, _ABORTED),
    rb"[\]PX^_]%b{0,%d}+(?:[\x07\x18\x1a]|(?=[\x1b\r\n])|%b)" % (_BODY, MAX_STRING_BYTES - 1, _BODY),
    rb"[0-OQ-WYZ\\`-z|~\x18\x1a]",
    _ABORTED,
)
_run = possessive.compile(rb"(?:\x00++|\x1b[%b]*+(?:%b))++|(\x1b)" % (_CONTROLS, b"|".join(_AFTER_ESCAPE))).match
_next_noise = re.compile(rb"[\x00\x1b]").search  # by itself, since it searches text ten times as fast


class TerminalFilter:
    r"""Removes terminal sequences from the chunks it is fed.

    >>> terminal = TerminalFilter()
    >>> terminal.feed(b'\x1b[3') + terminal.feed(b'1m{"a":1}\x1b]0;title\x07')
    b'{"a":1}'
    >>> terminal.offsets.at(0)
    5
    """

    __slots__ = ("_length", "_plain", "_state", "offsets")

    def __init__(self) -> None:
        self.offsets = OffsetMap()
        self._state = GROUND
        self._length = 0  # bytes read of the string at hand
        self._plain = 0  # bytes passed since the last removal

    @property
    def is_in_text(self) -> bool:
        """Whether the next byte belongs to no sequence that has begun."""
        return self._state == GROUND

    def let_through(self, size: int) -> None:
        """Take so many bytes of text for read, in which nothing is to be removed."""
        self._plain += size

    def feed(self, chunk: bytes) -> bytes:
        """Return the chunk without what belongs to terminal sequences."""
        if self._state == GROUND and b"\x1b" not in chunk and b"\x00" not in chunk:
            self._plain += len(chunk)
            return chunk
        pieces: list[bytes] = []
        index = self._read_on(chunk, 0)
        while (noise := _next_noise(chunk, index)) is not None:
            start = noise.start()
            if start > index:
                pieces.append(chunk[index:start])
                self._plain += start - index
            run = _run(chunk, start)
            assert run is not None  # it takes a NUL or ESC alone, too
            index = self._remove(start, run.end())
            if run.lastindex:  # the ESC of a sequence to which all of the rest belongs
                self._state = ESCAPE
                index = self._read_on(chunk, index)
                break
        if index < len(chunk):
            pieces.append(chunk[index:])
            self._plain += len(chunk) - index
        return b"".join(pieces)

    def _read_on(self, chunk: bytes, index: int) -> int:
        """Read on in the sequence at hand, and return the index after it."""
        while self._state != GROUND and index < len(chunk):
            index = self._string(chunk, index) if self._state == STRING else self._sequence(chunk, index)
        return index

    def _sequence(self, chunk: bytes, index: int) -> int:
        """Read on in a sequence that is no string and return the index after what belongs to it."""
        passed = _passed[self._state](chunk, index)
        end = passed.end() if passed else index
        if end < len(chunk):
            byte = chunk[end]
            goes_on = self._state == ESCAPE and byte not in _ABORTS and byte not in _CANCELS
            self._state = self._after_escape(byte) if goes_on else GROUND
            end += byte not in _ABORTS
        return self._remove(index, end)

    def _after_escape(self, byte: int) -> int:
        if byte == 0x5B:
            return CSI
        if byte in _STRING_OPENERS:
            self._length = 0
            return STRING
        return ESCAPE_INTERMEDIATE if byte < 0x30 else GROUND

    def _string(self, chunk: bytes, index: int) -> int:
        room = MAX_STRING_BYTES - self._length
        match = _string_body(chunk, index, min(len(chunk), index + room))
        end = match.end() if match else index
        self._length += end - index
        if self._length >= MAX_STRING_BYTES:
            self._state = GROUND
        elif end < len(chunk):
            self._state = GROUND
            end += chunk[end] not in b"\r\n\x1b"
        return self._remove(index, end)

    def _remove(self, begin: int, end: int) -> int:
        if end > begin:
            self.offsets.add(self._plain, self._plain + end - begin)
            self._plain = 0
        return end
