"""Arrays and objects inside an object that is almost JSON: where they close, and what can be read of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from .. import possessive
from ..decoding import is_json
from .loose import Json5
from .parts import KEY, WS, Cut, Dead, Parts
from .strings import escape_bare

_token = possessive.compile(r'"(?:[^"\\\n\0]|\\[^\0])*+"|["{}\[\]\0]')
_bracket = re.compile(r"[{}\[\]\0]")
_string_or_comma = possessive.compile(rf'"(?:[^"\\]|\\.)*+"|,(?={WS}[\]}}])', re.DOTALL)
_bracket_and_key = re.compile(rf"[\]}}]{WS}(?=,{WS}{KEY})|\0")
_bracket_and_close = re.compile(rf"[\]}}]{WS}(?=,?{WS}\}})|\0")
_item_mark = possessive.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],"]', re.DOTALL)
# A string, word or closing bracket has a comma, colon, closing bracket or the end of the text after it.
# Where a thought was taken out of one of its strings, a NUL stands for it.
_json_so_far = possessive.compile(
    rf'(?:[{{\[,:]{WS}|(?:"(?:[^"\\\x01-\x1f]|\\.)*+"|[-+.\w]++|[\]}}]){WS}(?=[,:\]}}]|\Z))*+'
    r'(?:"(?:[^"\\\x01-\x1f]|\\.)*+\\?\Z)?+'
)
_CLOSERS = {"{": "}", "[": "]"}


class Container(NamedTuple):
    """An array or object: its value as JSON, None where it cannot be read; its end; what had to be done."""

    value: str | None
    end: int
    repairs: list[str]


def read_container(parts: Parts, position: int, wanted: Collection[str], json5: Json5) -> Container:
    """Read the array or object whose bracket stands at ``position``, by rule 5 of ``by_keys``.

    ``wanted`` are the keys of which one may follow. Raises Cut where the text ends inside, Dead where it has no end.
    """
    end = walk(parts, position)
    if isinstance(end, Mismatch) and end.depth == 1 and parts.ends_member_for_sure(end.position):
        value, repairs = _read(parts.text[position : end.position - 1] + _CLOSERS[parts.text[position]], json5)
        if value is not None:
            return Container(value, end.position, [*repairs, "mismatched_close"])
    if is_cut(parts, position, end):
        raise Cut
    if not isinstance(end, int) or not parts.ends_member(end):
        end = _walk(parts, position, _bracket)
        if end is None:
            raise Cut
        if not isinstance(end, int) or not parts.ends_member(end):
            end = _find_end(parts, position, wanted)
    value, repairs = _read(parts.text[position:end], json5)
    return Container(value, end, repairs)


def close_up(text: str) -> str | None:
    """Return an array or object that was cut, closed after the last item that is whole; None where it is no JSON."""
    tokens = [token for token in _item_mark.finditer(text) if len(token[0]) == 1]
    if tokens and tokens[-1][0] == '"':  # a string that was cut
        tokens.pop()
    if not tokens:
        return None
    expected: list[str] = []
    for token in tokens:
        if token[0] in _CLOSERS:
            expected.append(_CLOSERS[token[0]])
        elif token[0] != "," and (not expected or expected.pop() != token[0]):
            return None
    last = tokens[-1]
    closed = text[: last.start() if last[0] == "," else last.end()] + "".join(reversed(expected))
    return closed if is_json(closed) else None


class Mismatch(NamedTuple):
    """A bracket that the wrong kind of bracket closes, just before ``position``, at this depth of the container."""

    position: int
    depth: int


def _walk(parts: Parts, position: int, token: re.Pattern[str]) -> int | Mismatch | None:
    """Return just past the bracket that closes the one at ``position``; None where the text ends before."""
    expected: list[str] = []
    for mark in token.finditer(parts.text, position):
        what = mark[0]
        if what in _CLOSERS:
            expected.append(_CLOSERS[what])
        elif what in ('"', "\0"):
            parts.spend(mark.end() - position)
            return Mismatch(mark.end(), 0)
        elif len(what) == 1:
            if what != expected.pop():
                parts.spend(mark.end() - position)
                return Mismatch(mark.end(), len(expected) + 1)
            if not expected:
                parts.spend(mark.end() - position)
                return mark.end()
    parts.spend(len(parts.text) - position)
    return None


def walk(parts: Parts, position: int) -> int | Mismatch | None:
    """Return just past the bracket that closes the one at ``position``, strings skipped; None where the text ends."""
    return _walk(parts, position, _token)


def is_cut(parts: Parts, position: int, walked: int | Mismatch | None) -> bool:
    """Tell whether what begins at ``position`` is JSON as far as the text goes: no bracket in its strings ends it.

    ``walked`` is what `walk` found.
    """
    if isinstance(walked, int) or (walked is not None and walked.depth):
        return False
    end = _json_so_far.match(parts.text, position).end()  # type: ignore[union-attr]  # it matches at least nothing
    parts.spend(end - position)
    return end == len(parts.text)


def _find_end(parts: Parts, position: int, wanted: Collection[str]) -> int:
    """Return where something that has brackets of the wrong kind ends: before a key that is wanted, or at the end.

    Raises Dead where there is no such place, or none before a NUL.
    """
    for bracket in _bracket_and_key.finditer(parts.text, position):
        if bracket[0] == "\0":
            break
        if parts.key_after(bracket.end()) in wanted:
            parts.spend(bracket.end() - position)
            return bracket.end()
    parts.spend(len(parts.text) - position)
    for bracket in _bracket_and_close.finditer(parts.text, position):
        if bracket[0] == "\0":
            break
        if parts.close_at(bracket.end()) is not None:
            return bracket.end()
    raise Dead(position)


def _read(text: str, json5: Json5) -> tuple[str | None, list[str]]:
    """Return an array or object as JSON, and what had to be done; None where it cannot be read."""
    if is_json(text):
        return text, []
    repairs: dict[str, None] = {}

    def fix(match: re.Match[str]) -> str:
        if match[0] == ",":
            repairs["trailing_comma"] = None
            return ""
        string, done = escape_bare(match[0])
        repairs.update(dict.fromkeys(done))
        return string

    fixed = _string_or_comma.sub(fix, text)
    if is_json(fixed):
        return fixed, list(repairs)
    loose = json5.read(text)
    return (None, ["unreadable"]) if loose is None else (loose.value, loose.repairs)
