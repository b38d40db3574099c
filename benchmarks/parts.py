"""The parts of a run: what is measured, how it is shown, and what is expected of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from . import growth, latency, memory, pipes, readers, rivals, workloads
from .rows import ROWS, Row
from .scanners import here
from .timing import Entrant, contest, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from .report import Report
    from .scanners import Call

PER_DOUBLING = 2.2
MICROSECONDS_A_CHUNK = 2.0  # of the C scanner
MEGABYTES_ABOVE_NOTHING = 15.0
STRING_GROWTH = 1.3  # of the time a chunk takes, from the first to the last: the clock's disturbance
TYPED_DECODES = 1.5  # from the last byte to the completion
FLAT = 1.5  # the same with buffer_limit, from just above the limit to the largest object
OF_NOTHING = {"asyncio": 0.7, "trio": 0.8}  # of the speed of a read loop that does nothing; of the C scanner
TOGETHER = 1.1  # of the read loop's and the scanner's processor time


class Effort(NamedTuple):
    """How much is measured: ``limit`` and ``enough`` in seconds, ``piped``, ``stream`` and ``objects`` in bytes."""

    rounds: int
    limit: float  # that one read of a rival may take
    enough: float  # that one read takes when growth is measured
    piped: int
    stream: int  # read for the peak of memory
    string: tuple[int, int, int]  # megabytes, windows, chunks a window
    objects: tuple[int, ...]
    short: bool


FULL = Effort(
    rounds=7, limit=10, enough=0.12, piped=256_000_000, stream=1_000_000_000, string=(50, 6, 1_000_000),
    objects=(1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000), short=False,
)  # fmt: skip
SHORT = Effort(
    rounds=3, limit=0.3, enough=0.01, piped=8_000_000, stream=16_000_000, string=(1, 3, 20_000),
    objects=(1_000, 100_000, 4_000_000), short=True,
)  # fmt: skip


def read(report: Report, effort: Effort, scanners: dict[str, Call], row: Row) -> None:
    """Time everyone who reads a work."""
    work = row.make(row.short if effort.short else row.size)
    if work is None:
        return
    ours = {f"{name} ({kind})": Entrant(make, call, float("inf"))
            for name, make in row.ours.items() for kind, call in scanners.items()}  # fmt: skip
    entrants = ours | {name: Entrant(make, here, effort.limit) for name, make in row.rivals.items()}
    cells = contest(work, entrants, rounds=effort.rounds)
    size = len(work.data)
    times, each = f"× {row.reference.split()[0].removesuffix('.loads')}", "median" if row.chunk is None else "a chunk"
    report.title(row.name, f"{row.title} ({size / 1e6:.3g} MB)", "speed", times, each, "ms", "rounds")
    for name, cell in cells.items():
        chunks = None if row.chunk is None else -(-size // row.chunk)
        report.speed(row.name, name, cell, size, ratio=ratio(cells[row.reference], cell), chunks=chunks)
    first = next(iter(row.ours))
    for kind in scanners:
        for bar in row.bars.get(kind, []):
            value = ratio(cells[bar.reference], cells[f"{first} ({kind})"])
            report.bar(kind, f"{row.name}: times {bar.reference}", value, bar.least)


def doubling(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Show how the time grows with an object that comes in small chunks."""
    steps = {"lastbrace.Scanner": growth.scanner_steps, "lastbrace.Watcher": growth.watcher_steps}
    title = "an object in small chunks, what is known asked for after each"
    report.title("doubling", title, "per doubling", "size", "a chunk")
    for kind, call in scanners.items():
        for name, begin in steps.items():
            for chunk in (32, 16):
                what = f"{name} ({kind}), {chunk} bytes"
                cell = call(growth.of_tokens, begin, chunk, enough=effort.enough, good=PER_DOUBLING)
                report.grown("doubling", what, cell)
                known = isinstance(cell, growth.Growth)
                what = f"doubling: {name}, {chunk} bytes"
                report.bar(kind, what, cell.factor if known else None, PER_DOUBLING, most=True)
                if kind == "c":
                    each = cell.seconds / cell.units * 1e6 if known else None
                    report.bar(kind, f"{what}, µs a chunk", each, MICROSECONDS_A_CHUNK, most=True)


def hostile(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Time texts made to cost much."""
    report.title("hostile", "hostile texts", "per doubling", "size", "a byte")
    worst = dict.fromkeys(scanners, 0.0)
    for text, piece in workloads.HOSTILE.items():
        for kind, call in scanners.items():
            cell = call(growth.of_text, readers.scanner, piece, enough=effort.enough, good=PER_DOUBLING)
            report.grown("hostile", f"{text}: lastbrace ({kind})", cell)
            worst[kind] = max(worst[kind], cell.factor if isinstance(cell, growth.Growth) else float("inf"))
        if not effort.short:
            for name, make in {"raw_decode": rivals.raw_decode_loop, "braces": rivals.balanced_from_find}.items():
                cell = growth.of_text(make, piece, enough=effort.enough, good=5)
                report.grown("hostile", f"{text}: {name}", cell)
    for kind in scanners:
        report.bar(kind, "hostile: the worst per doubling", worst[kind], PER_DOUBLING, most=True)


def long_string(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Time a string that comes in chunks of one byte."""
    megabytes, windows, sample = effort.string
    report.title("long-string", f"a string of {megabytes} MB in chunks of one byte", "a chunk")
    for kind, call in scanners.items():
        times = call(growth.long_string, megabytes, windows, sample)
        for number, each in enumerate(times):
            at = f"at {megabytes * number / (windows - 1):.3g} MB ({kind})"
            report.numbers("long-string", at, {"us_per_chunk": each}, f"{each:.3g} µs")
        report.bar(kind, "long-string: the last chunks' time to the first", times[-1] / times[0], STRING_GROWTH,
                   most=True)  # fmt: skip


def last_byte(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Time what is left to do when the last brace comes."""
    title = "from the last byte of an object to its completion, beside one typed msgspec decode of it"
    report.title("last-byte", title, "completion", "no Watcher", "decode", "ratio", "rounds")
    limits = [None, latency.LIMIT] if latency.HAS_LIMIT else [None]
    for kind, call in scanners.items():
        for limit in limits:
            watch = {} if limit is None else {"buffer_limit": limit}
            found: list[latency.Latency] = []
            for size in (size for size in effort.objects if size > (limit or 0)):
                got: latency.Latency = call(latency.latency, size, **watch)
                found.append(got)
                what = f"{_bytes(size)}{', buffer_limit' if limit else ''} ({kind})"
                report.numbers("last-byte", what, {**got._asdict()}, f"{got.known * 1e6:,.4g} µs",
                               f"{got.floor * 1e6:,.4g} µs", f"{got.decode * 1e6:,.4g} µs", f"{got.ratio:.3g} ×",
                               str(got.rounds))  # fmt: skip
                if limit is None:
                    report.bar(kind, f"last-byte: {_bytes(size)}, typed decodes", got.ratio, TYPED_DECODES, most=True)
            if limit is not None and len(found) > 1:
                grown = found[-1].known / found[0].known
                report.bar(kind, "last-byte: with buffer_limit, largest to smallest", grown, FLAT, most=True)


def piped(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Time the reading of a program that writes as fast as it can."""
    if sys.platform == "win32":
        return
    times, size = pipes.measure(scanners, effort.piped, effort.rounds)
    title = f"a program that writes as fast as it can, {size / 1e6:.0f} MB, on the writer's clock"
    report.title("piped", title, "speed", "× asyncio", "median", "ms", "rounds")
    for name, cell in times.items():
        by_asyncio = ratio(times[pipes.NOTHING["asyncio"]], cell, "wall")
        report.speed("piped", name, cell, size, ratio=by_asyncio, by="wall")
    for kind in scanners:
        for loop, least in OF_NOTHING.items():
            own = times[f"lastbrace.run ({loop}, {kind})"]
            if kind == "c":
                speed = ratio(times[pipes.NOTHING[loop]], own, "wall")
                report.bar(kind, f"piped: times {pipes.NOTHING[loop]}", speed, least)
            alone = zip(times[f"{pipes.OWN_LOOP} ({loop})"].cpu, times[f"{pipes.SCANNER} ({kind})"].cpu, strict=False)
            shares = sorted(mine / (loops + scan) for mine, (loops, scan) in zip(own.cpu, alone, strict=False))
            what = f"piped: processor time to read loop alone + scanner alone ({loop})"
            report.bar(kind, what, shares[len(shares) // 2], TOGETHER, most=True)


def peak(report: Report, effort: Effort, scanners: dict[str, Call]) -> None:
    """Measure the memory of a long stream's reader."""
    if sys.platform == "win32":
        return
    report.title("memory", f"peak memory of reading {effort.stream / 1e9:.3g} GB, above an empty loop", "above")
    for kind, call in scanners.items():
        for reader, above in call(memory.above_nothing, effort.stream).items():
            what = "import lastbrace, and read" if reader == "import" else f"lastbrace.{reader}"
            report.numbers("memory", f"{what} ({kind})", {"mb": above}, f"{above:.3g} MB")
            if reader != "import":
                report.bar(kind, f"memory: MB of {reader} above an empty loop", above, MEGABYTES_ABOVE_NOTHING,
                           most=True)  # fmt: skip


def _bytes(size: int) -> str:
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1000} KB"


PARTS: dict[str, Callable[[Report, Effort, dict[str, Call]], None]] = {
    **{row.name: lambda report, effort, scanners, row=row: read(report, effort, scanners, row) for row in ROWS},  # type: ignore[misc]
    "doubling": doubling,
    "hostile": hostile,
    "long-string": long_string,
    "last-byte": last_byte,
    "piped": piped,
    "memory": peak,
}
