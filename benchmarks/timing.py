"""Times contestants on the same bytes, in turns, so that what else the machine does falls on all of them."""

from __future__ import annotations

import gc
import io
import statistics
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .readers import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .readers import Reader

QUICK = 0.02  # seconds: a read that takes less is repeated, for the clock to be good enough
SLOW = 0.5  # a contestant that takes longer takes part in the first rounds only
SLOW_ROUNDS = 3
TRIALS = (1 / 16, 1 / 4)  # shares of the bytes that tell how long the whole would take


class Timing(NamedTuple):
    """The times of one contestant, round by round, in seconds: of the processor, and on the clock."""

    cpu: list[float]
    wall: list[float]

    @property
    def median(self) -> float:
        """The middle one of the processor times."""
        return statistics.median(self.cpu)

    @property
    def spread(self) -> float:
        """The widest distance from the median, as a share of it."""
        return max(abs(seconds - self.median) for seconds in self.cpu) / self.median


Cell = Timing | str
"""The times of a contestant, or why it has none."""


def clock(read: Reader, data: bytes, times: int = 1) -> tuple[Any, float, float]:
    """Return what ``read`` answers, and the seconds of one read: of the processor, and on the clock."""
    answer = None
    files = [io.BytesIO(data) for _ in range(times)]
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    for file in files:
        answer = read(file)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return answer, cpu / times, wall / times


def contest(
    data: bytes, makers: Mapping[str, Callable[[], Reader]], expected: Any, *, rounds: int, limit: float
) -> dict[str, Cell]:
    """Return a cell for each contestant that reads ``data``.

    Each is warmed up by one read of the whole, whose answer is held against ``expected``. One that is not installed,
    raises, answers something else, or would take more than ``limit`` seconds has that in its cell, and no times.
    """
    cells: dict[str, Cell] = {}
    entered: dict[str, tuple[Reader, float]] = {}
    for name, make in makers.items():
        problem, seconds = None, 0.0
        try:
            read = make()
        except ImportError:
            problem = "not installed"
        else:
            problem, seconds = _try(read, data, expected, limit)
        if problem is None:
            entered[name] = (read, seconds)
        cells[name] = problem or Timing([], [])
    for number in range(rounds):
        turn = list(entered.items())
        for name, (read, seconds) in turn[::-1] if number % 2 else turn:
            cell = cells[name]
            if isinstance(cell, Timing) and (seconds < SLOW or number < SLOW_ROUNDS):
                _, cpu, wall = clock(read, data, max(1, int(QUICK / seconds)))
                cell.cpu.append(cpu)
                cell.wall.append(wall)
    return cells


def ratio(reference: Cell | None, own: Cell) -> float | None:
    """Return how many times as fast as ``reference`` a contestant is: the median over the rounds that both took."""
    if not isinstance(reference, Timing) or not isinstance(own, Timing):
        return None
    return statistics.median(theirs / mine for theirs, mine in zip(reference.cpu, own.cpu, strict=False))


def _try(read: Reader, data: bytes, expected: Any, limit: float) -> tuple[str | None, float]:
    """Return what keeps a contestant from being timed, or None, and the seconds that one read took."""
    before = 0.0
    for share in TRIALS:
        try:
            seconds = clock(read, data[: int(len(data) * share)])[1]
        except Exception:  # a text that is cut may raise: only the whole counts
            break
        growth = max(4.0, seconds / before) if before else 4.0
        before = seconds
        if seconds * growth * (1.0 if share == TRIALS[-1] else growth) > limit:
            return f"> {limit:.0f} s", 0.0
    try:
        answer, seconds, _ = clock(read, data)
    except Exception as error:
        return f"raises {type(error).__name__}", 0.0
    return (None if _agrees(answer, expected) else "wrong answer"), seconds


def _agrees(answer: Any, expected: Any) -> bool:
    if answer is NO_ANSWER:
        return True
    if isinstance(answer, msgspec.Struct):
        return all(getattr(answer, name) == expected.get(name, "") for name in answer.__struct_fields__)
    return bool(answer == expected)
