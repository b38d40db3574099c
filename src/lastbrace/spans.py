"""What the automaton reports: stretches of the cleaned text, and how the last candidate died."""

from __future__ import annotations

from typing import NamedTuple

FOUND, DROPPED, UNFINISHED, TEXT, PIECE, LARGE, VOID = range(7)

# One report: its kind, where it begins and ends in the cleaned text, its text (of what was found, of TEXT and PIECE),
# and for what was found whether it is a fragment, and the info word of the fence it stands in.
# Of a candidate above ``pieces_above`` come its bytes, in PIECEs, and LARGE in place of FOUND when it closes, VOID when
# it dies.
Span = tuple[int, int, int, bytes, bool, str | None]


class Death(NamedTuple):
    """Where the last candidate died that had read a key and its colon, in positions of the cleaned text."""

    start: int
    position: int
    byte: bytes
    reason: str
    excerpt: bytes
