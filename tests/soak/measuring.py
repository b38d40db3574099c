"""What a process holds, at a moment when nothing of its work goes on but the following of a log."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import stat
import sys
import threading
import time
from typing import Any

import psutil

Sample = dict[str, float]


def measure(loop: str, *, aside: set[int], began: float) -> Sample:
    """Return what this process holds; children whose ids are `aside` are not counted.

    The files that a followed log holds open vary with its rotation: ``files`` are regular files, ``descriptors`` all
    others. ``memory`` is what is resident once the allocator, where it can be asked, has given back what is free:
    what it keeps of that by itself is nobody's leak, and doubles the figure.
    """
    gc.collect()
    _give_back()
    process = psutil.Process()
    regular = descriptors = 0
    for name in os.listdir("/dev/fd"):
        try:
            mode = os.fstat(int(name)).st_mode
        except OSError:  # that of the listing itself
            continue
        regular += stat.S_ISREG(mode)
        descriptors += not stat.S_ISREG(mode)
    return {
        "seconds": round(time.monotonic() - began, 1),
        "memory": round(process.memory_info().rss / 1e6, 2),
        "blocks": sys.getallocatedblocks(),
        "descriptors": descriptors,
        "files": regular,
        "threads": threading.active_count(),
        "tasks": _tasks(loop),
        "children": len({child.pid for child in process.children()} - aside),
    }


def _give_back() -> None:
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)


def _tasks(loop: str) -> int:
    if loop == "asyncio":
        return len(asyncio.all_tasks())
    import trio

    statistics: Any = trio.lowlevel.current_statistics()
    return int(statistics.tasks_living)
