"""What makes no sense as an argument of `run`, said before anything is started."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from .decoding import check_encoding


def check_input(data: Any, encoding: str | None) -> None:
    """Raise TypeError or ValueError for an ``input`` that cannot be sent."""
    check_encoding(encoding)
    if not (data is None or isinstance(data, bytes | bytearray | memoryview | str) or hasattr(data, "__aiter__")):
        raise TypeError(f"input is bytes, str or an async iterable of them, not {type(data).__name__}")
    if encoding is not None and isinstance(data, str):
        data.encode(encoding)


def check_stderr(stderr: Any) -> None:
    """Raise TypeError or ValueError for what stderr cannot be."""
    if inspect.iscoroutinefunction(stderr):
        raise TypeError(f"callbacks are plain functions, and {stderr.__name__} is async: nobody awaits it")
    if not callable(stderr) and stderr not in ("keep", "inherit", "merge"):
        raise ValueError(f"stderr must be 'keep', 'inherit', 'merge' or a function, not {stderr!r}")


def check_times(*, grace: float, **times: float | None) -> None:
    """Raise TypeError or ValueError for what is no time; all but ``grace`` may be None."""
    for name, seconds in {"grace": grace, **times}.items():
        if seconds is None and name != "grace":
            continue
        if not isinstance(seconds, int | float):
            raise TypeError(f"{name} is a number of seconds, not {type(seconds).__name__}")
        if not seconds >= 0:
            raise ValueError(f"{name} must be seconds from 0 up, not {seconds!r}")


def check_stop(stop: Any, watch: Mapping[str, Any]) -> None:
    """Raise ValueError for what is no way to stop, or none with these arguments of `Watcher`."""
    if stop not in ("exit", "final"):
        raise ValueError(f"stop must be 'exit' or 'final', not {stop!r}")
    if stop == "final" and watch.get("schema") is None and watch.get("contract", "json") == "marker":
        raise ValueError("stop='final' needs an answer that is known before the end, and a marker is not")


def check_pty(*, pty: bool) -> None:
    """Raise ValueError where there are no such terminals."""
    if pty and sys.platform == "win32":
        raise ValueError("pty=True needs a POSIX system: Windows has no such terminals")
