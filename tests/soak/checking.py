"""What must hold of numbered records and of programs that were run; what does not is a fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_KEPT = 20  # faults of a kind that are told in full
_KIND = 60  # characters, numbers left out, by which they are of one kind
_number = re.compile(r"\d+")


class FaultError(AssertionError):
    """Something that no run may show."""


def expect(holds: object, what: str) -> None:
    if not holds:
        raise FaultError(what)


def expect_numbers(numbers: Iterable[int], count: int | None = None) -> None:
    """Each number from 0 on, once and in order: so many, or as many as there were until something broke off."""
    got = list(numbers)
    expect(got == list(range(len(got))), f"lost, doubled or out of order: {got[:50]}")
    expect(count is None or len(got) == count, f"{len(got)} of {count} records")


class Tally:
    """What was done, in counts, and what was wrong."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self._of_kind: Counter[str] = Counter()

    def fault(self, what: str) -> None:
        kind = _number.sub("", what)[:_KIND]
        self.counts["faults"] += 1
        self._of_kind[kind] += 1
        if self._of_kind[kind] <= _KEPT:
            self.faults.append(what[:1000])
