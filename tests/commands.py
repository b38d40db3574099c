"""The command line, called as a shell calls it."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lastbrace.cli import app

FULL = Path("/dev/full")
"""A disk that is always full."""
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
# With PYTHONUNBUFFERED, as in many containers, writing fails at once; without it, when the buffer is flushed.
with_and_without_buffer = pytest.mark.parametrize(
    "environment",
    [{**os.environ, "PYTHONUNBUFFERED": ""}, {**os.environ, "PYTHONUNBUFFERED": "1"}],
    ids=["buffered", "unbuffered"],
)
COMMAND = [sys.executable, "-W", "error", "-m", "lastbrace"]


def command(*arguments: str | Path, stdin: bytes = b"", **options: Any) -> tuple[int, bytes, str]:
    done = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, timeout=60, check=False, **options)
    error = done.stderr.decode()
    assert "Traceback" not in error, error
    return done.returncode, done.stdout, error


def inside(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Do as `command` does, in this process, for what starts no program."""
    out, error = io.BytesIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr("sys.stdout", io.TextIOWrapper(out, write_through=True))
        stack.enter_context(contextlib.redirect_stderr(error))
        with pytest.raises(SystemExit) as caught:
            app([str(argument) for argument in arguments], prog_name="lastbrace")
        status = caught.value.code or 0
        assert isinstance(status, int)
        return status, out.getvalue(), error.getvalue()
