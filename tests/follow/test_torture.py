"""The torture test, short: see `torture`."""

from __future__ import annotations

import pytest

from .torture import COPY_HEAVY, OPERATIONS, check, torture


@pytest.mark.parametrize(
    ("seed", "target", "weights"), [(1, "path", OPERATIONS), (2, "glob", OPERATIONS), (3, "folder", COPY_HEAVY)]
)
def test_every_record_is_there_once(seed: int, target: str, weights: dict[str, int]) -> None:
    report = torture(1000, seed, target, weights)
    assert not report.faults, report
    assert report.delivered > 0
    assert report.sessions > 1


def test_the_check_finds_what_is_wrong() -> None:
    good = '["log", 0, "{\\"w\\": 0, \\"n\\": 0, \\"g\\": 0, \\"pad\\": \\"\\", \\"c\\": 2167651812}"]'
    assert not check([([good], 1)], {0: 1}, set()).faults
    assert "missing" in str(check([([], 0)], {0: 1}, set()))
    assert not check([([], 0)], {0: 1}, {(0, 0)}).faults
    assert "twice" in str(check([([good, good], 0)], {0: 1}, set()))
    assert "though saved" in str(check([([good], 1), ([good], 0)], {0: 1}, set()))
    assert not check([([good], 0), ([good], 0)], {0: 1}, set()).faults
    assert "torn" in str(check([([good.replace("2167", "2168")], 0)], {0: 1}, set()))
