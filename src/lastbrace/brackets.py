"""Where a bracket closes in text that need not be JSON."""

from __future__ import annotations

import re
from typing import Any

from . import possessive

_bracket_or_quote = re.compile(r'[{}\[\]"]')
_bracket_or_quote_bytes = re.compile(rb'[{}\[\]"]')
_string_end = possessive.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_string_end_bytes = possessive.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def balanced_end(text: str | bytes, start: int) -> int | None:
    """Return the index just past the bracket that closes the one at ``start``, or None where nothing does.

    Brackets in double-quoted strings do not count; what is between need not be JSON. A closing bracket of the wrong
    kind closes nothing: None. Raises ValueError where no ``{`` or ``[`` stands at ``start``.

    >>> text = 'f({a: "}", b: [1]}, 2)'
    >>> text[2 : balanced_end(text, 2)]
    '{a: "}", b: [1]}'
    """
    if start < 0 or text[start : start + 1] not in ("{", "[", b"{", b"["):
        raise ValueError(f"no opening bracket at {start}")
    if isinstance(text, str):
        return _walk(text, start, _bracket_or_quote, _string_end, dict(zip("{[", "}]", strict=True)))
    return _walk(text, start, _bracket_or_quote_bytes, _string_end_bytes, {b"{": b"}", b"[": b"]"})


def _walk(
    text: Any, start: int, token: re.Pattern[Any], string: re.Pattern[Any], closers: dict[Any, Any]
) -> int | None:
    expected: list[Any] = []
    match = token.search(text, start)
    while match is not None:
        mark, end = match[0], match.end()
        if mark in closers:
            expected.append(closers[mark])
        elif mark in ('"', b'"'):
            closed = string.match(text, end)
            if closed is None:
                return None
            end = closed.end()
        elif mark != expected.pop():
            return None
        elif not expected:
            return end
        match = token.search(text, end)
    return None
