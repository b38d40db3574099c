"""Compiles regular expressions with possessive groups, on the Pythons too that match these wrongly."""

from __future__ import annotations

import re
import sys
from typing import AnyStr

# Until 3.11.5 a possessive group fails where something in it can be matched in several ways (python/cpython#106052).
_ARE_WRONG = sys.version_info < (3, 11, 5)

_group_or_class = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)(?:([*+?]|\{\d*,?\d*\})\+)?", re.DOTALL)


def compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:  # noqa: A001 - as `re` has it
    """Return what ``re.compile`` does."""
    if not _ARE_WRONG:
        return re.compile(pattern, flags)
    if isinstance(pattern, bytes):
        return re.compile(as_atomic(pattern.decode("latin-1")).encode("latin-1"), flags)
    return re.compile(as_atomic(pattern), flags)


def as_atomic(pattern: str) -> str:
    r"""Return the pattern with an atomic group in place of each possessive one: the same, though it needs more memory.

    >>> as_atomic(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
    '"[^"\\\\]*+(?>(?:\\\\.[^"\\\\]*+)*)"'
    """
    parts: list[str] = []
    begins: list[int] = []
    end = 0
    for token in _group_or_class.finditer(pattern):
        parts.append(pattern[end : token.start()])
        end = token.end()
        if token[0] == "(":
            begins.append(len(parts))
        elif token[0].startswith(")"):
            begin = begins.pop()
            if token[1]:
                parts[begin] = f"(?>{parts[begin]}"
                parts.append(f"){token[1]})")
                continue
        parts.append(token[0])
    return "".join([*parts, pattern[end:]])
