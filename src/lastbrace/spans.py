"""What the automaton reports: stretches of the cleaned text, and how the last candidate died."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from .grammar import ARRAY, OBJECT, REASONS

FOUND, DROPPED, UNFINISHED, TEXT, PIECE, LARGE, VOID = range(7)

# One report: its kind, where it begins and ends in the cleaned text, its text (of what was found, of TEXT and PIECE),
# and for what was found whether it is a fragment, and the info word of the fence it stands in.
# Of a candidate above ``pieces_above`` come its bytes, in PIECEs, and LARGE in place of FOUND when it closes, VOID when
# it dies.
Span = tuple[int, int, int, bytes, bool, str | None]


# A member that was noted while its object was read: its text, False for another value, None where there is none.
Member = str | Literal[False] | None


_is_empty = re.compile(rb"[{\[][ \t\n\r]*+[}\]]").fullmatch


def is_empty(raw: bytes) -> bool:
    """Tell whether an object has nothing in it."""
    return _is_empty(raw) is not None


EXCERPT = 40  # bytes shown before a fatal byte
EXCERPT_AFTER = 20  # bytes shown from the fatal byte on


class Death(NamedTuple):
    """Where the last candidate died that had read a key and its colon, in positions of the cleaned text.

    ``excerpt`` is the text around: what of it lies in chunks to come is not in it.
    """

    start: int
    position: int
    byte: bytes
    reason: str
    excerpt: bytes


class Reports:
    """What an automaton has to tell: spans until they are taken, counts, and how the last candidate died."""

    def __init__(self, *, newest: bool, key: bytes | None, stops: bool, make: Callable[..., Any] | None) -> None:
        self._newest = newest
        self._quoted_key = None if key is None else b'"' + key + b'"'
        self._stops = stops
        self._make = make
        self._spans: list[Span] = []
        self.shift: int | None = None  # with a number, objects are made, their positions moved by it
        self.last: Any = None  # the newest that was made, no fragment and not empty
        self.stopped = -1  # where in the last chunk an ESC or NUL stood
        self.notes = False  # the last feed has more to tell than objects that were made
        self.deaths: dict[str, int] = {}
        self.last_death: Death | None = None
        self.reread = 0
        self.objects = 0
        self.fragments = 0

    def _until_noise(self, chunk: bytes) -> bytes:
        self.stopped = -1
        if not self._stops or (b"\x1b" not in chunk and b"\x00" not in chunk):
            return chunk
        self.stopped = min(at for at in (chunk.find(b"\x1b"), chunk.find(b"\x00")) if at >= 0)
        return chunk[: self.stopped]

    def _count_deaths(self, reason: str, count: int = 1) -> None:
        self.deaths[reason] = self.deaths.get(reason, 0) + count

    def _count_deaths_of(self, openers: bytes, data: bytes | bytearray, begin: int, end: int) -> None:
        """Count brackets that died before their first key or value."""
        for opener in openers:
            count = data.count(opener, begin, end)
            if count:
                self._count_deaths(REASONS[OBJECT if opener == 0x7B else ARRAY], count)

    def _take_spans(self) -> list[Any]:
        spans, self._spans = self._spans, []
        if self._newest:
            spans = _without_older(spans, self._quoted_key)
        return spans if self.shift is None else self._with_objects(spans, self.shift)

    def _with_objects(self, spans: list[Span], shift: int) -> list[Any]:
        """Return the spans, an object made of each that was found."""
        assert self._make is not None
        self.notes = self.stopped >= 0 or self.last_death is not None
        made: list[Any] = []
        for span in spans:
            kind, start, end, raw, fragment, fence = span
            if kind != FOUND:
                self.notes = True
                made.append(span)
                continue
            made.append(self._make(start + shift, end + shift, raw, fragment, fence))
            if not fragment and not is_empty(raw):
                self.last = made[-1]
        return made


def _without_older(spans: list[Span], quoted: bytes | None) -> list[Span]:
    """Return the spans but for fragments, empty objects, and objects neither the newest nor able to have the key."""
    kept: list[Span] = []
    is_newest = True
    for span in reversed(spans):
        kind, _, _, raw, fragment, _ = span
        if kind == FOUND:
            if fragment or is_empty(raw) or not (is_newest or (quoted is not None and _may_have(quoted, raw))):
                continue
            is_newest = False
        kept.append(span)
    return kept[::-1]


def _may_have(key: bytes, raw: bytes) -> bool:
    """Tell whether an object may have a member; its key may be written with escapes, and an array has none."""
    return key in raw or b"\\u" in raw or raw.startswith(b"[")
