"""Possessive groups match on every Python as they should, and what stands in for them on some does too."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from lastbrace import possessive
from lastbrace.grammar import candidate
from lastbrace.possessive import as_atomic
from lastbrace.strings import PAIRED_BODY

STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'


@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [
        (r"x(?:a(?:bc)*+d)*+e", "xae", None),  # Python 3.11.4 finds it, and the next two
        (r"(?:(?:a|b(?:c)*+)d)*+e", "be", None),
        (r'[^"]*+(?:(?:"b*+(?:cb*+)*+"|e)[^"]*+)*+', 'a"', 1),
        (r"(?:ab?c)*+", "acabc", 5),
        (r"(?:(?:a|b)+c)*+d", "acbcabcd", 8),
        (r"(?:a|ab)++b", "aab", 3),
        (r"(?:a|ab)*+c", "abc", None),
        (r"(?:ab){1,2}+a", "ababa", 5),
        (r"(a(b)?)?+c", "ac", 2),
        (rf"\{{(?:{STRING}|[\d)]*+,)*+\}}", r'{"a\"}","",1),}', 15),
    ],
)
def test_what_they_match(pattern: str, text: str, end: int | None) -> None:
    for compiled in (possessive.compile(pattern), re.compile(as_atomic(pattern))):
        found = compiled.match(text)
        assert (found and found.end()) == end
    found = possessive.compile(pattern.encode()).match(text.encode())
    assert (found and found.end()) == end


def test_what_is_no_group_stays_as_it_is() -> None:
    for pattern in (r"[(]*+\(*+\)++", r"[^])*+]++a?+", r"(a)*(b)+?", r"[]()*+]++"):
        assert as_atomic(pattern) == pattern
    assert as_atomic(r"(a(b)*+(?=c))++\)") == r"(?>(a(?>(b)*)(?=c))+)\)"


def test_the_scanners_expressions_match_alike_in_both_forms() -> None:
    rng = random.Random(1)
    patterns: list[Any] = [f'"{PAIRED_BODY}"', candidate(b"{[", lines=False, max_bytes=None).pattern.decode()]
    for pattern in patterns:
        one, other = possessive.compile(pattern), re.compile(as_atomic(pattern))
        for _ in range(3000):
            text = "".join(rng.choices(['"', "\\", "u00e9", "\\n", "\\ud83d", "{", "}", "[", "a", ":", ",", "1"], k=9))
            spans = [[found.span() for found in compiled.finditer(text)] for compiled in (one, other)]
            assert spans[0] == spans[1]
