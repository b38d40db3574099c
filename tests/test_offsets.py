"""Offsets of the input as fed, whatever was removed, and what it takes to remember them."""

from __future__ import annotations

import pytest

from lastbrace import Dropped, Scanner
from lastbrace.offsets import OffsetMap

from .feeding import in_bytes

NOISY = [
    b'{"a":1' + b"\x00" * 1000 + b"x",
    b'\x1b[31m{"a":\x1b[0m"0123456789" ,\x1b[0m"b":1} {"c":1}',
    b'{"long": "\x1b[1m' + b"x" * 50 + b'"}\x1b[0m\x00 {"b":\x002}',
]


@pytest.mark.parametrize("text", NOISY)
@pytest.mark.parametrize("limit", [3, 8, 20, None])
def test_offsets_are_the_same_however_the_text_is_cut(text: bytes, limit: int | None) -> None:
    whole = Scanner(max_object_bytes=limit)
    events = whole.feed(text) + whole.close()
    pieces = Scanner(max_object_bytes=limit)
    assert [event for chunk in in_bytes(text) for event in pieces.feed(chunk)] + pieces.close() == events


def test_a_dropped_object_ends_just_past_its_last_byte() -> None:
    scanner = Scanner(max_object_bytes=3)
    assert [event for chunk in in_bytes(NOISY[0]) for event in scanner.feed(chunk)] == [
        Dropped(start=0, end=6, reason="max_object_bytes")
    ]


def test_sequences_in_a_row_are_remembered_as_one() -> None:
    offsets = OffsetMap()
    offsets.add(3, 3)
    for _ in range(10_000):
        offsets.add(0, 4)
    offsets.add(2, 3)
    assert (offsets.at(2), offsets.at(3), offsets.at(5)) == (2, 40_003, 40_006)
    assert len(offsets._runs) < 10
    offsets.advance(4)
    assert (offsets.at(4), offsets.at(6)) == (40_004, 40_007)
