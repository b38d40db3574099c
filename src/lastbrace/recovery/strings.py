"""Where a string ends whose quotes, line ends and backslashes are not escaped as JSON wants it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import NamedTuple

from .parts import KEY, WS, Dead, Parts

_mark = re.compile(rf'\\.|["\u201c\u201d{{}}\0\\]|\n(?=\{{{WS}{KEY})', re.DOTALL)
_escape_or_bare = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\x00-\x1f]')
_half_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


class Text(NamedTuple):
    """A string as JSON, the end of what it was read from, what had to be done, and whether the text ended in it."""

    value: str
    end: int
    repairs: list[str]
    quotes: int = 0
    is_cut: bool = False


def read_string(parts: Parts, position: int, known: Collection[str], taken: Collection[str]) -> Text:
    """Read the string whose quote stands at ``position``, by rules 2 and 3 of ``by_keys``.

    ``known`` are the keys of the schema, ``taken`` those that the object has already, the string's own included.
    Raises Dead where it has no end, or where it is anybody's guess.
    """
    text, begin = parts.text, position + 1
    quotes = depth = curly_quotes = 0
    seen = begin
    for mark in _mark.finditer(text, begin):
        parts.spend(mark.end() - seen)
        at, seen = mark.start(), mark.end()
        what = mark[0][0]
        if what in "\n\0":
            raise Dead(seen)
        if what in "{}":
            depth = depth + 1 if what == "{" else max(0, depth - 1)
        elif what == "\u201c":
            curly_quotes += 1
        elif what == "\u201d":
            if not curly_quotes and not quotes and not depth and _ends_here(parts, seen, known, taken):
                return _finish(text[begin:at], seen, quotes, ["smart_quote"])
            curly_quotes = max(0, curly_quotes - 1)
        elif what == '"':
            if parts.ends_member(seen) if not quotes else not depth and _ends(parts, seen, known, taken, quotes):
                return _finish(text[begin:at], seen, quotes, [])
            quotes += 1
    parts.spend(len(text) - seen)
    return _finish(_half_escape.sub("", text[begin:]), len(text), quotes, [])._replace(is_cut=True)


def _ends(parts: Parts, position: int, known: Collection[str], taken: Collection[str], quotes: int) -> bool:
    """Tell whether a string that has ``quotes`` inside ends before ``position``; raises Dead where it is a guess."""
    key = parts.key_after(position)
    if key is None:
        return parts.close_at(position) is not None or parts.is_cut_after(position)
    if key in known and key not in taken:
        return True
    if key in known or quotes % 2:
        raise Dead(position)
    return True


def _ends_here(parts: Parts, position: int, known: Collection[str], taken: Collection[str]) -> bool:
    key = parts.key_after(position)
    return parts.close_at(position) is not None if key is None else key in known and key not in taken


def _finish(body: str, end: int, quotes: int, repairs: list[str]) -> Text:
    found = dict.fromkeys(repairs)

    def fix(match: re.Match[str]) -> str:
        bare = match[0]
        if len(bare) > 1:
            return bare
        found["unescaped_quote" if bare == '"' else "bad_escape" if bare == "\\" else "raw_control"] = None
        return json.dumps(bare)[1:-1]

    return Text(f'"{_escape_or_bare.sub(fix, body)}"', end, list(found), quotes)


def escape_bare(string: str) -> tuple[str, list[str]]:
    """Return a quoted string, of which only the quotes are right, as JSON, and what had to be done."""
    text = _finish(string[1:-1], 0, 0, [])
    return text.value, text.repairs
