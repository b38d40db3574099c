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
    others. ``memory`` is what was allocated and not freed, ``resident`` what the process holds for that, pages that the
    allocator keeps for later included: with threads these may be more than the rest.
    """
    gc.collect()
    process = psutil.Process()
    resident = process.memory_info().rss
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
        "memory": round(_in_use(resident) / 1e6, 2),
        "resident": round(resident / 1e6, 2),
        "blocks": sys.getallocatedblocks(),
        "descriptors": descriptors,
        "files": regular,
        "threads": threading.active_count(),
        "tasks": _tasks(loop),
        "children": len({child.pid for child in process.children()} - aside),
    }


class _Mallinfo2(ctypes.Structure):
    """What glibc tells of its allocator."""

    _fields_ = [
        ("arena", ctypes.c_size_t), ("ordblks", ctypes.c_size_t), ("smblks", ctypes.c_size_t),
        ("hblks", ctypes.c_size_t), ("hblkhd", ctypes.c_size_t), ("usmblks", ctypes.c_size_t),
        ("fsmblks", ctypes.c_size_t), ("uordblks", ctypes.c_size_t), ("fordblks", ctypes.c_size_t),
        ("keepcost", ctypes.c_size_t),
    ]  # fmt: skip


def _in_use(resident: int) -> int:
    """Return the bytes that were allocated and not freed, Python's small objects aside, which are counted as blocks."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:  # not glibc
        return resident
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def _tasks(loop: str) -> int:
    if loop == "asyncio":
        return len(asyncio.all_tasks())
    import trio

    statistics: Any = trio.lowlevel.current_statistics()
    return int(statistics.tasks_living)
