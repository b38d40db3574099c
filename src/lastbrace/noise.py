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

from .offsets import OffsetMap

GROUND, ESCAPE, ESCAPE_INTERMEDIATE, CSI, STRING = range(5)

MAX_STRING_BYTES = 4096  # a window title or link is shorter; an unclosed one must not hide the answer for long

_ESC = 0x1B
_next_noise = re.compile(rb"[\x00\x1b]").search
_nuls = re.compile(rb"\x00*+").match
# In every sequence: ESC begins another one, CAN and SUB end it, other controls and DEL change nothing.
_ABORTS = frozenset(b'{}"\r\n') | frozenset(range(0x80, 0x100))
_CANCELS = frozenset(b"\x18\x1a")
_STRING_OPENERS = frozenset(b"]PX^_")
_csi_rest = re.compile(rb"[0-?]*+[ !#-/]*+[@-z|~]").match
_string_body = re.compile(rb"[^\x07\x18\x1a\x1b\r\n]*+").match


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
        index = 0
        while index < len(chunk):
            if self._state == GROUND:
                match = _next_noise(chunk, index)
                end = len(chunk) if match is None else match.start()
                if end > index:
                    pieces.append(chunk[index:end])
                    self._plain += end - index
                    index = end
                    continue
                index = self._begin(chunk, index)
            else:
                index = self._sequence(chunk, index)
        return b"".join(pieces)

    def _begin(self, chunk: bytes, index: int) -> int:
        """Remove a run of NUL bytes or the ESC that begins a sequence."""
        if chunk[index] == _ESC:
            self._state = ESCAPE
            return self._remove(index, index + 1)
        match = _nuls(chunk, index)
        return self._remove(index, match.end() if match else index)

    def _sequence(self, chunk: bytes, index: int) -> int:
        """Read on in a sequence and return the index after what belongs to it."""
        if self._state == STRING:
            return self._string(chunk, index)
        if self._state == CSI:
            match = _csi_rest(chunk, index)
            if match is not None:
                self._state = GROUND
                return self._remove(index, match.end())
        byte = chunk[index]
        if byte in _ABORTS:
            self._state = GROUND
            return index
        if byte in _CANCELS:
            self._state = GROUND
        elif byte == _ESC:
            self._state = ESCAPE
        elif self._state == ESCAPE and byte >= 0x20:
            self._state = self._after_escape(byte)
        elif byte >= (0x40 if self._state == CSI else 0x30) and byte != 0x7F:
            self._state = GROUND
        return self._remove(index, index + 1)

    def _after_escape(self, byte: int) -> int:
        if byte == 0x5B:
            return CSI
        if byte in _STRING_OPENERS:
            self._length = 0
            return STRING
        if byte == 0x7F:
            return ESCAPE
        return ESCAPE_INTERMEDIATE if byte < 0x30 else GROUND

    def _string(self, chunk: bytes, index: int) -> int:
        room = MAX_STRING_BYTES - self._length
        match = _string_body(chunk, index, min(len(chunk), index + room))
        end = match.end() if match else index
        self._length += end - index
        if self._length >= MAX_STRING_BYTES:
            self._state = GROUND
        elif end < len(chunk):
            byte = chunk[end]
            self._state = ESCAPE if byte == _ESC else GROUND
            if byte not in b"\r\n":
                end += 1
        return self._remove(index, end)

    def _remove(self, begin: int, end: int) -> int:
        if end > begin:
            self.offsets.add(self._plain, self._plain + end - begin)
            self._plain = 0
        return end
