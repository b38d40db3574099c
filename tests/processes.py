"""Programs to run in tests, and proof that nothing of them is left."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

DONE = '{"status": "done"}'
FOREVER = 600  # seconds, for programs that are to be ended: far beyond any test
# A program with a child of its own: it prints the child's process id and its answer at once, and stays.
FAMILY = f"""sleep {FOREVER} & echo "{{\\"child\\": $!}} {{\\"status\\": \\"done\\"}}"; wait"""


def sh(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def py(code: str) -> list[str]:
    return [sys.executable, "-S", "-E", "-c", code]


def runs(pid: int) -> bool:
    """Tell whether a process runs; a zombie, which nobody may reap in a container, does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return not stat.parent.exists() or stat.read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def descriptors() -> set[str]:
    return set(os.listdir("/dev/fd"))


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """No file descriptor more than before, and no child, running or not reaped."""
    gc.collect()
    before = len(descriptors())
    yield
    assert len(descriptors()) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
