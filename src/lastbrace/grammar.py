"""The JSON grammar as data: states, byte classes, and what each state does with each byte.

The states are those of an RFC 8259 text that begins with a bracket, read a byte at a time. ``table()`` gives a row of
256 codes for each state: a code below ``ACTION`` is the next state, the others are named below. ``skips()`` gives
patterns that run over whole members, elements and string bodies at once. They accept exactly what the table accepts,
and stop wherever a chunk could have cut a token, so that leaving them out changes nothing but the speed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import NamedTuple

from . import possessive

# States, named for what was read last or what must come next.
(
    OBJECT,  # after "{": a key or "}"
    KEY,  # after "," in an object: a key
    COLON,  # after a key
    VALUE,  # after ":", or "," in an array
    ARRAY,  # after "[": a value or "]"
    MEMBER_END,  # after a value in an object: "," or "}"
    ELEMENT_END,  # after a value in an array: "," or "]"
    KEY_STRING, KEY_ESCAPE, KEY_U1, KEY_U2, KEY_U3, KEY_U4,
    STRING, ESCAPE, U1, U2, U3, U4,
    MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS,
    T, TR, TRU, F, FA, FAL, FALS, N, NU, NUL, CAPITAL_N, NA,
    I_, IN, INF, INFI, INFIN, INFINI, INFINIT,
) = range(46)  # fmt: skip
STATES = 46

# Codes that are no state.
ACTION = 100
OPEN_OBJECT = 100  # "{" where a value may stand
OPEN_ARRAY = 101  # "[" where a value may stand
CLOSE = 102  # the bracket that closes the innermost container
END_VALUE = 103  # the last byte of a string value or word
END_NUMBER = 104  # a byte after a number: the number ends before it, and it is read again as what follows a value
BEGIN_INTEGER = 105  # a digit from 1 to 9 that begins the digits of a number
READ_COLON = 106
END_LINE = 107  # framing="lines": the line ends, and with it the input of this object
ILLEGAL = 108

MAX_INTEGER_DIGITS = 4300  # Python's own limit: sys.int_info.default_max_str_digits

WHITE_SPACE = b" \t\n\r"
_DIGITS = b"0123456789"
_NUMBER_ENDS = WHITE_SPACE + b",]}"

REASONS = {
    OBJECT: "not a key", KEY: "not a key", COLON: "not a colon", VALUE: "not a value", ARRAY: "not a value",
    MEMBER_END: "not a comma or closing brace", ELEMENT_END: "not a comma or closing bracket",
    KEY_STRING: "a control character in a string", STRING: "a control character in a string",
}  # fmt: skip
REASONS |= dict.fromkeys((KEY_ESCAPE, KEY_U1, KEY_U2, KEY_U3, KEY_U4, ESCAPE, U1, U2, U3, U4), "not an escape")
REASONS |= dict.fromkeys(range(MINUS, T), "not a number")
REASONS |= dict.fromkeys(range(T, STATES), "not a value")
TOO_DEEP = "deeper than max_depth"
TOO_LONG = "an integer of more than 4300 digits"


@functools.cache
def table(*, strict: bool, lines: bool) -> tuple[bytes, ...]:
    """Return the machine: for each state a row that maps a byte to the next state or an action."""
    rows = [bytearray([ILLEGAL]) * 256 for _ in range(STATES)]

    def on(state: int, chars: bytes, code: int) -> None:
        for char in chars:
            rows[state][char] = code

    _structure(on)
    _strings(on)
    _numbers(on, strict=strict)
    _words(on, strict=strict)
    if lines:
        for state in range(STATES):
            on(state, b"\n", END_LINE)
    return tuple(bytes(row) for row in rows)


_On = Callable[[int, bytes, int], None]  # state, bytes, code


def _structure(on: _On) -> None:
    for state in (OBJECT, KEY, COLON, VALUE, ARRAY, MEMBER_END, ELEMENT_END):
        on(state, WHITE_SPACE, state)
    on(OBJECT, b'"', KEY_STRING)
    on(OBJECT, b"}", CLOSE)
    on(KEY, b'"', KEY_STRING)
    on(COLON, b":", READ_COLON)
    on(MEMBER_END, b",", KEY)
    on(MEMBER_END, b"}", CLOSE)
    on(ELEMENT_END, b",", VALUE)
    on(ELEMENT_END, b"]", CLOSE)
    on(ARRAY, b"]", CLOSE)
    for state in (VALUE, ARRAY):
        on(state, b"{", OPEN_OBJECT)
        on(state, b"[", OPEN_ARRAY)


def _strings(on: _On) -> None:
    for state in (VALUE, ARRAY):
        on(state, b'"', STRING)
    for body, escape, first, end in ((KEY_STRING, KEY_ESCAPE, KEY_U1, COLON), (STRING, ESCAPE, U1, END_VALUE)):
        on(body, bytes(range(0x20, 0x100)), body)
        on(body, b'"', end)
        on(body, b"\\", escape)
        on(escape, b'"\\/bfnrt', body)
        on(escape, b"u", first)
        for digit in range(4):
            on(first + digit, b"0123456789abcdefABCDEF", body if digit == 3 else first + digit + 1)


def _numbers(on: _On, *, strict: bool) -> None:
    for state in (VALUE, ARRAY, MINUS):
        on(state, b"0", ZERO)
        on(state, b"123456789", BEGIN_INTEGER)
        if not strict:
            on(state, b"I", I_)
    for state in (VALUE, ARRAY):
        on(state, b"-", MINUS)
    for state in (ZERO, FRACTION, EXPONENT_DIGITS):
        on(state, _NUMBER_ENDS, END_NUMBER)
    # An integer that is too long dies at whatever byte shows that it has ended, legal there or not.
    on(INTEGER, bytes(range(256)), END_NUMBER)
    digits = {INTEGER: INTEGER, POINT: FRACTION, FRACTION: FRACTION, EXPONENT: EXPONENT_DIGITS}
    for state, after in (digits | {EXPONENT_SIGN: EXPONENT_DIGITS, EXPONENT_DIGITS: EXPONENT_DIGITS}).items():
        on(state, _DIGITS, after)
    for state in (ZERO, INTEGER):
        on(state, b".", POINT)
    for state in (ZERO, INTEGER, FRACTION):
        on(state, b"eE", EXPONENT)
    on(EXPONENT, b"+-", EXPONENT_SIGN)


def _words(on: _On, *, strict: bool) -> None:
    words = {b"true": (T, TR, TRU), b"false": (F, FA, FAL, FALS), b"null": (N, NU, NUL)}
    if not strict:
        words |= {b"NaN": (CAPITAL_N, NA), b"Infinity": (I_, IN, INF, INFI, INFIN, INFINI, INFINIT)}
    for word, states in words.items():
        for state in (VALUE, ARRAY):
            on(state, word[:1], states[0])
        for index, state in enumerate(states):
            on(state, word[index + 1 : index + 2], states[index + 1] if index + 1 < len(states) else END_VALUE)


class Skips(NamedTuple):
    """For each state a pattern that always matches, and what the byte before its end means, by its last group.

    That is a code as in the table; 0, as after a match without groups, says that the table has to read the next byte.
    """

    matches: tuple[Callable[..., re.Match[bytes]], ...]
    codes: tuple[tuple[int, ...], ...]


@functools.cache
def skips(*, lines: bool) -> Skips:
    """Return for each state the pattern that skips what the table would accept.

    Each runs over members or elements that are no containers, up to the bracket that opens or closes one, that bracket
    included. It is possessive throughout, so that no byte is tried twice, save the key of a member that the chunk cuts.
    What is rare is left to the table: escapes in keys, white space before a colon.
    """
    space = r"[ \t\r]*+" if lines else r"[ \t\n\r]*+"
    plain = r"[ !#-\[\]-\xff]*+"  # all but quote, backslash and controls; sre is twice as fast without a negation
    body = rf'{plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){plain}' + ")*+"
    # The look-ahead keeps a number that the chunk cuts from being taken for a whole one.
    number = r"-?+(?:0|[1-9][0-9]{0,99}+)(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+(?=[ \t\n\r,\]}])"
    scalar = f'(?:"{body}"|{number}|true|false|null){space}'
    key = f'"{plain}":{space}'
    # The look-ahead makes a bracket that opens a container, or a value for the table to read, the last thing read.
    last = r"(?![,\]}])"
    bracket = rf"(\{{){last}|(\[){last}"
    value = f"(?:{scalar}|{bracket}|(){last})"
    members = f"(?:,{space}{key}{value})*+(}})?+"
    elements = f"(?:,{space}{value})*+(])?+"
    opened = (OPEN_OBJECT, OPEN_ARRAY)
    rows: dict[int, tuple[str, tuple[int, ...]]] = {
        OBJECT: (
            f"{space}(?:{key}(?:{scalar}()|{bracket}|(){last}){members})?+",
            (MEMBER_END, *opened, VALUE, *opened, VALUE, CLOSE),
        ),
        MEMBER_END: (f"{space}{members}", (*opened, VALUE, CLOSE)),
        ARRAY: (f"{space}(?:(?:{scalar}()|{bracket}){elements})?+", (ELEMENT_END, *opened, *opened, VALUE, CLOSE)),
        ELEMENT_END: (f"{space}{elements}", (*opened, VALUE, CLOSE)),
    }
    rows |= dict.fromkeys((KEY_STRING, STRING), (body, ()))
    rows |= dict.fromkeys((KEY, COLON, VALUE), (space, ()))
    rows |= dict.fromkeys((INTEGER, FRACTION, EXPONENT_DIGITS), ("[0-9]*+", ()))
    patterns, codes = zip(*(rows.get(state, ("", ())) for state in range(STATES)), strict=True)
    matches = tuple(possessive.compile(pattern.encode()).match for pattern in patterns)
    return Skips(matches, tuple((0, *each) for each in codes))  # type: ignore[arg-type]  # never None: all can be empty


@functools.cache
def candidate(openers: bytes, *, lines: bool, max_bytes: int | None) -> re.Pattern[bytes]:
    """Return the pattern that finds the next of ``openers`` that does not die before its first key or value.

    What cannot be told yet counts as a hit: a chunk that ends too early, and more white space than ``max_bytes`` leave
    room for; in ``lines``, the end of the line too.
    """
    blank = r" \t\r" if lines else r" \t\n\r"
    most = "*" if max_bytes is None or max_bytes > 1 << 31 else f"{{0,{max_bytes - 1}}}"
    end = r"\n" if lines else ""
    space = f"[{blank}]{most}+"
    after = {
        b"{": rf'\{{{space}(?:["}}{blank}{end}]|\Z)',
        b"[": rf'\[{space}(?:["{{\[\]\-0-9tfnNI{blank}{end}]|\Z)',
    }
    return possessive.compile("|".join(after[bytes([opener])] for opener in openers).encode())
