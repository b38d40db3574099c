"""Times contestants on the same bytes, in turns, so that what else the machine does falls on all of them."""

from __future__ import annotations

import gc
import io
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from .readers import NO_ANSWER

if TYPE_CHECKING:
    from .readers import Reader
    from .scanners import Call
    from .workloads import Work

QUICK = 0.02  # seconds: a read that takes less is repeated, for the clock to be good enough
SLOW = 0.5  # a contestant that takes longer takes part in the first rounds only
SLOW_ROUNDS = 3
TRIALS = (1 / 1024, 1 / 256, 1 / 64, 1 / 16, 1 / 4)  # shares of the bytes that tell how long the whole would take
CERTAIN = 0.005  # seconds: a trial that takes less says nothing of growth


class Timing(NamedTuple):
    """The times of one contestant, round by round, in seconds: of the processor, and on the clock."""

    cpu: list[float]
    wall: list[float]

    def of(self, clock: Literal["cpu", "wall"]) -> list[float]:
        """The times of one of the two clocks."""
        return self.cpu if clock == "cpu" else self.wall


Cell = Timing | str
"""The times of a contestant, or why it has none."""


class Entrant(NamedTuple):
    """A contestant: what makes its reader, what calls a function where it is, and the seconds that it may take."""

    make: Callable[[], Reader]
    call: Call
    limit: float


def clock(make: Callable[[], Reader], data: bytes, times: int = 1) -> tuple[Any, float, float]:
    """Return what the reader answers, and the seconds of one read: of the processor, and on the clock."""
    read, answer = make(), None
    files = [io.BytesIO(data) for _ in range(times)]
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    for file in files:
        answer = read(file)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return answer, cpu / times, wall / times


def contest(work: Work, entrants: Mapping[str, Entrant], *, rounds: int) -> dict[str, Cell]:
    """Return a cell for each contestant that reads the work.

    Each is warmed up by one read of the whole, whose answer is held against what is known to be there. One that is not
    installed, stops, answers something else, or would take longer than it may has that in its cell, and no times.
    """
    cells: dict[str, Cell] = {}
    takers: dict[str, Callable[[], tuple[float, float]]] = {}
    slow = set()
    for name, entrant in entrants.items():
        problem, seconds = _try(entrant, work)
        if problem is None:
            takers[name] = _taker(entrant, work.data, max(1, int(QUICK / max(seconds, 1e-6))))
            slow |= {name} if seconds > SLOW else set()
        cells[name] = problem or Timing([], [])
    return cells | alternate(takers, rounds, slow)


def alternate(
    takers: Mapping[str, Callable[[], tuple[float, float]]], rounds: int, slow: Collection[str]
) -> dict[str, Timing]:
    """Let each take its turn in every round, forwards and backwards, the slow ones in the first rounds only."""
    times = {name: Timing([], []) for name in takers}
    for number in range(rounds):
        turn = list(takers.items())
        for name, take in turn[::-1] if number % 2 else turn:
            if name not in slow or number < SLOW_ROUNDS:
                cpu, wall = take()
                times[name].cpu.append(cpu)
                times[name].wall.append(wall)
    return times


def ratio(reference: Cell | None, own: Cell | None, by: Literal["cpu", "wall"] = "cpu") -> float | None:
    """Return how many times as fast as ``reference`` a contestant is: the median over the rounds that both took."""
    if not isinstance(reference, Timing) or not isinstance(own, Timing):
        return None
    return statistics.median(theirs / mine for theirs, mine in zip(reference.of(by), own.of(by), strict=False))


def _taker(entrant: Entrant, data: bytes, times: int) -> Callable[[], tuple[float, float]]:
    def take() -> tuple[float, float]:
        _, cpu, wall = entrant.call(clock, entrant.make, data, times)
        return cpu, wall

    return take


def _try(entrant: Entrant, work: Work) -> tuple[str | None, float]:
    """Return what keeps a contestant from being timed, or None, and the seconds that one read took."""
    before = 0.0
    for number, share in enumerate(TRIALS):
        part = _cut(work.data, share)
        try:
            seconds = min(entrant.call(clock, entrant.make, part)[1] for _ in range(2 if before < CERTAIN else 1))
        except ImportError:
            return "not installed", 0.0
        except Exception:  # a text that is cut may raise: only the whole counts
            break
        left = len(TRIALS) - number
        growth = seconds / before if before > CERTAIN and left == 1 else 4.0
        before = seconds
        if seconds * max(4.0, growth) ** left > entrant.limit:
            return f"too slow (> {entrant.limit:g} s): not run", 0.0
    try:
        answer, seconds, _ = entrant.call(clock, entrant.make, work.data)
    except Exception as error:
        return f"stops ({type(error).__name__})", 0.0
    return _fault(answer, work), seconds


def _cut(data: bytes, share: float) -> bytes:
    """Return a share of the data, whole lines: an object that never ends is more work to some than a whole one."""
    size = int(len(data) * share)
    return data[: data.rfind(b"\n", 0, size) + 1 or size]


def _fault(answer: Any, work: Work) -> str | None:
    """Return what is wrong with an answer: the newest object, or how many there were and the newest."""
    if answer is NO_ANSWER:
        return None
    if isinstance(answer, tuple):
        count, answer = answer
        if count != work.objects:
            return f"wrong: {count:,} of {work.objects:,} objects"
    if answer is None:
        return "wrong: finds nothing"
    if isinstance(answer, msgspec.Struct):
        right = all(getattr(answer, name) == work.newest.get(name, "") for name in answer.__struct_fields__)
    else:
        right = bool(answer == work.newest)
    return None if right else "wrong: finds another"
