"""Reads its standard input to the end and prints the peak of its memory in bytes.

It imports nothing that the loop does not need, so that what lastbrace imports is counted as lastbrace's.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

CHUNK = 64 * 1024


def peak() -> int:
    """Return this process's own peak; ``ru_maxrss`` can be that of the process that started it."""
    try:
        with open("/proc/self/status") as file:
            return int(file.read().split("VmHWM:")[1].split()[0]) * 1024
    except OSError:
        resource = import_module("resource")
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Read with what the command line names: ``nothing``, ``import``, ``Scanner`` or ``Watcher``."""
    reader = sys.argv[1]
    lastbrace = None if reader == "nothing" else import_module("lastbrace")
    feed = None if lastbrace is None or reader == "import" else getattr(lastbrace, reader)().feed
    while chunk := os.read(0, CHUNK):
        if feed is not None:
            feed(chunk)
    print(peak())


if __name__ == "__main__":
    main()
