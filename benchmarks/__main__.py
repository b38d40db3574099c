"""Run the measurements and print the tables: ``python -m benchmarks [--short] [--only NAME] [--check]``."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import lastbrace

from . import growth, memory, readers, rivals, workloads
from .report import Report, cpu_model
from .rows import ROWS, Row
from .timing import contest, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

PER_DOUBLING = 2.2
MICROSECONDS_A_TOKEN = 2.0  # of the C scanner
MEGABYTES_ABOVE_NOTHING = 15.0
STRING_GROWTH = 1.3  # of the time a chunk takes, from the first to the last: the clock's disturbance


class Effort(NamedTuple):
    """How much is measured."""

    rounds: int
    limit: float  # seconds that one read may take
    enough: float  # seconds that one read takes when growth is measured
    stream: int  # bytes read for the peak of memory
    string: tuple[int, int, int]  # megabytes, windows, chunks a window
    short: bool


FULL = Effort(7, 10.0, 0.12, 1_000_000_000, (50, 6, 1_000_000), short=False)
SHORT = Effort(3, 1.0, 0.03, 64_000_000, (5, 4, 50_000), short=True)


def speed(report: Report, effort: Effort, row: Row) -> None:
    """Time everyone who reads a workload."""
    data = row.make(row.short if effort.short else row.size)
    if data is None:
        return
    expected = lastbrace.last_object(data)
    cells = contest(data, row.makers, expected, rounds=effort.rounds, limit=effort.limit)
    report.title(row.name, f"{row.title} ({len(data) / 1e6:.3g} MB)", "speed", "", "median", "spread")
    for name, cell in cells.items():
        report.speed(row.name, name, cell, len(data), ratio(cells[row.reference], cell))
    own = next(iter(row.makers))
    for bar in row.bars[lastbrace.scanner_kind]:
        report.bar(f"{row.name}: times {bar.reference}", ratio(cells[bar.reference], cells[own]), bar.least)


def tokens(report: Report, effort: Effort) -> None:
    """Time an object that comes in tokens."""
    steps = {"lastbrace.Scanner": growth.scanner_steps, "lastbrace.Watcher": growth.watcher_steps,
             "json.loads of all so far": growth.json_steps}  # fmt: skip
    title = "one object in tokens, the newest object known after each"
    report.title("tokens", title, "per doubling", "size", "a token")
    for name, begin in steps.items():
        for chunk in (32, 16):
            own = name.startswith("lastbrace")
            run = growth.of_tokens(begin, chunk)
            cell = growth.growth(run, enough=effort.enough, rounds=3, good=PER_DOUBLING if own else 5, largest=1 << 20)
            report.grown("tokens", f"{name}, {chunk} bytes", cell)
            if own:
                factor = cell.factor if isinstance(cell, growth.Growth) else None
                report.bar(f"tokens: {name}, {chunk} bytes, per doubling", factor, PER_DOUBLING, most=True)
            if own and chunk == 32 and lastbrace.scanner_kind == "c" and isinstance(cell, growth.Growth):
                each = cell.seconds / cell.units * 1e6
                report.bar(f"tokens: {name}, µs a chunk", each, MICROSECONDS_A_TOKEN, most=True)


def hostile(report: Report, effort: Effort) -> None:
    """Time texts made to cost much."""
    makers = {"lastbrace": readers.scanner, "raw_decode": rivals.raw_decode_loop, "balanced": rivals.balanced_from_find}
    report.title("hostile", "hostile texts", "per doubling", "size", "a byte")
    worst = 0.0
    for text, piece in workloads.HOSTILE.items():
        for name, make in makers.items():
            own = name == "lastbrace"
            if effort.short and not own:
                continue
            run = growth.of_text(make(), piece)
            cell = growth.growth(run, enough=effort.enough, rounds=3, good=PER_DOUBLING if own else 5)
            report.grown("hostile", f"{text}: {name}", cell)
            if own:
                worst = max(worst, cell.factor if isinstance(cell, growth.Growth) else float("inf"))
    report.bar("hostile: the worst per doubling", worst, PER_DOUBLING, most=True)


def long_string(report: Report, effort: Effort) -> None:
    """Time a string that comes in chunks of one byte."""
    megabytes, windows, sample = effort.string
    report.title("long-string", f"a string of {megabytes} MB in chunks of one byte", "a chunk")
    times = []
    for number, each in enumerate(growth.long_string(megabytes, windows, sample)):
        times.append(each)
        report.number("long-string", f"at {megabytes * number / (windows - 1):.3g} MB", each, "µs")
    report.bar("long-string: the last chunks' time to the first", times[-1] / times[0], STRING_GROWTH, most=True)


def peak(report: Report, effort: Effort) -> None:
    """Measure the memory of a long stream's reader."""
    if sys.platform == "win32":
        return
    report.title("memory", f"peak memory of reading {effort.stream / 1e9:.3g} GB, above an empty loop", "above")
    nothing = memory.peak_of("nothing", effort.stream)
    for reader in memory.READERS[1:]:
        above = (memory.peak_of(reader, effort.stream) - nothing) / 1e6
        what = "import lastbrace, and read" if reader == "import" else f"lastbrace.{reader}"
        report.number("memory", what, above, "MB")
        if reader == "Scanner":
            report.bar("memory: MB above an empty loop", above, MEGABYTES_ABOVE_NOTHING, most=True)


PARTS: dict[str, Callable[[Report, Effort], None]] = {
    **{row.name: lambda report, effort, row=row: speed(report, effort, row) for row in ROWS},  # type: ignore[misc]
    "tokens": tokens,
    "hostile": hostile,
    "long-string": long_string,
    "memory": peak,
}


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time lastbrace beside its alternatives.")
    parser.add_argument("--short", action="store_true", help="small inputs, under a minute; results are not written")
    parser.add_argument("--only", metavar="NAME", choices=PARTS, help=f"one table alone: {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="exit with status 1 where an expectation is missed")
    arguments = parser.parse_args()
    about = f"lastbrace {lastbrace.__version__}, {lastbrace.scanner_kind} scanner"
    print(f"{about}, Python {platform.python_version()}, {cpu_model()}")
    started = time.monotonic()
    report = Report()
    for name, part in PARTS.items():
        if arguments.only in (None, name):
            part(report, SHORT if arguments.short else FULL)
    met = report.finish()
    if not arguments.short and arguments.only is None:
        report.save()
    print(f"\n{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if arguments.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
