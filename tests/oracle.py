"""The rule of lastbrace, written to be obviously right: slow, whole text, no state. The tests hold the scanner to it.

`spans` is the rule in ten lines, read by Python's own json. `expected` is all of it: fragments, what is unfinished at
the end, depth, framing, and after which byte each event can be known. Both take text without terminal sequences.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

WS = b" \t\n\r"
ROOTS = {"object": b"{", "array": b"[", "any": b"{["}
MAX_DIGITS = 4300
WINDOW = 512
DIGITS = b"0123456789"
HEX = DIGITS + b"abcdefABCDEF"
ANY = bytes(range(256))
CLOSE = {0x7D: ("key or }", ", or }"), 0x5D: ("value or ]", ", or ]")}

_WS = rb"[ \t\n\r]"
_KEY = rb"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_MEMBER = re.compile(rb"(?:\A|[,{])" + _WS + rb"*" + _KEY + _WS + rb"*:(?:" + _WS + rb"|\[)*\Z", re.DOTALL)
_MEMBER_LATER = re.compile(rb"[,{]" + _WS + rb"*" + _KEY + _WS + rb"*:(?:" + _WS + rb"|\[)*\Z", re.DOTALL)
_CUT_KEY = re.compile(rb"""\A[^"'\n]*["']""" + _WS + rb"*:(?:" + _WS + rb"|\[)*\Z", re.DOTALL)


def spans(text: bytes, roots: str = "object") -> list[tuple[int, int]]:
    """Return the spans of the objects in `text`: the rule in ten lines."""
    decode = json.JSONDecoder().raw_decode
    characters = text.decode("latin-1")
    found, at = [], 0
    while at < len(text):
        if text[at] in ROOTS[roots]:
            try:
                end = decode(characters, at)[1]
            except ValueError:
                pass
            else:
                found.append((at, end))
                at = end
                continue
        at += 1
    return found


class Expected(NamedTuple):
    """An event: what it is, its span, its text; `known` after so many bytes (None: when the input is closed)."""

    kind: str
    start: int
    end: int
    raw: bytes
    fragment: bool
    known: int | None


class Reading(NamedTuple):
    """What came of reading one object: its end, or where it died, or neither; and its opening brackets."""

    end: int | None
    dead: int | None
    structure: list[int]
    still_open: list[int]


class _DeadError(Exception):
    pass


class _EndOfTextError(Exception):
    pass


class Limits(NamedTuple):
    """What a candidate may be."""

    strict: bool = False
    max_depth: int = 200
    max_object_bytes: int | None = None
    buffer_limit: int | None = None


def expected(text: bytes, *, roots: str = "object", framing: str = "free", **limits: Any) -> list[Expected]:
    """Return every event that `text` holds, in order, the ones of its end included; `limits` as `Limits` has them."""
    if framing == "free":
        return _read_input(text, roots, Limits(**limits))
    events, base = [], 0
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        for event in _read_input(line, roots, Limits(**limits)):
            known = len(line) + 1 if event.known is None and not last else event.known
            events.append(
                event._replace(
                    start=base + event.start, end=base + event.end, known=None if known is None else base + known
                )
            )
        base += len(line) + 1
    return events


def _read_input(text: bytes, roots: str, limits: Limits) -> list[Expected]:
    events: list[Expected] = []
    structure: set[int] = set()  # brackets that a candidate read as structure before it died
    dead: set[int] = set()  # containers that were open in a candidate when it died
    previous: Expected | None = None  # the object found last
    unfinished = False
    seen = 0  # how far any candidate has read
    at = 0
    while at < len(text):
        if text[at] not in ROOTS[roots] or at in dead:
            at += 1
            continue
        reading = read(text, at, limits.strict, limits.max_depth)
        stop = next((stop for stop in (reading.end, reading.dead) if stop is not None), len(text))
        if limits.max_object_bytes is not None and stop - at > limits.max_object_bytes:
            if reading.end is None:
                structure.update(reading.structure)
            seen = max(seen, stop if reading.dead is None else stop + 1)
            over = reading.end is None and reading.dead is None
            events.append(Expected("dropped", at, stop, b"", False, None if over or unfinished else seen))
            at = stop
            continue
        large = limits.buffer_limit is not None and stop - at > limits.buffer_limit
        if large and reading.end is None:
            structure.update(reading.structure)
            kind, known = "unfinished", None
            if reading.dead is not None:
                seen = max(seen, stop + 1)
                kind, known = "dropped", None if unfinished else seen
            events.append(Expected(kind, at, stop, b"", False, known))
            at = stop
            continue
        if reading.end is not None:
            seen = max(seen, reading.end)
            fragment = not _column_0(text, at) and (
                unfinished or at in structure or headless(text, at) or follows(text, previous, at)
            )
            known = None if unfinished else seen
            kind, raw = ("large", b"") if large else ("found", text[at : reading.end])
            previous = Expected(kind, at, reading.end, raw, fragment, known)
            events.append(previous)
            at = reading.end
            continue
        structure.update(reading.structure)
        dead.update(reading.still_open)
        if reading.dead is not None:
            seen = max(seen, reading.dead + 1)
        elif not unfinished:
            unfinished = True
            events.append(Expected("unfinished", at, len(text), b"", False, None))
        at += 1
    return events


def _column_0(text: bytes, at: int) -> bool:
    return at == 0 or text[at - 1] == 0x0A


def headless(text: bytes, at: int) -> bool:
    """Whether a member's name stands right before `at`, so that what begins there is a piece of a record."""
    before = text[max(0, at - WINDOW) : at]
    if at <= WINDOW:
        return bool(_MEMBER.search(before) or _CUT_KEY.search(before))
    return bool(_MEMBER_LATER.search(before))


def follows(text: bytes, previous: Expected | None, at: int) -> bool:
    """Whether nothing but one comma stands between the object found before, a fragment, and `at`."""
    if previous is None or not previous.fragment:
        return False
    between = text[previous.end : at]
    return len(between) <= WINDOW and between.strip(WS) == b","


def read(text: bytes, start: int, strict: bool = False, max_depth: int = 200) -> Reading:
    """Read one object from its opening bracket at `start`."""
    return _Reader(text, start, strict, max_depth).read()


class _Reader:
    """Reads one object byte by byte, as RFC 8259 has it: section 2 to 7, in the order of the methods."""

    def __init__(self, text: bytes, at: int, strict: bool, max_depth: int) -> None:
        self.text = text
        self.at = at
        self.strict = strict
        self.max_depth = max_depth
        self.structure: list[int] = []
        self.open: list[int] = []

    def read(self) -> Reading:
        try:
            self.read_container()
        except _DeadError:
            return Reading(None, self.at, self.structure, self.open)
        except _EndOfTextError:
            return Reading(None, None, self.structure, self.open)
        return Reading(self.at, None, self.structure, [])

    def byte(self) -> int:
        if self.at >= len(self.text):
            raise _EndOfTextError
        return self.text[self.at]

    def sees(self, wanted: bytes) -> bool:
        return self.byte() in wanted

    def take(self, wanted: bytes) -> int:
        byte = self.byte()
        if byte not in wanted:
            raise _DeadError
        self.at += 1
        return byte

    def read_container(self) -> None:
        self.open_bracket()
        want = self.want_first()
        while self.open:
            while self.sees(WS):
                self.at += 1
            if self.sees(b"}]") and want in CLOSE[self.byte()]:
                self.at += 1
                self.open.pop()
                want = ", or }" if self.in_object() else ", or ]"
            elif want in {"value", "value or ]"}:
                if self.sees(b"{["):
                    self.open_bracket()
                    want = self.want_first()
                else:
                    self.read_scalar()
                    want = ", or }" if self.in_object() else ", or ]"
            elif want in {"key", "key or }"}:
                self.read_string()
                want = ":"
            elif want == ":":
                self.take(b":")
                want = "value"
            else:
                self.take(b",")
                want = "key" if want == ", or }" else "value"

    def open_bracket(self) -> None:
        self.structure.append(self.at)
        if len(self.open) == self.max_depth:
            raise _DeadError
        self.open.append(self.at)
        self.at += 1

    def in_object(self) -> bool:
        return bool(self.open) and self.text[self.open[-1]] in b"{"

    def want_first(self) -> str:
        return "key or }" if self.in_object() else "value or ]"

    def read_scalar(self) -> None:
        byte = self.byte()
        words = {b"t": b"true", b"f": b"false", b"n": b"null"}
        if not self.strict:
            words |= {b"N": b"NaN", b"I": b"Infinity"}
        if byte in b'"':
            self.read_string()
        elif byte in b"-" + DIGITS:
            self.read_number()
        elif bytes([byte]) in words:
            for letter in words[bytes([byte])]:
                self.take(bytes([letter]))
        else:
            raise _DeadError

    def read_number(self) -> None:
        if self.sees(b"-"):
            self.at += 1
            if self.sees(b"I") and not self.strict:
                return self.read_scalar()
        first = self.at
        if self.sees(b"0"):
            self.at += 1
        else:
            self.read_digits()
        digits = self.at - first
        is_integer = not self.sees(b".eE")
        if self.sees(b"."):
            self.at += 1
            self.read_digits()
        if self.sees(b"eE"):
            self.at += 1
            if self.sees(b"+-"):
                self.at += 1
            self.read_digits()
        self.byte()  # only another byte shows that a number has ended
        if is_integer and digits > MAX_DIGITS:
            raise _DeadError
        return None

    def read_digits(self) -> None:
        self.take(DIGITS)
        while self.sees(DIGITS):
            self.at += 1

    def read_string(self) -> None:
        self.take(b'"')
        while not self.sees(b'"'):
            if self.byte() < 0x20:
                raise _DeadError
            if self.take(ANY) in b"\\" and self.take(b'"\\/bfnrtu') in b"u":
                for _ in range(4):
                    self.take(HEX)
        self.at += 1
