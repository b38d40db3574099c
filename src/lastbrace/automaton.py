"""The scanner's automaton in Python: cleaned bytes in, spans of objects out.

Rules

1. At each opening bracket outside an object a candidate begins. It ends at its closing bracket and is an object, or it
   dies at its first illegal byte and reading goes on just after its opening bracket.
2. Every container that was open in a candidate when it died dies at the same byte, so it is not tried again. Objects
   that were closed inside it are found again by reading on, and so is one that begins inside one of its strings. Two
   candidates alive over one byte have opposite string state, so no byte is read more than three times.
3. An object is a fragment when its bracket was read as structure by an earlier candidate that died, when it lies inside
   one that was still open at the end of the input, when it stands where the value of a member stands whose record is
   not there (``headless``), or when it follows a fragment after one comma; but never in column 0.
4. A candidate of more than ``max_object_bytes`` is followed without being stored; reading goes on where it ends. So it
   does after one of more than ``pieces_above`` bytes, which is given away in pieces as it comes, and not kept.
5. With ``framing="lines"`` each line is an input of its own.

What is kept of an open candidate is its bytes, its state (``grammar``), the positions of its open containers, and a
byte or so for each bracket that was read as structure in it (``dead``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import grammar
from .dead import DeadRegion, DeadRegions, Marks
from .spans import DROPPED, EXCERPT, EXCERPT_AFTER, FOUND, LARGE, PIECE, UNFINISHED, VOID, Death, Member, Reports
from .surroundings import Surroundings

# isort: off
from .grammar import ACTION, BEGIN_INTEGER, CLOSE, END_LINE, END_NUMBER, END_VALUE, INTEGER, MAX_INTEGER_DIGITS, OBJECT
from .grammar import OPEN_ARRAY, READ_COLON, REASONS, TOO_DEEP, TOO_LONG, VALUE
# isort: on

# By the kind of the innermost container, 0 an object and 1 an array: the state inside it, and after a value in it.
_INSIDE = (grammar.OBJECT, grammar.ARRAY)
_AFTER_VALUE = (grammar.MEMBER_END, grammar.ELEMENT_END)


class Automaton(Reports):
    """Reads cleaned bytes chunk by chunk and reports spans, each as soon as it is certain.

    ``feed`` and ``close`` return finished lists of spans in order. With ``text``, what is no object is reported too.
    With ``newest``, of the objects that became certain at once only the newest is reported, fragments and empty ones
    left out, and beside it those that may have the member ``key``, if there is one to ask for. With ``stops``, ``feed``
    reads no further than to an ESC or NUL. With ``make`` and a ``shift``, objects are reported as what it makes.
    """

    def __init__(
        self,
        *,
        roots: str,
        framing: str,
        strict: bool,
        max_object_bytes: int | None,
        max_depth: int,
        text: bool = False,
        pieces_above: int | None = None,
        newest: bool = False,
        key: bytes | None = None,
        members: tuple[bytes, ...] = (),
        stops: bool = False,
        make: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(newest=newest, key=key, stops=stops, make=make)
        lines = framing == "lines"
        openers = {"object": b"{", "array": b"[", "any": b"{["}[roots]
        self._openers = openers
        self._root_codes = [grammar.OPEN_OBJECT if opener == 0x7B else grammar.OPEN_ARRAY for opener in openers]
        self._table = grammar.table(strict=strict, lines=lines)
        self._skips = grammar.skips(lines=lines)
        limits = [limit for limit in (max_object_bytes, pieces_above) if limit is not None]
        self._next_candidate = grammar.candidate(openers, lines=lines, max_bytes=min(limits, default=None)).search
        self._next_opener = re.compile(b"[" + re.escape(openers) + b"]").search
        self._max_bytes = float("inf") if max_object_bytes is None else max_object_bytes
        self._pieces_above = float("inf") if pieces_above is None else pieces_above
        self._max_kept = min(self._max_bytes, self._pieces_above)
        self._max_depth = max_depth
        self._around = Surroundings(lines=lines, text=text)
        # The text at hand: ``_held`` is what is kept between chunks, ``_base`` the position of its first byte.
        self._held = bytearray()
        self._base = 0

        # The candidate, while ``_start`` is not None.
        self._start: int | None = None
        self._state = 0
        self._colon = False  # it has read a key and its colon
        self._structural = False  # its bracket was read as structure by a dead one
        self._integer = 0  # where the digits of the integer being read begin
        self._containers: list[int] = []  # its open containers: twice the position of each, and 1 more for an array
        self._marks = Marks()  # the brackets read as structure in it, of the kinds that may begin an object

        self._given = -1  # up to where it was given away in pieces
        self._standing: tuple[bool, str | None] = (False, None)  # then: whether it is a fragment, and its fence

        self._dead = DeadRegions()

    def members_of(self, raw: bytes) -> tuple[Member, ...] | None:
        """Return the members asked for of the newest object: None here, where noting them would cost what it saves."""

    @property
    def open(self) -> tuple[int, int] | None:
        """Where the candidate being read begins, and how many bytes of it have been read."""
        return None if self._start is None else (self._start, self.end - self._start)

    @property
    def end(self) -> int:
        """How much text was read."""
        return self._base + len(self._held)

    def open_bytes(self, since: int) -> bytes:
        """Return what was read of the open candidate from its offset ``since``; nothing where it is not stored."""
        if since < 0:
            raise ValueError("an offset is not negative")
        if self._start is None or self._start < self._base:
            return b""
        return bytes(memoryview(self._held)[self._start - self._base + since :])

    @property
    def kept_from(self) -> int:
        """Where the text begins that is still kept."""
        return self._base

    def feed(self, chunk: bytes) -> list[Any]:
        """Read the next chunk and return the spans that became certain."""
        data: bytes | bytearray = self._until_noise(chunk)
        index = len(self._held)
        if index:
            self._held += data
            data = self._held
        self._run(data, index)
        self._let_go(data)
        return self._take_spans()

    def close(self) -> list[Any]:
        """End the input and return what follows from that."""
        data = self._held
        while self._start is not None:
            self._run(data, self._end(data, len(data)))
        self._let_go(data)
        return self._take_spans()

    def _run(self, data: bytes | bytearray, index: int) -> None:
        size = len(data)
        while index < size:
            index = self._seek(data, index) if self._start is None else self._read(data, index)

    def _seek(self, data: bytes | bytearray, index: int) -> int:
        """Go on to the next candidate and return the index after its bracket, or the end of the data."""
        if self._dead:
            at, structural = self._dead.seek(self._next_opener, data, index, self._base)
            if structural is None:
                return at
            self._begin(data, at, structural=structural)
            return at + 1
        match = self._next_candidate(data, index)
        at = len(data) if match is None else match.start()
        if at > index + 1 or (at > index and data[index] in self._openers):
            self._count_deaths_of(self._openers, data, index, at)
        if match is None:
            return at
        self._begin(data, at, structural=False)
        return at + 1

    def _begin(self, data: bytes | bytearray, index: int, *, structural: bool) -> None:
        self._start = start = self._base + index
        is_array = data[index] == 0x5B
        self._state = _INSIDE[is_array]
        self._colon = False
        self._structural = structural
        self._containers = [start * 2 + is_array]
        self._marks.restart(start)

    def _read(self, data: bytes | bytearray, index: int) -> int:
        """Read on in the candidate until it ends, dies, or the data is used up; return the index to go on at."""
        size, base = len(data), self._base
        table, (matches, codes), containers, marks = self._table, self._skips, self._containers, self._marks.new
        root_codes, max_depth = self._root_codes, self._max_depth
        state = self._state
        while index < size:
            match = matches[state](data, index)
            index = match.end()
            code = codes[state][match.lastindex or 0]
            if not code:
                if index == size:
                    break
                code = table[state][data[index]]
                index += 1
            elif state == OBJECT:
                self._colon = True
            # Whichever it was that read it, the byte before ``index`` is the one that the code is about.
            if code < ACTION:
                state = code
            elif code == CLOSE:
                containers.pop()
                if not containers:
                    return self._found(data, index)
                state = _AFTER_VALUE[containers[-1] & 1]
            elif code <= OPEN_ARRAY:
                if len(containers) >= max_depth:
                    return self._die(data, index - 1, TOO_DEEP)
                is_array = code == OPEN_ARRAY
                position = base + index - 1
                containers.append(position * 2 + is_array)
                if code in root_codes:
                    marks.append(position)
                    if len(marks) > Marks.PACK_ABOVE:
                        self._marks.pack()
                state = _INSIDE[is_array]
            elif code == END_VALUE:
                state = _AFTER_VALUE[containers[-1] & 1]
            elif code == READ_COLON:
                self._colon = True
                state = VALUE
            elif code == END_NUMBER:
                index -= 1
                if state == INTEGER and base + index - self._integer > MAX_INTEGER_DIGITS:
                    return self._die(data, index, TOO_LONG)
                state = _AFTER_VALUE[containers[-1] & 1]
            elif code == BEGIN_INTEGER:
                self._integer = base + index - 1
                state = INTEGER
            elif code == END_LINE:
                return self._end(data, index - 1)
            else:
                return self._die(data, index - 1, REASONS[state])
        self._state = state
        return size

    def _found(self, data: bytes | bytearray, index: int) -> int:
        """Report the candidate that closed just before ``index``."""
        assert self._start is not None
        start, end = self._start, self._base + index
        if end - start > self._max_bytes:
            return self._drop(data, index)
        if end - start > self._pieces_above:
            self._give(data, index)
            kind, raw, (fragment, fence) = LARGE, b"", self._standing
        else:
            at = start - self._base
            if self._around.told < start:
                self._around.tell(data, at, self._base, self._spans)
            kind, (fragment, fence) = FOUND, self._around.around(data, at, self._base, self._structural)
            raw = data[at:index] if type(data) is bytes else bytes(memoryview(data)[at:index])
        self._spans.append((kind, start, end, raw, fragment, fence))
        if fragment:
            self.fragments += 1
        else:
            self.objects += 1
        self._around.pass_object(end, fragment)
        self._start = None
        return index

    def _give(self, data: bytes | bytearray, index: int) -> None:
        """Report as a piece what of the candidate was not given yet, up to ``index``."""
        assert self._start is not None
        if self._given <= self._start:
            at = self._start - self._base
            self._around.tell(data, at, self._base, self._spans)
            self._standing = self._around.around(data, at, self._base, self._structural)
            self._given = self._start
        position = self._base + index
        if self._given < position:
            piece = bytes(data[self._given - self._base : index])
            self._spans.append((PIECE, self._given, position, piece, False, None))
            self._given = position

    def _die(self, data: bytes | bytearray, index: int, reason: str) -> int:
        """Give up the candidate at its illegal byte, and return where to read on."""
        assert self._start is not None
        start, position = self._start, self._base + index
        self._count_deaths(reason)
        if self._colon:
            before = self._around.before(data, index)[-min(EXCERPT, position - start) :]
            excerpt = before + data[index : index + EXCERPT_AFTER]
            self.last_death = Death(start, position, bytes(data[index : index + 1]), reason, excerpt)
        end = position
        if reason is grammar.TOO_DEEP and data[index] in self._openers:
            self._marks.new.append(position)
            end += 1
        if position - start > self._max_kept:
            if end > position:
                self._dead.add(DeadRegion(end, [], self._marks))
            return self._drop(data, index)
        return self._go_back(index, DeadRegion(end, self._containers, self._marks))

    def _end(self, data: bytes | bytearray, index: int) -> int:
        """End the candidate with its input, and return where to read on."""
        assert self._start is not None
        start, position = self._start, self._base + index
        if position - start > self._max_bytes:
            return self._drop(data, index)
        if position - start > self._pieces_above:
            self._give(data, index)
            self._spans.append((UNFINISHED, start, position, b"", False, None))
            self._around.pass_object(position)
            self._start = None
            return index
        if not self._dead.is_unfinished(start):
            self._around.tell(data, start - self._base, self._base, self._spans)
            self._spans.append((UNFINISHED, start, position, b"", False, None))
        return self._go_back(index, DeadRegion(position, self._containers, self._marks, whole=True))

    def _go_back(self, index: int, region: DeadRegion) -> int:
        """Forget the candidate and return the index just after its bracket."""
        assert self._start is not None
        at = self._start - self._base
        if region.end > self._start + 1:
            self._dead.add(region)
        self.reread += index - at - 1
        self._start = None
        return at + 1

    def _drop(self, data: bytes | bytearray, index: int) -> int:
        """Report that the candidate, which ends or died at ``index``, was too large to keep."""
        assert self._start is not None
        start, end = self._start, self._base + index
        if start >= self._base:
            self._around.tell(data, start - self._base, self._base, self._spans)
        self._spans.append((DROPPED if end - start > self._max_bytes else VOID, start, end, b"", False, None))
        self._around.pass_object(end)
        self._start = None
        return index

    def _let_go(self, data: bytes | bytearray) -> None:
        """Keep of the data what the open candidate needs, and no more."""
        size = keep = len(data)
        if self._start is None:
            self._around.tell(data, size, self._base, self._spans)
        else:
            at = self._start - self._base
            if self._around.told < self._start:
                self._around.tell(data, at, self._base, self._spans)
            if size - at <= self._max_kept:
                keep = at
            else:
                if size - at <= self._max_bytes:
                    self._give(data, size)
                self._marks.restart(self._base + size)
        if keep:
            self._around.keep(data, keep)
            self._base += keep
        if data is self._held:
            if keep:
                del self._held[:keep]
        elif keep < size:
            self._held = bytearray(memoryview(data)[keep:])
