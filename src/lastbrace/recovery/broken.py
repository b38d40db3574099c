"""The last object of a text that is no JSON, whatever its keys and quotes look like."""

from __future__ import annotations

import re
from typing import NamedTuple

from .. import possessive
from ..decoding import is_json
from ..headless import LOOK_BEHIND, is_headless
from .parts import MAX_KEY, WS, begins_at_end

_key = rf"(?:\"[^\"\\\n]{{1,{MAX_KEY}}}+\"|'[^'\\\n]{{1,{MAX_KEY}}}+'|[A-Za-z_$][\w$]{{0,{MAX_KEY}}}+){WS}:"
_start = re.compile(rf"(?:\[{WS})?\{{{WS}(?://[^\n]{{0,200}}+\n{WS})?{_key}")
_token = possessive.compile(
    r'"(?:[^"\\\n\0]|\\[^\0])*+"|\'(?:[^\'\\\n\0]|\\[^\0])*+\'|//[^\n\0]*+|/\*|["\'{}\[\]\0]', re.DOTALL
)
# What is left of a string in which the text ends.
_cut_string = possessive.compile(r'"(?:[^"\\\n]|\\.)*+\\?\Z|\'(?:[^\'\\\n]|\\.)*+\\?\Z', re.DOTALL)
_bracket = re.compile(r"[{}\[\]\0]")
_CLOSERS = {"{": "}", "[": "]"}
_CUT = -1


class Broken(NamedTuple):
    """The last broken object: its text, and whether the input ended inside it."""

    text: str
    is_cut: bool


def last_broken(text: str) -> Broken | None:
    """Return the last object or array of objects in ``text`` that is no JSON, in one pass over it."""
    spans: list[tuple[int, int]] = []
    position = 0
    while (start := _start.search(text, position)) is not None:
        at = start.start()
        end = _end(text, at)
        if end is None:
            end = _balanced(text, at)
        is_fragment = at > 0 and text[at - 1] != "\n" and _is_headless(text, at)
        if end is None or end == _CUT:
            return None if is_fragment else Broken(text[at:], is_cut=True)
        if not is_fragment and text[end - 1] != "\0":  # a thought stands in what ends there
            spans.append((at, end))
        position = end
    if begins_at_end(text, position):
        return None
    for at, end in reversed(spans):
        if not is_json(text[at:end]):
            return Broken(text[at:end], is_cut=False)
    return None


def _is_headless(text: str, at: int) -> bool:
    before = text[max(0, at - LOOK_BEHIND) : at]
    return is_headless(before.encode("utf-8", "replace"), whole=len(before) == at)


def _end(text: str, start: int) -> int | None:
    """Return just past the bracket that closes the one at ``start``, strings and comments skipped.

    ``_CUT`` where the text ends before; None where quotes or brackets are wrong.
    """
    expected: list[str] = []
    position = start
    while (token := _token.search(text, position)) is not None:
        what, position = token[0], token.end()
        if what in _CLOSERS:
            expected.append(_CLOSERS[what])
        elif what in ('"', "'", "\0"):
            begins = text[start : token.start()].rstrip()[-1:] in "{[,:"  # where a value or key may
            return _CUT if begins and _cut_string.match(text, token.start()) else None
        elif what == "/*":
            position = text.find("*/", position) + 2
            if position < 2:
                return _CUT
        elif len(what) == 1:
            if what != expected.pop():
                return None
            if not expected:
                return position
    return _CUT


def _balanced(text: str, start: int) -> int | None:
    """Return just past the bracket of its kind that balances the one at ``start``, whatever stands between."""
    depth = 0
    for mark in _bracket.finditer(text, start):
        if mark[0] == "\0":
            return mark.end()
        depth += 1 if mark[0] in "{[" else -1
        if depth == 0 and mark[0] == _CLOSERS[text[start]]:
            return mark.end()
        depth = max(1, depth)  # the other kind ends no object: that was cut
    return None
