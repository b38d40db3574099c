"""The benchmarks judge each contestant by what it finds, and draw what they measured."""

from __future__ import annotations

import json
import pickle
import time
import xml.etree.ElementTree as ET
from typing import IO, TYPE_CHECKING, Any

import pytest
from benchmarks import growth, latency, picture, readers, rivals, rows, summary, workloads
from benchmarks.report import RESULTS, Report
from benchmarks.scanners import here
from benchmarks.timing import Entrant, Timing, contest, ratio

if TYPE_CHECKING:
    from benchmarks.readers import Reader

PROSE = workloads.prose(20_000)


def missing() -> Reader:
    raise ImportError("no such rival")


def stopping() -> Reader:
    def read(file: IO[bytes]) -> Any:
        raise ValueError("noise")

    return read


def wasting() -> Reader:
    def read(file: IO[bytes]) -> Any:
        until = time.process_time() + len(file.read()) / 20_000
        while time.process_time() < until:
            pass

    return read


def test_contestant_that_cannot_do_it_says_so() -> None:
    makers = {
        "ours": readers.scanner, "json": rivals.json_lines, "stopping": stopping, "missing": missing,
        "another": lambda: lambda file: {"status": "done"}, "wasting": wasting,
    }  # fmt: skip
    limits = {"wasting": 0.25}
    entrants = {name: Entrant(make, here, limits.get(name, 60)) for name, make in makers.items()}
    cells = contest(PROSE, entrants, rounds=2)
    ours = cells.pop("ours")
    assert cells == {
        "json": "wrong: finds nothing", "stopping": "stops (ValueError)", "missing": "not installed",
        "another": "wrong: finds another", "wasting": "too slow (> 0.25 s): not run",
    }  # fmt: skip
    assert isinstance(ours, Timing)
    assert len(ours.cpu) == len(ours.wall) == 2
    assert ratio(ours, ours) == 1
    assert ratio(cells["json"], ours) is None


@pytest.mark.parametrize("row", rows.ROWS, ids=[row.name for row in rows.ROWS])
def test_lastbrace_finds_what_is_known_to_be_there(row: rows.Row) -> None:
    work = row.make(8_000)
    assert work is not None
    cells = contest(work, {name: Entrant(make, here, 60) for name, make in row.ours.items()}, rounds=1)
    assert {name: cell for name, cell in cells.items() if isinstance(cell, str)} == {}


def test_raw_decode_agrees_on_what_is_there() -> None:
    for make in (workloads.agent_lines, workloads.short_lines, workloads.prose, workloads.pretty, workloads.answer):
        work = make(8_000)
        assert contest(work, {"rule": Entrant(rivals.raw_decode_loop, here, 60)}, rounds=0) == {"rule": Timing([], [])}


def test_last_byte_and_growth_see_the_object() -> None:
    assert latency.latency(2_000).rounds == latency.MOST
    for begin in (growth.scanner_steps, growth.watcher_steps):
        assert isinstance(growth.of_tokens(begin, 32, enough=0, good=100), growth.Growth)


def test_picture_shows_bars_and_says_why_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(["c", "python"], {})
    report.title("prose", "prose", "speed", "×", "median", "ms", "rounds")
    report.speed("prose", "lastbrace.Scanner (c)", Timing([0.1, 0.2], [0.1, 0.2]), 30_000_000, ratio=123.0)
    report.speed("prose", rows.ORJSON, "wrong: <nothing>", 30_000_000)
    report.bar("c", "prose", 0.2, 0.25)
    assert not report.finish()
    assert "MISSED c: prose: 0.2 (≥ 0.25)" in capsys.readouterr().out
    drawn = ET.fromstring(picture.draw({"about": report.about, "tables": report.tables, "expected": report.bars}))
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "200 MB/s · 123 ×" in texts
    assert "wrong: <nothing>" in texts
    assert "prefers-color-scheme: dark" in "".join(drawn.itertext())


def test_all_that_is_timed_elsewhere_can_be_sent_there() -> None:
    sent = [make for row in rows.ROWS for make in row.ours.values()]
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_the_readme_shows_what_was_measured() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    readme = (RESULTS.parent.parent / "README.md").read_text(encoding="utf-8")
    assert summary.markdown(results) in readme
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.draw(results)
