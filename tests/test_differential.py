"""A few of the streams of `python -m tests.differential`: the same outcome by every way in, however cut."""

from __future__ import annotations

import pytest

from .differential.checks import ALL_SCANNERS
from .differential.comparison import THROUGH, Comparison
from .differential.texts import corpus, random_stream

SEEDS = range(1000, 1200)


@pytest.mark.parametrize("through", THROUGH)
def test_generated_streams_say_the_same_by_every_way_in(through: str, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = Comparison(ALL_SCANNERS, [through], every=4 if through == "file" else 10)
    for seed in SEEDS:
        comparison.read_generated(seed)
    comparison.finish()
    assert comparison.failures == 0, capsys.readouterr().out


def test_the_streams_are_of_many_kinds() -> None:
    streams = [random_stream(seed).data for seed in SEEDS]
    for mark in (b"\x1b", b"\x00", b"\r\n", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"```", b'"type"', b"DONE"):
        assert any(mark in data for data in streams), mark
    assert len({*streams}) == len(streams)
    assert len(corpus()) > 450
