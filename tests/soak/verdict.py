"""Whether what a process holds stays flat: its last quarter of the time against its second one.

The first quarter is left out: caches fill, and the allocator finds its level.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .measuring import Sample

LONG_ENOUGH = 300.0  # seconds: in a shorter run what fills slowly still does in its last quarter, and is not judged
_SLOW = ("memory", "resident", "blocks", "files", "threads")


class Measure(NamedTuple):
    """What is measured, and by how much it may grow from the second quarter to the last one."""

    name: str
    title: str
    unit: str
    how: str  # "median" or "lowest", of the samples of a quarter
    allowed: float


MEASURES = (
    Measure("memory", "Memory in use", "MB", "median", 2.0),
    Measure("resident", "Memory resident, with what the allocator keeps", "MB", "median", 100.0),
    Measure("blocks", "Python memory blocks", "", "lowest", 5000),
    Measure("descriptors", "Descriptors: pipes, sockets, event loop", "", "lowest", 0),
    Measure("files", "Open log files, which rotation varies", "", "lowest", 10),
    # Idle ones come and go in the loop's pool, even the fewest of a quarter; at the end none may be left.
    Measure("threads", "Threads, idle ones of the loop's pool among them", "", "median", 2),
    Measure("tasks", "Tasks of the event loop", "", "lowest", 0),
    Measure("children", "Children, running or not reaped", "", "lowest", 0),
)
_HOW: dict[str, Callable[[Sequence[float]], float]] = {"median": statistics.median, "lowest": min}


class Change(NamedTuple):
    """What a measure was in the second quarter, what in the last one, and whether that is flat."""

    before: float
    after: float
    flat: bool


def change_of(measure: Measure, samples: list[Sample]) -> Change:
    """Compare the quarters of a run. There must be samples."""
    end = samples[-1]["seconds"]
    value = _HOW[measure.how]
    second = [sample[measure.name] for sample in samples if 0.25 * end <= sample["seconds"] <= 0.5 * end]
    last = [sample[measure.name] for sample in samples if 0.75 * end <= sample["seconds"]]
    before, after = value(second or [samples[0][measure.name]]), value(last)
    judged = end >= LONG_ENOUGH or measure.name not in _SLOW
    return Change(before, after, not judged or after - before <= measure.allowed)


def not_flat(samples: list[Sample]) -> list[str]:
    """Return what is not flat, in words."""
    changes = {measure: change_of(measure, samples) for measure in MEASURES}
    return [
        f"not flat: {measure.title.lower()}, {measure.how} {change.before:g} in the second quarter,"
        f" {change.after:g} in the last"
        for measure, change in changes.items()
        if not change.flat
    ]
