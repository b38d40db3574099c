"""Some of the programs of `tests.faults`, which runs as many as one likes; see there."""

from __future__ import annotations

import random

import pytest

from .faults import KINDS, check


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_badly_behaved_programs_end_leave_nothing_and_are_no_false_success(backend: str) -> None:
    report = check(backend, count=60, seed=random.randrange(1_000_000), slack=60)
    assert not report.faults
    assert sum(report.seen.values()) == 60


def test_there_are_faults_of_every_kind() -> None:
    for kind in ("silent", "flood", "torn", "forks", "ignores TERM", "closes both", "writes after close", "escapes"):
        assert kind in KINDS
