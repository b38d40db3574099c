"""What a piece of work takes in this process: seconds of processor time, and memory."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_STATUS = Path("/proc/self/status")


def peak() -> float:
    """Return the most memory that this process has had so far, in MB."""
    if _STATUS.exists():  # where this counts what the process was made from too
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1024)


def measure(work: Callable[[int], None], size: int) -> dict[str, float]:
    """Return what the work takes, of this process and the programs that it ran, in MB above what there was before."""
    with contextlib.suppress(Exception):
        work(1)  # loads what is loaded when it is needed first
    before, began = peak(), time.process_time()
    work(size)
    return {"seconds": time.process_time() - began, "memory": peak() - before}
