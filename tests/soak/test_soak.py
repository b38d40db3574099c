"""The soak, short; and that it would notice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import lastbrace

from .checking import FaultError, Tally, expect_numbers
from .logs import Deliveries
from .measuring import Sample
from .verdict import MEASURES, not_flat

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(os.name == "nt", reason="what writes the logs forks")
def test_nothing_is_lost_doubled_or_left_behind(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "tests.soak", "--minutes", "0.15", "--agents", "8", "--out", str(tmp_path)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=1200)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    results = json.loads((tmp_path / "report.json").read_text())
    assert sorted(results) == ["asyncio", "trio"]
    for result in results.values():
        assert result["counts"]["looped"] > 0
        assert result["counts"]["records"] > 0
        assert result["samples"]
    picture = ElementTree.parse(tmp_path / "soak.svg")
    assert len(picture.findall("{*}polyline")) == 2 * len(MEASURES)


def samples(name: str, values: list[float]) -> list[Sample]:
    held = {measure.name: 1.0 for measure in MEASURES}
    return [{**held, name: value, "seconds": 60.0 * at} for at, value in enumerate(values)]


@pytest.mark.parametrize("measure", MEASURES, ids=[measure.name for measure in MEASURES])
def test_what_grows_is_not_flat(measure: Any) -> None:
    wobbling = [100.0, *[10.0, 12.0, 11.0] * 13]
    assert not not_flat(samples(measure.name, wobbling))
    growing = [10.0 + (measure.allowed + 1) * at / 10 for at in range(40)]
    assert [measure.title.lower() in text for text in not_flat(samples(measure.name, growing))] == [True]


def record(number: int, **changed: Any) -> lastbrace.Record:
    fields = {"w": 0, "n": number, "g": 0}
    fields = {**fields, "c": zlib.crc32(json.dumps(fields).encode()), **changed}
    (found,) = lastbrace.find_objects(json.dumps(fields))
    return lastbrace.Record(Path("log"), found, found.start, found.end)


def test_the_readers_are_held_to_it() -> None:
    tally = Tally()
    deliveries = Deliveries("a", tally)
    for number in (0, 1, 3):
        deliveries.take(record(number))
    assert not tally.faults
    assert deliveries.missing({(0, 1), (0, 2)}) == {(0, 2)}
    deliveries.take(record(1))
    deliveries.take(record(2))
    deliveries.take(record(4, n=5))
    for fault, what in zip(tally.faults, ("again", "out of order", "torn"), strict=True):
        assert what in fault
    deliveries.forget(1)
    deliveries.take(record(7))
    assert "long ago" in tally.faults[-1]


@pytest.mark.parametrize("numbers", [[0, 2], [0, 0], [1], [1, 0]])
def test_so_are_programs(numbers: list[int]) -> None:
    expect_numbers([0, 1, 2], 3)
    with pytest.raises(FaultError):
        expect_numbers(numbers)
    with pytest.raises(FaultError):
        expect_numbers([0, 1], 3)
