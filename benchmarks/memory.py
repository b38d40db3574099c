"""The memory a reader takes: its peak, in a process of its own (``memory_child``)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from . import workloads

READERS = ("import", "Scanner", "Watcher")


def peak_of(reader: str, block: bytes, times: int) -> int:
    """Return the peak memory in bytes of a process that reads the block so many times."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.memory_child", reader],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent,
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(times):
            child.stdin.write(block)
        child.stdin.close()
        peak = int(child.stdout.read())
    if child.returncode:
        raise RuntimeError(f"the reader exited with status {child.returncode}")
    return peak


def above_nothing(size: int) -> dict[str, float]:
    """Return for each reader of ``size`` bytes of an agent's lines the megabytes above a loop that does nothing."""
    block = workloads.agent_lines(4 << 20).data
    times = max(1, size // len(block))
    nothing = peak_of("nothing", block, times)
    return {reader: (peak_of(reader, block, times) - nothing) / 1e6 for reader in READERS}
